import CacheStrategies
import Foundation
import TestTiers
import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct RWLockLRUCacheTests {
    @Test(arguments: TestTier.seeds(3))
    func `random operations give the order of lru`(seed: UInt64) throws {
        for (entries, cost) in [(nil, nil), (0, nil), (1, nil), (17, nil), (nil, 40), (10, 40)] as [(Int?, Int?)] {
            let cache = LRUBehind<ReadWriteLock, Int, Number>(
                configuration: StrategyConfiguration(entryLimit: entries, costLimit: cost))
            let lru = LRUCache<Int, Number>(entryLimit: entries, costLimit: cost)
            var random = RandomSource(seed: seed)
            for number in 0..<1500 {
                let key = Int(random.next(below: 40))
                switch random.next(below: 100) {
                case 0..<40: try #require(cache.value(forKey: key) == lru.value(forKey: key))
                case 40..<85:
                    let cost = [0, 1, 2, 3, 5, 8, -4, 59][Int(random.next(below: 8))]
                    cache.insert(Number(number), forKey: key, cost: cost)
                    lru.insert(Number(number), forKey: key, cost: cost)
                case 85..<99:
                    cache.removeValue(forKey: key)
                    lru.removeValue(forKey: key)
                default:
                    cache.removeAll()
                    lru.removeAll()
                }
                try #require(cache.keysByRecency() == lru.keysByRecency(), "seed \(seed), operation \(number)")
                try #require(cache.checkInvariants() == [], "seed \(seed), operation \(number)")
            }
            #expect(cache.statistics().evictions == lru.statistics().evictions)
        }
    }

    @Test func `a load overtaken by a write inserts nothing`() throws {
        let cache = LRUBehind<ReadWriteLock, Int, Number>(configuration: StrategyConfiguration(entryLimit: 3))
        _ = try cache.loadBlocking(1) {
            cache.insert(Number(2), forKey: 1, cost: 1)
            return Data("1".utf8)
        }
        #expect(cache.value(forKey: 1) == Number(2))
        #expect(cache.statistics().loadsInFlight == 0)
    }
}
