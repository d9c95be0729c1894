import Foundation
import Testing

@testable import CacheStrategies

@Suite(.timeLimit(.minutes(1)))
struct BoundedNSCacheTests {
    private func held(_ cache: BoundedNSCache<Int, Int>, _ keys: Range<Int>) -> [Int] {
        keys.filter { cache.value(forKey: WrappedKey($0)) != nil }
    }

    @Test func `a limit of 0 bytes holds only entries without cost`() {
        let cache = BoundedNSCache<Int, Int>(entryLimit: nil, costLimit: 0)
        cache.insert(1, forKey: WrappedKey(1), cost: 1)
        cache.insert(2, forKey: WrappedKey(2), cost: 0)
        #expect(held(cache, 0..<3) == [2])
    }

    @Test func `negative limits and costs count as 0`() {
        let cache = BoundedNSCache<Int, Int>(entryLimit: -1, costLimit: .min)
        #expect(cache.insert(1, forKey: WrappedKey(1), cost: 0) == nil)
        let other = BoundedNSCache<Int, Int>(entryLimit: nil, costLimit: 1)
        #expect(other.insert(1, forKey: WrappedKey(1), cost: .min) != nil)
        #expect(other.statistics.totalCost == 0)
    }

    @Test(arguments: [nil, Int.max]) func `huge costs don't overflow`(limit: Int?) {
        let cache = BoundedNSCache<Int, Int>(entryLimit: nil, costLimit: limit)
        for key in 0..<4 { cache.insert(key, forKey: WrappedKey(key), cost: .max) }
        for key in 4..<8 { cache.insert(key, forKey: WrappedKey(key), cost: .max / 2) }
        for key in 8..<12 { cache.insert(key, forKey: WrappedKey(key), cost: 1) }
        #expect((limit == nil) == (held(cache, 0..<4) == [0, 1, 2, 3]))
    }

    @Test func `a value over the limit is refused and the others stay`() {
        let cache = BoundedNSCache<Int, Int>(entryLimit: nil, costLimit: 100)
        for key in 0..<3 { cache.insert(key, forKey: WrappedKey(key), cost: 30) }
        #expect(cache.insert(3, forKey: WrappedKey(3), cost: 101) == nil)
        #expect(held(cache, 0..<4) == [0, 1, 2])
    }

    #if !canImport(Darwin)
        @Test func `a full cache refuses new entries and reports it`() {
            let cache = BoundedNSCache<Int, Int>(entryLimit: 3, costLimit: nil)
            let taken = (0..<6).filter { cache.insert($0, forKey: WrappedKey($0), cost: $0) != nil }
            #expect(taken == [0, 1, 2])
            #expect(held(cache, 0..<6) == taken)
        }

        @Test func `statistics count entries, cost and evictions`() {
            let cache = BoundedNSCache<Int, Int>(entryLimit: 3, costLimit: nil)
            for key in 0..<5 { cache.insert(key, forKey: WrappedKey(key), cost: 10) }
            cache.insert(7, forKey: WrappedKey(1), cost: 20)
            cache.removeValue(forKey: WrappedKey(2))
            #expect(cache.statistics == CacheStatistics(entryCount: 2, totalCost: 30, evictions: 2))
        }

        @Test func `more expensive entries evict cheaper ones`() {
            let cache = BoundedNSCache<Int, Int>(entryLimit: nil, costLimit: 10)
            for key in 1..<6 { cache.insert(key, forKey: WrappedKey(key), cost: key) }
            #expect(held(cache, 1..<6) == [5, 4].sorted())
            #expect(cache.statistics == CacheStatistics(entryCount: 2, totalCost: 9, evictions: 3))
        }
    #endif

    @Test func `canonically equivalent strings are one key`() {
        let cache = BoundedNSCache<String, Int>(entryLimit: nil, costLimit: nil)
        cache.insert(1, forKey: WrappedKey("caf\u{e9}"), cost: 0)
        #expect(cache.value(forKey: WrappedKey("cafe\u{301}")) == 1)
    }
}
