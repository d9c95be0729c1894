/// A median with the lowest and the highest figure.
struct Spread: Hashable, Sendable {
    var low: Double
    var median: Double
    var high: Double
}

/// Medians, which are always one of the figures.
enum Middle {
    /// Of two figures in the middle the higher one, or the lower one where a low figure is the worse; `nil` without
    /// any.
    static func spread(_ figures: [Double], lowIsWorse: Bool = false) -> Spread? {
        let sorted = figures.filter(\.isFinite).sorted()
        guard let low = sorted.first, let high = sorted.last else { return nil }
        let middle = lowIsWorse ? (sorted.count - 1) / 2 : sorted.count / 2
        return Spread(low: low, median: sorted[middle], high: high)
    }
}
