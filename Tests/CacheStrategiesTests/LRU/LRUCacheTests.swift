import CacheStrategies
import Conformance
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LRUCacheTests {
    @Test func `the least recently used entry is evicted first`() {
        let cache = LRUCache<String, Int>(entryLimit: 2)
        cache.insert(1, forKey: "a")
        cache.insert(2, forKey: "b")
        #expect(cache.value(forKey: "a") == 1)
        cache.insert(3, forKey: "c")
        #expect(cache.keysByRecency() == ["c", "a"])
    }

    @Test func `looking up an absent key changes no order`() {
        let cache = LRUCache<String, Int>(entryLimit: 2)
        cache.insert(1, forKey: "a")
        cache.insert(2, forKey: "b")
        #expect(cache.value(forKey: "c") == nil)
        #expect(cache.keysByRecency() == ["b", "a"])
    }

    @Test func `a value over the cost limit is not inserted and removes the older one`() {
        let cache = LRUCache<String, Int>(costLimit: 10)
        cache.insert(1, forKey: "a", cost: 4)
        cache.insert(2, forKey: "b", cost: 4)
        cache.insert(3, forKey: "a", cost: 11)
        #expect(cache.keysByRecency() == ["b"])
        #expect(cache.statistics() == CacheStatistics(entryCount: 1, totalCost: 4, evictions: 0, loadsInFlight: 0))
    }

    @Test func `replacing a value by a more expensive one evicts others but never itself`() {
        let cache = LRUCache<String, Int>(costLimit: 10)
        for key in ["a", "b", "c"] { cache.insert(0, forKey: key, cost: 3) }
        cache.insert(1, forKey: "a", cost: 10)
        #expect(cache.keysByRecency() == ["a"])
        #expect(cache.statistics() == CacheStatistics(entryCount: 1, totalCost: 10, evictions: 2, loadsInFlight: 0))
    }

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

    @Test func `canonically equivalent strings are one key`() {
        let cache = LRUCache<String, Int>(entryLimit: 10)
        cache.insert(1, forKey: "caf\u{E9}")
        #expect(cache.value(forKey: "cafe\u{301}") == 1)
    }

    @Test func `integers of every width are found`() {
        func check<Key: FixedWidthInteger & Sendable>(_: Key.Type) {
            let cache = LRUCache<Key, Key>()
            let keys: [Key] = [.min, .max, 0, 1, 2]
            for key in keys { cache.insert(key, forKey: key) }
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

    @Test func `a value whose deinitializer uses the cache does not deadlock it`() {
        let cache = LRUCache<Int, Reentrant>(entryLimit: 4, costLimit: 8)
        for key in 0..<32 { cache.insert(Reentrant(cache), forKey: key, cost: 1) }
        cache.insert(Reentrant(cache), forKey: 31, cost: 1)
        cache.insert(Reentrant(cache), forKey: 0, cost: 8)
        cache.removeValue(forKey: 0)
        cache.insert(Reentrant(cache), forKey: 1, cost: 1)
        cache.removeAll()
        #expect(cache.statistics().entryCount == 0)
    }

    @Test func `every value that leaves the cache is released`() {
        let counter = InstanceCounter()
        do {
            let cache = LRUCache<Int, InstanceCounter.Member>(entryLimit: 10, costLimit: 30)
            for key in 0..<100 { cache.insert(counter.member(), forKey: key % 17, cost: key % 7) }
            cache.removeValue(forKey: 99 % 17)
            #expect(counter.alive == cache.statistics().entryCount)
        }
        #expect(counter.alive == 0)
    }

    @Test func `the eviction count survives removing all`() {
        let cache = LRUCache<Int, Int>(entryLimit: 1)
        for key in 0..<3 { cache.insert(key, forKey: key) }
        cache.removeAll()
        #expect(cache.statistics() == CacheStatistics(entryCount: 0, totalCost: 0, evictions: 2, loadsInFlight: 0))
    }

    @Test func `a load overtaken by a write inserts nothing`() async throws {
        let cache = LRUCache<Int, Number>(entryLimit: 3)
        let loaded = try cache.loadBlocking(1) {
            cache.insert(Number(2), forKey: 1, cost: 1)
            return Data("1".utf8)
        }
        #expect(loaded.value == Number(1))
        #expect(cache.value(forKey: 1) == Number(2))
        _ = try await cache.load(5) {
            cache.removeAll()
            return Data("1".utf8)
        }
        #expect(cache.value(forKey: 5) == nil)
        #expect(cache.statistics().loadsInFlight == 0)
    }

    @Test func `the cache is intact after calls from many threads`() async {
        let cache = LRUCache<Int, Int>(entryLimit: 50, costLimit: 120)
        await withTaskGroup(of: Void.self) { group in
            for caller in 0..<8 {
                group.addTask {
                    for number in 0..<2000 {
                        let key = (number &* 31 &+ caller) % 97
                        switch number % 16 {
                        case 0: cache.removeValue(forKey: key)
                        case 1..<8: cache.insert(key, forKey: key, cost: key % 5)
                        default: if let value = cache.value(forKey: key) { #expect(value == key) }
                        }
                    }
                    cache.removeAll()
                }
            }
        }
        #expect(cache.checkInvariants() == [])
    }
}

/// A value whose deinitializer calls the cache that held it.
private final class Reentrant: Sendable {
    private let cache: WeakCache

    init(_ cache: LRUCache<Int, Reentrant>) { self.cache = WeakCache(cache) }

    deinit { _ = cache.value?.value(forKey: 1) }

    private final class WeakCache: Sendable {
        weak let value: LRUCache<Int, Reentrant>?
        init(_ value: LRUCache<Int, Reentrant>) { self.value = value }
    }
}
