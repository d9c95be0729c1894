import TrialModel

/// A median with the lowest and the highest figure.
struct Spread: Hashable, Sendable {
    var low: Double
    var median: Double
    var high: Double
}

extension Spread {
    /// `nil` without any figures; those that are not finite don't count.
    init?(_ figures: [Double]) {
        let finite = figures.filter(\.isFinite)
        guard let low = finite.min(), let median = finite.median, let high = finite.max() else { return nil }
        self.init(low: low, median: median, high: high)
    }
}
