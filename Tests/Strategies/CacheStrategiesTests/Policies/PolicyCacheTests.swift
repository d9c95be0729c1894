import Foundation
import TestTiers
import Testing
import TrialModel

@testable import CacheStrategies
@testable import EvictionPolicies
@testable import EvictionPoliciesTests

/// A numeric value.
struct Number: CacheableValue, Hashable {
    let number: Int
    init(_ number: Int) { self.number = number }
    init(encoded: Data) throws { number = Int(String(decoding: encoded, as: UTF8.self)) ?? 0 }
    func encoded() -> Data { Data("\(number)".utf8) }
    var cost: Int { 1 }
}

@Suite(.timeLimit(.minutes(2)))
struct PolicyCacheTests {
    /// Skewed requests, a loop that is larger than the cache, and a scan within skewed requests.
    static let traces: [[Int]] = {
        var random = RandomSource(seed: 7)
        func skewed(_ count: Double) -> Int {
            let fraction = random.nextFraction()
            return Int(fraction * fraction * fraction * count)
        }
        let first = (0..<6000).map { _ in skewed(900) }
        let loop = (0..<4000).map { $0 % 130 }
        let scan = (0..<6000).map { $0 % 1000 >= 800 ? 2000 + $0 : skewed(700) }
        // Also the beginning of each has every kind of its requests.
        return [first, loop, scan].map { Array($0.prefix(TestTier.isNightly ? .max : 1_500)) }
    }()

    @Test(arguments: 0..<3) func `a lookup, and an insert after a miss, hit exactly as a replay`(trace: Int) {
        compareWithReplay(LiveFIFO.self, trace) { FIFOPolicy(capacity: $0) }
        compareWithReplay(LiveCLOCK.self, trace) { CLOCKPolicy(capacity: $0) }
        compareWithReplay(LiveSIEVE.self, trace) { SIEVEPolicy(capacity: $0) }
        compareWithReplay(LiveS3FIFO.self, trace) { S3FIFOPolicy(capacity: $0) }
        compareWithReplay(LiveTwoQueue.self, trace) { TwoQueuePolicy(capacity: $0) }
        compareWithReplay(LiveARC.self, trace) { ARCPolicy(capacity: $0) }
        compareWithReplay(LiveCAR.self, trace) { CARPolicy(capacity: $0) }
        compareWithReplay(LiveSLRU.self, trace) { SLRUPolicy(capacity: $0) }
        compareWithReplay(LiveS4FIFO.self, trace) { S4FIFOPolicy(capacity: $0) }
        compareWithReplay(LiveClock2QPlus.self, trace) { Clock2QPlusPolicy(capacity: $0) }
        compareWithReplay(LiveGDSF.self, trace) { GDSFPolicy(capacity: $0) }
        compareWithReplay(LFUPolicy.self, trace) { LFUPolicy(capacity: $0) }
        compareWithReplay(
            LiveWTinyLFU.self, trace,
            {
                var policy = WTinyLFUPolicy(capacity: $0)
                policy.admitAtRandom(seed: LiveWTinyLFU.randomSeed)
                return policy
            }, identify: { $0.setFingerprint($2, of: $1) })
        compareWithReplay(LiveLIRS.self, trace) { LIRSPolicy(capacity: $0, stackLimit: LiveLIRS.liveStackLimit) }
        compareWithReplay(LiveLRU.self, trace) { LRUPolicy(capacity: $0) }
    }

    /// Uses the policy as `replay` does, except for what only a live cache knows.
    private func compareWithReplay<Policy: LivePolicy & CheckedPolicy & ~Copyable, Replayed: TablePolicy & ~Copyable>(
        _ type: Policy.Type, _ trace: Int, _ make: (PolicyCapacity) -> Replayed,
        identify: (inout Replayed, ObjectID, UInt32) -> Void = { _, _, _ in }
    ) {
        for capacity in [1, 7, 80] {
            for weighs in [false, true] {
                let limit = weighs ? capacity * 5 : capacity
                let cache = PolicyCache<String, Number, Policy>(
                    configuration: weighs
                        ? StrategyConfiguration(costLimit: limit) : StrategyConfiguration(entryLimit: limit))
                var replayed = make(weighs ? .weight(UInt64(limit)) : .entries(limit))
                var differing = 0
                for key in Self.traces[trace] {
                    let text = "key \(key)"
                    let cost = 1 + key % 9
                    let isHit = cache.value(forKey: text) != nil
                    if !isHit { cache.insert(Number(key), forKey: text, cost: cost) }
                    identify(&replayed, ObjectID(key), cache.shards.hasher.tag(of: text))
                    if replayed.request(ObjectID(key), weight: UInt64(cost)) != isHit { differing += 1 }
                }
                #expect(differing == 0, "\(Policy.declaration.name), limit \(limit), weighs: \(weighs)")
                #expect(cache.checkInvariants() == [], "\(Policy.declaration.name)")
            }
        }
    }

    static let limits: [(entries: Int?, cost: Int?)] = [
        (nil, nil), (0, nil), (1, nil), (2, nil), (17, nil), (nil, 0), (nil, 1), (nil, 40), (0, 0), (1, 10), (2, 2),
        (10, 40), (30, 100), (7, 1000), (1000, 60), (10, 8_000_000_000), (nil, 8_000_000_000),
    ]

