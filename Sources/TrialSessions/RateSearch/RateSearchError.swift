import TrialModel

/// Why a scenario can't be searched for its highest rate, and what to do.
package struct RateSearchError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ scenario: Scenario, _ problem: String) {
        description = "\(scenario.point): \(problem)"
    }
}
