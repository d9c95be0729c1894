import Conformance
import Foundation
import TestTiers
import Testing

@testable import CacheStrategies
@testable import PersistentStrategies

/// Random operations on the cache and on a plain model: an array in the order of expiry, and of writing where
/// expiries are equal.
@Suite(.timeLimit(.minutes(1)))
struct ExpiringCacheModelTests {
    private struct Entry {
        let key: Int
        let value: Perishable
        let cost: Int
        let expiry: Duration
    }

    /// A linear congruential generator: the same seed gives the same numbers on every platform.
    private struct Numbers {
        var state: UInt64

        mutating func next(below bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
    }

    @Test(arguments: TestTier.seeds(20)) func `random operations agree with a plain model`(seed: UInt64) throws {
        let time = ManualClock()
        let (entryLimit, costLimit) = (8, 60)
        let cache = ExpiringCache<Int, Perishable>(
            configuration: StrategyConfiguration(
                entryLimit: entryLimit, costLimit: costLimit, timeToLive: .seconds(20), clock: time.cacheClock))
        var model: [Entry] = []
        var numbers = Numbers(state: seed)
        for step in 0..<1000 {
            let key = numbers.next(below: 16)
            let now = time.now
            switch numbers.next(below: 20) {
            case 0..<10:
                let cost = numbers.next(below: 30)
                // Most entries have the cache's lifetime, the others 0 to 39 seconds.
                let lifetime = numbers.next(below: 3) == 0 ? Duration.seconds(numbers.next(below: 40)) : nil
                let value = Perishable(name: step, lifetime: lifetime)
                cache.insert(value, forKey: key, cost: cost)
                model.removeAll { $0.key == key }
                while model.count >= entryLimit || model.reduce(cost, { $0 + $1.cost }) > costLimit {
                    model.removeFirst()
                }
                let expiry = now + (lifetime ?? .seconds(20))
                let place = model.firstIndex { expiry < $0.expiry } ?? model.endIndex
                model.insert(Entry(key: key, value: value, cost: cost, expiry: expiry), at: place)
            case 10..<13:
                cache.removeValue(forKey: key)
                model.removeAll { $0.key == key }
            case 13 where numbers.next(below: 20) == 0:
                cache.removeAll()
                model.removeAll()
            case 13..<16:
                time.advance(by: .seconds(numbers.next(below: 8)))
            default:
                let expected = model.first { $0.key == key && now < $0.expiry }?.value
                #expect(cache.value(forKey: key) == expected)
                model.removeAll { $0.key == key && $0.expiry <= now }
            }
            try cache.checkInvariants()
            let later = time.now
            #expect(cache.keys == model.filter { later < $0.expiry }.map(\.key), "seed \(seed), step \(step)")
        }
    }
}
