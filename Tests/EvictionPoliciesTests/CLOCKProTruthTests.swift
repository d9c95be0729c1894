import Testing

@testable import EvictionPolicies

/// Miss counts of another implementation of CLOCK-Pro: `ClockProPolicy` of Caffeine's simulator, commit ccef955, with its
/// own settings, on the traces of ``SyntheticTrace``.
struct CLOCKProTruthTests {
    private static let sizes = [10, 57, 200, 1000]

    private func misses(_ trace: SyntheticTrace) -> [Int] {
        switch trace {
        case .skewed: [17_711, 15_606, 13_344, 7902]
        case .loop: [19_472, 16_370, 6932, 300]
        case .scan: [18_041, 16_196, 14_160, 9514]
        case .shifting: [17_190, 14_844, 12_548, 7269]
        case .mixed: [18_195, 16_389, 14_322, 8408]
        }
    }

    @Test(arguments: SyntheticTrace.allCases) func `CLOCK-Pro misses as often as in Caffeine's simulator`(
        _ trace: SyntheticTrace
    ) {
        let objects = trace.objects
        let settings = PolicySettings(choosing: (CLOCKProPolicy.ghostShare, 2))
        let found = Self.sizes.map { size in
            var policy = CLOCKProPolicy(capacity: .entries(size), settings: settings)
            return objects.count { !policy.request($0, weight: 1) }
        }
        #expect(found == misses(trace))
    }
}
