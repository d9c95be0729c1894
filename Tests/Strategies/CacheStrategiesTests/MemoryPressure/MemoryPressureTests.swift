import Conformance
import EvictionPolicies
import Foundation
import Testing

@testable import CacheStrategies
@testable import EvictionPoliciesTests
@testable import PersistentStrategies

/// What caches release under memory pressure.
@Suite(.timeLimit(.minutes(1)))
struct MemoryPressureTests {
    @Test func `lru keeps the most recently used half, a quarter, nothing, or all`() async {
        let cache = LRUCache<Int, Data>(entryLimit: 100)
        func fill() { for key in 0..<100 { cache.insert(Data([1]), forKey: key, cost: 1) } }
        fill()
        _ = cache.value(forKey: 0)
        cache.respond(to: .normal)
        #expect(cache.statistics().entryCount == 100 && cache.statistics().evictions == 0)
        cache.respond(to: .warning)
        #expect(cache.keysByRecency() == [0] + (51..<100).reversed())
        #expect(cache.statistics().evictions == 50 && cache.checkInvariants().isEmpty)
        cache.removeAll()
        fill()
        cache.respond(to: .background)
        #expect(cache.keysByRecency() == (75..<100).reversed())
        cache.respond(to: .critical)
        #expect(cache.statistics().entryCount == 0 && cache.statistics().totalCost == 0)
        #expect(cache.checkInvariants().isEmpty)
        fill()
        #expect(cache.statistics().entryCount == 100)
    }

    @Test func `unequal costs decide how many entries are released`() {
        let cache = LRUCache<Int, Data>(costLimit: 1_000)
        cache.insert(Data(), forKey: 0, cost: 10)
        cache.insert(Data(), forKey: 1, cost: 10)
        cache.insert(Data(), forKey: 2, cost: 800)
        cache.respond(to: .warning)
        // Half of the entries would be one, and half of the cost leaves no room for the large one.
        #expect(cache.statistics().entryCount == 0)
    }

    private struct Shrunk: CustomTestStringConvertible {
        let testDescription: String
        /// The number of 1,000 entries that are left after each level, and broken invariants.
        let run: @Sendable (MemoryPressure) async -> (left: Int, faults: [String])

        init<Policy: LivePolicy & CheckedPolicy & ~Copyable>(_: Policy.Type, costLimit: Int? = nil, shards: Int? = nil)
        {
            testDescription =
                Policy.declaration.name + (costLimit == nil ? "" : ", bytes") + (shards == nil ? "" : ", sharded")
            run = { level in
                let configuration = StrategyConfiguration(entryLimit: 1_000, costLimit: costLimit)
                if let shards {
                    let cache = ShardedCache<Int, Data, Policy>(configuration: configuration, shardCount: shards)
                    for key in 0..<3_000 { cache.insert(Data([1]), forKey: key % 1_500, cost: 10) }
                    cache.respond(to: level)
                    return (cache.statistics().entryCount ?? -1, cache.checkInvariants())
                }
                let cache = PolicyCache<Int, Data, Policy>(configuration: configuration)
                for key in 0..<3_000 {
                    cache.insert(Data([1]), forKey: key % 1_500, cost: 10)
                    _ = cache.value(forKey: key / 2)
                }
                cache.respond(to: level)
                // It works as before.
                let left = cache.statistics().entryCount ?? -1
                let faults = cache.checkInvariants()
                for key in 0..<3_000 { cache.insert(Data([1]), forKey: key, cost: 10) }
                return (left, faults + cache.checkInvariants())
            }
        }
    }

    private static let shrunk: [Shrunk] = [
        Shrunk(LiveFIFO.self), Shrunk(LiveCLOCK.self), Shrunk(LiveSIEVE.self), Shrunk(LiveS3FIFO.self),
        Shrunk(LiveTwoQueue.self), Shrunk(LiveCAR.self), Shrunk(LiveGDSF.self), Shrunk(LiveARC.self),
        Shrunk(LFUPolicy.self), Shrunk(LiveWTinyLFU.self),
        Shrunk(LiveLIRS.self), Shrunk(LiveS3FIFO.self, costLimit: 10_000), Shrunk(LiveARC.self, costLimit: 10_000),
        Shrunk(LiveWTinyLFU.self, costLimit: 10_000), Shrunk(LiveLRU.self, shards: 4),
        Shrunk(LiveS3FIFO.self, shards: 4),
    ]

    @Test(arguments: shrunk) private func `every policy releases entries in its own order`(policy: Shrunk) async {
        let all = await policy.run(.normal)
        #expect(all.left > 900 && all.faults.isEmpty, "\(all)")
        for (level, most) in [(MemoryPressure.warning, all.left / 2), (.background, all.left / 4), (.critical, 0)] {
            let (left, faults) = await policy.run(level)
            #expect(
                (max(0, most - 8)...most).contains(left) && faults.isEmpty,
                "\(level): \(left) of \(all.left), \(faults)")
        }
    }

    @Test(arguments: [(MemoryPressure.warning, 500), (.background, 250), (.critical, 0), (.normal, 1_000)])
    func `concurrent-sieve has freed the released entries`(level: MemoryPressure, left: Int) {
        let cache = ConcurrentSIEVECache<Int, TrackedValue>(
            configuration: StrategyConfiguration(entryLimit: 1_000), shardCount: 1)
        let counter = InstanceCounter()
        for key in 0..<1_000 {
            cache.insert(TrackedValue(number: key, byteCount: 1, counter: counter), forKey: key, cost: 1)
        }
        cache.respond(to: level)
        #expect(cache.statistics().entryCount == left && counter.alive == left && cache.checkInvariants().isEmpty)
        for key in 0..<1_000 {
            cache.insert(TrackedValue(number: key, byteCount: 1, counter: counter), forKey: key, cost: 1)
        }
        #expect(cache.statistics().entryCount == 1_000)
    }

    @Test func `lock-dual releases what it can decode again, and under critical pressure everything`() {
        let cache = DualCache<Int, Data>(configuration: StrategyConfiguration())
        for key in 0..<10 { cache.insert(Data(count: 10), forKey: key, cost: 10) }
        cache.respond(to: .warning)
        #expect(cache.statistics().totalCost == 100 && cache.statistics().entryCount == 10)
        #expect(cache.tieredValue(forKey: 3)?.tier == .encoded && cache.tieredValue(forKey: 3)?.tier == .decoded)
        cache.respond(to: .critical)
        #expect(cache.statistics().totalCost == 0 && cache.value(forKey: 3) == nil)
    }

    @Test func `the published designs rely on their NSCache, which receives no memory pressure on Linux`() async {
        let barrier = PublishedBarrierNSCache<Int, Data>(configuration: StrategyConfiguration())
        let dual = PublishedDualCache<Int, Data>(configuration: StrategyConfiguration())
        for level in MemoryPressure.allCases {
            barrier.insert(Data([1]), forKey: 1, cost: 1)
            dual.insert(Data([1]), forKey: 1, cost: 1)
            barrier.respond(to: level)
            dual.respond(to: level)
            #expect(barrier.value(forKey: 1) == Data([1]) && dual.value(forKey: 1) == Data([1]))
        }
    }
}
