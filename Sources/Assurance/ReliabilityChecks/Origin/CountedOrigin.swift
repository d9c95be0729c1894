import Foundation
import Locks
import Origins

/// An origin that also counts, on the callers' side, the fetches that began and those that failed.
final class CountedOrigin: Sendable {
    /// The counts of one key.
    struct Count: Sendable {
        var begun: UInt64 = 0
        /// Fetches that threw, or returned a body that can't be decoded.
        var failed: UInt64 = 0
    }

    private let origin: any Origin
    private let counts = Locked([UInt64: Count]())

    init(_ origin: any Origin) { self.origin = origin }

    /// The counts of a key so far.
    func count(_ key: UInt64) -> Count { counts.withLock { $0[key, default: Count()] } }

    /// The counts of all keys so far.
    var total: Count {
        counts.withLock { counts in
            counts.values.reduce(into: Count()) { sum, count in
                sum.begun += count.begun
                sum.failed += count.failed
            }
        }
    }

    /// Fetches and counts.
    func fetch(_ key: UInt64) async throws -> Data {
        counts.withLock { $0[key, default: Count()].begun += 1 }
        do {
            let data = try await origin.fetch(key)
            if (try? Payload(encoded: data)) == nil { counts.withLock { $0[key, default: Count()].failed += 1 } }
            return data
        } catch {
            counts.withLock { $0[key, default: Count()].failed += 1 }
            throw error
        }
    }

    /// The origin's own log, once no request is in flight; after a minute at the latest.
    func settledLog() async throws -> OriginLog {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            let log = try await origin.log(phase: 0)
            if log.inFlight == 0 || ContinuousClock.now > deadline { return log }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
