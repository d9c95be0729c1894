import Foundation
import Locks
import Origins

/// An origin whose callers count for themselves what they asked for and what they got.
final class CountedOrigin: Sendable {
    /// What callers of one key saw.
    struct Count: Sendable {
        var begun: UInt64 = 0
        /// Threw, or gave a body that can't be decoded.
        var failed: UInt64 = 0
    }

    private let origin: any Origin
    private let counts = Locked([UInt64: Count]())

    init(_ origin: any Origin) { self.origin = origin }

    /// What callers of a key saw so far.
    func count(_ key: UInt64) -> Count { counts.withLock { $0[key, default: Count()] } }

    /// What callers of all keys saw so far.
    var total: Count {
        counts.withLock { counts in
            counts.values.reduce(into: Count()) { sum, count in
                sum.begun += count.begun
                sum.failed += count.failed
            }
        }
    }

    /// Fetches, and counts.
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

    /// The origin's own log, once nothing is under way any more; at the latest after five seconds.
    func settledLog() async throws -> OriginLog {
        let deadline = ContinuousClock.now + .seconds(5)
        while true {
            let log = try await origin.log(phase: 0)
            if log.inFlight == 0 || ContinuousClock.now > deadline { return log }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
