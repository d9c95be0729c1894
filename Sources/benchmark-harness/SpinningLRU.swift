import CacheStrategies
import Locks
import Payloads

/// `lru` with lookups that take a given number of empty rounds longer.
final class SpinningLRU<Key: Hashable & Sendable>: SynchronousCacheStrategy {
    typealias Value = Payload

    private let cache: LRUCache<Key, Payload>
    private let rounds: Int

    init(configuration: StrategyConfiguration) {
        cache = LRUCache(configuration: configuration)
        rounds = Spinning.rounds.withLock { $0 }
    }

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "spinning-lru", summary: "lru with lookups that take longer")
    }

    func value(forKey key: Key) -> Payload? {
        Spinning.spin(rounds)
        return cache.value(forKey: key)
    }

    func insert(_ value: Payload, forKey key: Key, cost: Int) { cache.insert(value, forKey: key, cost: cost) }
    func removeValue(forKey key: Key) { cache.removeValue(forKey: key) }
    func removeAll() { cache.removeAll() }
}

/// How long lookups of a ``SpinningLRU`` spin.
enum Spinning {
    /// Of caches that are opened from now on.
    static let rounds = Locked(0)

    @inline(never)
    static func spin(_ rounds: Int) {
        var state: UInt64 = 88_172_645_463_325_252
        for _ in 0..<rounds {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
        }
        // The compiler can't know that a state never is zero, and has to compute it.
        if state == 0 { print("") }
    }
}
