import CacheStrategies
import Conformance
import Testing

/// A strategy, with what the conformance kit needs.
struct StrategyCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Runs one check and returns its failures.
    let failures: @Sendable (ConformanceCheck) async -> [ConformanceFailure]

    /// Makes one case for each type of key, because different types are hashed in different ways.
    init<Strategy: CacheStrategy>(_ type: Strategy.Type, _ makeKit: @escaping @Sendable () -> ConformanceKit<Strategy>)
    {
        testDescription = "\(Strategy.declaration.name), \(Strategy.Key.self), \(Strategy.Value.self)"
        failures = { check in await makeKit().failures(of: check) }
    }
}

/// The strategies that the conformance kit tests.
enum AllStrategies {
    static let cases: [StrategyCase] =
        [
            StrategyCase(LRUCache<String, TrackedDocument>.self) {
                ConformanceKit(LRUCache<String, TrackedDocument>.self)
            },
            StrategyCase(LRUCache<Int, TrackedDocument>.self) { ConformanceKit(LRUCache<Int, TrackedDocument>.self) },
            StrategyCase(NoCache<String, TrackedDocument>.self) {
                ConformanceKit(NoCache<String, TrackedDocument>.self)
            },
            StrategyCase(UnboundedCache<String, TrackedDocument>.self) {
                ConformanceKit(UnboundedCache<String, TrackedDocument>.self)
            },
            shared(LRUCache<String, TrackedDocument>.self), shared(S3FIFOCache<String, TrackedDocument>.self),
            shared(DualCache<String, TrackedDocument>.self), shared(BarrierNSCache<String, TrackedDocument>.self),
            shared(ExpiringCache<String, TrackedDocument>.self), shared(DiskCache<String, TrackedDocument>.self),
            shared(NoCache<String, TrackedDocument>.self),
        ] + PolicyCases.all

    /// A strategy with shared loads.
    private static func shared<Base: CacheStrategy<String, TrackedDocument>>(_ type: Base.Type) -> StrategyCase {
        StrategyCase(SharingLoads<Base>.self) { ConformanceKit(SharingLoads<Base>.self) }
    }
}
