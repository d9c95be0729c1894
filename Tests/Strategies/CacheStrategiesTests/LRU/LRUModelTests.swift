import CacheStrategies
import StrategyTestSupport
import TestTiers
import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct LRUModelTests {
    struct Limits: CustomTestStringConvertible, Sendable {
        var entries: Int?
        var cost: Int?
        var testDescription: String {
            "entries \(entries.map(String.init) ?? "any"), cost \(cost.map(String.init) ?? "any")"
        }
    }

    static let limits = [
        Limits(), Limits(entries: 0), Limits(entries: 1), Limits(entries: 2), Limits(entries: 3), Limits(entries: 17),
        Limits(cost: 0), Limits(cost: 1), Limits(cost: 2), Limits(cost: 40), Limits(entries: 0, cost: 0),
        Limits(entries: 1, cost: 10), Limits(entries: 2, cost: 2), Limits(entries: 10, cost: 40),
        Limits(entries: 30, cost: 100), Limits(entries: 1000, cost: 60),
    ]

    @Test(arguments: limits, TestTier.seeds(3))
    func `random operations agree with a plain array, one by one`(limits: Limits, seed: UInt64) throws {
        try run(limits: limits, seed: seed, operations: 1500) { LRUCache(entryLimit: $0, costLimit: $1) }
    }

    /// Keys whose `hashValue` has few values: long runs in the table, and removals that must shift back across its
    /// end.
    @Test(arguments: TestTier.seeds(3))
    func `keys that collide agree with a plain array too`(seed: UInt64) throws {
        for limits in [Limits(), Limits(entries: 7), Limits(entries: 20, cost: 60)] {
            try run(limits: limits, seed: seed, operations: 1500) {
                Colliding(cache: LRUCache(entryLimit: $0, costLimit: $1))
            }
        }
    }

    private func run<Cache: ModelledCache>(
        limits: Limits, seed: UInt64, operations: Int, _ make: (Int?, Int?) -> Cache
    ) throws {
        let cache = make(limits.entries, limits.cost)
        var model = LRUModel(entryLimit: limits.entries, costLimit: limits.cost)
        var random = RandomSource(seed: seed)
        let keys = 40
        for number in 0..<operations {
            let key = Int(random.next(below: UInt64(keys)))
            let step: String
            switch random.next(below: 100) {
            case 0..<40:
                step = "value(forKey: \(key))"
                let found = cache.value(forKey: key)
                let expected = model.value(forKey: key)
                try #require(found == expected, "seed \(seed), \(limits), operation \(number): \(step)")
            case 40..<85:
                // Mostly small; sometimes zero, negative, or more than a cache may hold.
                let cost = [0, 1, 1, 2, 3, 5, 8, -4, 59, 1_000_000][Int(random.next(below: 10))]
                step = "insert(\(number), forKey: \(key), cost: \(cost))"
                cache.insert(number, forKey: key, cost: cost)
                model.insert(number, forKey: key, cost: cost)
            case 85..<99:
                step = "removeValue(forKey: \(key))"
                cache.removeValue(forKey: key)
                model.removeValue(forKey: key)
            default:
                step = "removeAll()"
                cache.removeAll()
                model.removeAll()
            }
            let context: Comment = "seed \(seed), \(limits), operation \(number): \(step)"
            // The same keys in the same order: no key is missing, and there is no extra key.
            try #require(cache.keysByRecency() == model.entries.map(\.key), context)
            try #require(cache.checkInvariants() == [], context)
            let expected = CacheStatistics(
                entryCount: model.entries.count, totalCost: model.totalCost, evictions: model.evictions,
                loadsInFlight: 0)
            try #require(cache.statistics() == expected, context)
        }
        for key in 0..<keys {
            #expect(cache.value(forKey: key) == model.value(forKey: key), "seed \(seed), \(limits), key \(key)")
        }
    }
}

/// The operations that the model test uses.
private protocol ModelledCache {
    func value(forKey key: Int) -> Int?
    func insert(_ value: Int, forKey key: Int, cost: Int)
    func removeValue(forKey key: Int)
    func removeAll()
    func statistics() -> CacheStatistics
    func keysByRecency() -> [Int]
    func checkInvariants() -> [String]
}

extension LRUCache: ModelledCache where Key == Int, Value == Int {}

private struct Colliding: ModelledCache {
    struct Key: Hashable, Sendable {
        var number: Int
        func hash(into hasher: inout Hasher) { hasher.combine(number % 3) }
    }

    let cache: LRUCache<Key, Int>

    func value(forKey key: Int) -> Int? { cache.value(forKey: Key(number: key)) }
    func insert(_ value: Int, forKey key: Int, cost: Int) { cache.insert(value, forKey: Key(number: key), cost: cost) }
    func removeValue(forKey key: Int) { cache.removeValue(forKey: Key(number: key)) }
    func removeAll() { cache.removeAll() }
    func statistics() -> CacheStatistics { cache.statistics() }
    func keysByRecency() -> [Int] { cache.keysByRecency().map(\.number) }
    func checkInvariants() -> [String] { cache.checkInvariants() }
}