    @Test(arguments: TestTier.seeds(2))
    func `random operations agree with the policy on numbers that are never reused`(seed: UInt64) throws {
        for limits in Self.limits {
            try compareWithModel(LiveFIFO.self, limits, seed)
            try compareWithModel(LiveCLOCK.self, limits, seed)
            try compareWithModel(LiveSIEVE.self, limits, seed)
            try compareWithModel(LiveS3FIFO.self, limits, seed)
            try compareWithModel(LiveTwoQueue.self, limits, seed)
            try compareWithModel(LiveARC.self, limits, seed)
            try compareWithModel(LiveCAR.self, limits, seed)
            try compareWithModel(LiveSLRU.self, limits, seed)
            try compareWithModel(LiveS4FIFO.self, limits, seed)
            try compareWithModel(LiveClock2QPlus.self, limits, seed)
            try compareWithModel(LiveGDSF.self, limits, seed)
            try compareWithModel(LFUPolicy.self, limits, seed)
            try compareWithModel(LiveWTinyLFU.self, limits, seed)
            try compareWithModel(LiveLIRS.self, limits, seed)
            try compareWithModel(LiveLRU.self, limits, seed)
        }
    }

    private func compareWithModel<Policy: LivePolicy & CheckedPolicy & ~Copyable>(
        _ type: Policy.Type, _ limits: (entries: Int?, cost: Int?), _ seed: UInt64
    ) throws {
        let cache = PolicyCache<Int, Number, Policy>(
            configuration: StrategyConfiguration(entryLimit: limits.entries, costLimit: limits.cost))
        var model = PolicyModel<Policy>(entryLimit: limits.entries, costLimit: limits.cost)
        var random = RandomSource(seed: seed)
        for number in 0..<600 {
            let context: Comment = "\(Policy.declaration.name), \(limits), seed \(seed), operation \(number)"
            let key = Int(random.next(below: 40))
            switch random.next(below: 100) {
            case 0..<40:
                let found = cache.value(forKey: key)?.number
                let expected = model.value(forKey: key)
                try #require(found == expected, context)
            case 40..<85:
                // Mostly small; sometimes zero, negative, or more than a cache may hold.
                let cost = [0, 1, 1, 2, 3, 5, 8, -4, 59, 1_000_000][Int(random.next(below: 10))]
                cache.insert(Number(number), forKey: key, cost: cost)
                model.insert(number, forKey: key, cost: cost)
            case 85..<99:
                cache.removeValue(forKey: key)
                model.removeValue(forKey: key)
            default:
                cache.removeAll()
                model.removeAll()
            }
            let expected = model.statistics
            try #require(cache.statistics() == expected, context)
            if number % 10 == 0 { try #require(cache.checkInvariants() == [], context) }
        }
    }

    @Test func `a policy with parts exceeds neither limit, and uses at least half of one of them`() {
        let cache = S3FIFOCache<Int, Number>(configuration: StrategyConfiguration(entryLimit: 100, costLimit: 10_000))
        for key in 0..<5000 { cache.insert(Number(key), forKey: key, cost: key % 2 == 0 ? 1 : 199) }
        let statistics = cache.statistics()
        let (entries, cost) = (statistics.entryCount ?? .max, statistics.totalCost ?? .max)
        #expect(entries <= 100 && cost <= 10_000)
        #expect(entries >= 50 || cost >= 4900)
    }

    @Test func `a policy without parts fills both limits to the last entry and the last byte`() {
        func check<Policy: LivePolicy & CheckedPolicy & ~Copyable>(_: Policy.Type) {
            let cache = PolicyCache<Int, Number, Policy>(
                configuration: StrategyConfiguration(entryLimit: 100, costLimit: 10_000))
            for key in 0..<5000 { cache.insert(Number(key), forKey: key, cost: key % 2 == 0 ? 1 : 199) }
            let statistics = cache.statistics()
            #expect(statistics.entryCount == 100 && statistics.totalCost == 10_000, "\(Policy.declaration.name)")
            cache.insert(Number(1), forKey: 5001, cost: 10_000)
            let alone = CacheStatistics(entryCount: 1, totalCost: 10_000, evictions: 5000, loadsInFlight: 0)
            #expect(cache.statistics() == alone, "\(Policy.declaration.name)")
            cache.insert(Number(1), forKey: 5002, cost: 10_001)
            #expect(cache.statistics() == alone, "\(Policy.declaration.name)")
            #expect(cache.checkInvariants() == [])
        }
        check(LiveLRU.self)
        check(LiveFIFO.self)
        check(LiveCLOCK.self)
        check(LiveSIEVE.self)
        check(LFUPolicy.self)
    }

    @Test func `entries without cost are limited by a limit of costs alone`() {
        func check<Cache: SynchronousCacheStrategy<Int, Number>>(_: Cache.Type) throws {
            let cache = try Cache(configuration: StrategyConfiguration(costLimit: 100))
            for key in 0..<500 { cache.insert(Number(key), forKey: key, cost: 0) }
            #expect(cache.statistics().entryCount == 100, "\(Cache.declaration.name)")
        }
        #expect(throws: Never.self) {
            try check(LRUCache<Int, Number>.self)
            try check(FIFOCache<Int, Number>.self)
            try check(CLOCKCache<Int, Number>.self)
            try check(SIEVECache<Int, Number>.self)
            try check(LFUCache<Int, Number>.self)
            try check(ARCCache<Int, Number>.self)
            try check(ConcurrentSIEVECache<Int, Number>.self)
        }
    }

    @Test func `small entries fill the entry limit, and large ones the cost limit except for rounding`() {
        let small = S3FIFOCache<Int, Number>(configuration: StrategyConfiguration(entryLimit: 77, costLimit: 1000))
        for key in 0..<500 { small.insert(Number(key), forKey: key, cost: 3) }
        #expect(small.statistics().entryCount == 77)
        let large = S3FIFOCache<Int, Number>(configuration: StrategyConfiguration(entryLimit: 77, costLimit: 1000))
        for key in 0..<500 { large.insert(Number(key), forKey: key, cost: 99) }
        #expect(large.statistics().totalCost == 990)
    }
}
