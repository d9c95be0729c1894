import CacheStrategies
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BoundsTests {
    private let tight = StrategyConfiguration(entryLimit: 1, costLimit: 1)

    @Test func `the unbounded cache ignores both limits`() {
        let cache = UnboundedCache<Int, Data>(configuration: tight)
        for key in 0..<100 { cache.insert(Data([1]), forKey: key, cost: 10) }
        #expect((0..<100).allSatisfy { cache.value(forKey: $0) != nil })
        #expect(cache.statistics() == CacheStatistics(entryCount: 100, totalCost: 1000, evictions: 0))
    }

    @Test func `the unbounded cache's total cost saturates at the largest integer`() {
        let cache = UnboundedCache<Int, Data>(configuration: tight)
        for key in 0..<3 { cache.insert(Data(), forKey: key, cost: .max) }
        #expect(cache.statistics().totalCost == .max)
    }
}
