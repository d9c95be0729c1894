import TrialModel

/// A median with the lowest and the highest figure.
package struct Spread: Hashable, Sendable {
    package var low: Double
    package var median: Double
    package var high: Double

    package init(low: Double, median: Double, high: Double) {
        self.low = low
        self.median = median
        self.high = high
    }

    /// `nil` without any finite figures; NaN and infinity are ignored.
    package init?(_ figures: [Double]) {
        let finite = figures.filter(\.isFinite)
        guard let low = finite.min(), let median = finite.median, let high = finite.max() else { return nil }
        self.init(low: low, median: median, high: high)
    }
}
