/// The median of repetitions, rounds, slices and trials: the middle figure in ascending order. For an even count it is
/// the mean of the two middle figures.
extension Sequence where Element: Comparable {
    fileprivate var middle: (low: Element, high: Element)? {
        let sorted = sorted()
        return sorted.isEmpty ? nil : (sorted[(sorted.count - 1) / 2], sorted[sorted.count / 2])
    }
}

extension Sequence<Double> {
    /// `nil` when there are no figures; O(n log n).
    package var median: Double? { middle.map { $0.low == $0.high ? $0.low : ($0.low + $0.high) / 2 } }
}

extension Sequence<UInt64> {
    /// Rounded down; `nil` when there are no figures; O(n log n).
    package var median: UInt64? { middle.map { $0.low + ($0.high - $0.low) / 2 } }
}

extension Array {
    /// The figures that are known; empty unless they are more than half. What most repetitions never reached has no median:
    /// that of the others would make it look good.
    package func mostly<Figure>() -> [Figure] where Element == Figure? {
        let known = compactMap(\.self)
        return known.count > count / 2 ? known : []
    }

    /// All figures; empty when one of them is missing.
    package func complete<Figure>() -> [Figure] where Element == Figure? {
        let known = compactMap(\.self)
        return known.count == count ? known : []
    }
}
