import CacheStrategies
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LRUCacheTests {
    @Test func `costs that would overflow evict instead of trapping`() {
        let cache = LRUCache<Int, Int>()
        cache.insert(1, forKey: 1, cost: .max)
        cache.insert(2, forKey: 2, cost: .max)
        cache.insert(3, forKey: 3, cost: 0)
        cache.insert(4, forKey: 4, cost: .min)
        #expect(cache.keysByRecency() == [4, 3, 2])
        #expect(cache.statistics().totalCost == .max)
        #expect(cache.checkInvariants() == [])
    }

    @Test func `negative limits count as zero`() {
        let cache = LRUCache<Int, Int>(entryLimit: -1, costLimit: .min)
        cache.insert(1, forKey: 1, cost: 0)
        #expect(cache.value(forKey: 1) == nil)
        #expect(cache.checkInvariants() == [])
    }

    @Test func `a cache without limits grows and keeps everything`() {
        let cache = LRUCache<Int, Int>()
        for key in 0..<5000 { cache.insert(key, forKey: key &* 64, cost: 1) }
        #expect((0..<5000).allSatisfy { cache.value(forKey: $0 &* 64) == $0 })
        #expect(cache.checkInvariants() == [])
    }

    @Test func `a value that has a cost counts by it where the caller gives none`() {
        let cache = LRUCache<Int, Data>(costLimit: 100)
        for key in 0..<10 { cache.insert(Data(count: 40), forKey: key) }
        #expect(cache.statistics().entryCount == 2)
        #expect(cache.statistics().totalCost == 80)
    }

    @Test func `canonically equivalent strings are one key`() {
        let cache = LRUCache<String, Int>(entryLimit: 10)
        cache.insert(1, forKey: "caf\u{E9}", cost: 1)
        #expect(cache.value(forKey: "cafe\u{301}") == 1)
    }

    @Test func `integers of every width are found`() {
        func check<Key: FixedWidthInteger & Sendable>(_: Key.Type) {
            let cache = LRUCache<Key, Key>()
            let keys: [Key] = [.min, .max, 0, 1, 2]
            for key in keys { cache.insert(key, forKey: key, cost: 1) }
            for key in keys { #expect(cache.value(forKey: key) == key) }
            #expect(cache.checkInvariants() == [])
        }
        check(Int.self)
        check(UInt.self)
        check(Int64.self)
        check(UInt64.self)
        check(Int32.self)
        check(UInt32.self)
        check(Int16.self)
        check(UInt8.self)
    }
}
