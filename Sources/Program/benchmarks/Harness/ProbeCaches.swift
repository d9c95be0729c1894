import CacheStrategies
import Foundation
import Locks
import Origins
import Platform
import TrialModel
import TrialSessions

/// A cache that holds nothing and whose lookups take a known time.
final class ProbeCache<Key: Hashable & Sendable>: SynchronousCacheStrategy {
    typealias Value = Payload

    private let start = Nanoclock.now()
    private let stalled = Locked(false)

    init(configuration: StrategyConfiguration) {}

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "probe", summary: "holds nothing; its lookups take a known time")
    }

    /// How long a lookup takes, set before a trial.
    static var pause: ProbePause { ProbePause.current.withLock { $0 } }

    func value(forKey key: Key) -> Payload? {
        switch Self.pause {
        case .every(let nanoseconds):
            Nanoclock.sleep(until: Nanoclock.now() &+ nanoseconds)
        case .once(let after, let nanoseconds):
            let now = Nanoclock.now()
            // All lookups wait for the one that stalls, as they would for a lock.
            stalled.withLock { stalled in
                guard !stalled, now &- start >= after else { return }
                stalled = true
                Nanoclock.sleep(until: now &+ nanoseconds)
            }
        }
        return nil
    }

    func insert(_ value: Payload, forKey key: Key, cost: Int) {}
    func removeValue(forKey key: Key) {}
    func removeAll() {}

    func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Payload> {
        try await loadUnshared(key, fetch: fetch)
    }
}

/// How lookups of a ``ProbeCache`` take their time.
enum ProbePause: Sendable {
    /// Each takes this many nanoseconds.
    case every(nanoseconds: UInt64)
    /// One lookup, this long after the cache was opened, takes this long, and all others wait for it. In nanoseconds.
    case once(after: UInt64, nanoseconds: UInt64)

    /// The pause of caches that are opened from now on.
    static let current = Locked(ProbePause.every(nanoseconds: 0))
}
