import Testing

@testable import EvictionPolicies

/// Miss counts of Caffeine's simulator, commit ccef955, on the traces of ``SyntheticTrace``: of its `ClockProPolicy` with
/// its own settings, and of its `CarPolicy` with a target that is a real number, as in the paper.
struct CaffeineTruthTests {
    private static let sizes = [10, 57, 200, 1000]

    @Test(arguments: SyntheticTrace.allCases) func `CLOCK-Pro misses as often as in Caffeine's simulator`(
        _ trace: SyntheticTrace
    ) {
        let expected =
            switch trace {
            case .skewed: [17_711, 15_606, 13_344, 7902]
            case .loop: [19_472, 16_370, 6932, 300]
            case .scan: [18_041, 16_196, 14_160, 9514]
            case .shifting: [17_190, 14_844, 12_548, 7269]
            case .mixed: [18_195, 16_389, 14_322, 8408]
            }
        let settings = PolicySettings(choosing: (CLOCKProPolicy.ghostShare, 2))
        #expect(misses(trace) { CLOCKProPolicy(capacity: $0, settings: settings) } == expected)
    }

    @Test(arguments: SyntheticTrace.allCases) func `CAR misses as often as in Caffeine's simulator`(
        _ trace: SyntheticTrace
    ) {
        let expected =
            switch trace {
            case .skewed: [17_485, 15_499, 13_151, 8135]
            case .loop: [20_000, 20_000, 20_000, 300]
            case .scan: [17_856, 16_085, 14_089, 9592]
            case .shifting: [17_057, 15_027, 12_640, 6131]
            case .mixed: [18_026, 16_287, 14_365, 8584]
            }
        #expect(misses(trace) { CARPolicy(capacity: $0) } == expected)
    }

    private func misses<Policy: TablePolicy & ~Copyable>(
        _ trace: SyntheticTrace, _ make: (PolicyCapacity) -> Policy
    ) -> [Int] {
        let objects = trace.objects
        return Self.sizes.map { size in
            var policy = make(.entries(size))
            return objects.count { !policy.request($0, weight: 1) }
        }
    }
}
