package import TrialModel

/// Formats figures of a comparison for people.
package enum ComparisonText {
    /// The figure, its change, and the certainty of the change.
    package static func line(_ row: ComparisonRow) -> String {
        let name =
            row.baselineStrategy == row.strategy ? row.strategy : "\(row.strategy) against \(row.baselineStrategy)"
        let detail = [change(row), interval(row).isEmpty ? "" : "(\(interval(row)))"].filter { !$0.isEmpty }
        return "\(name) in \(row.scenario), \(row.phase): \(row.metric) " + detail.joined(separator: " ")
    }

    /// A side's figure with its unit.
    package static func figure(_ value: Double?, _ row: ComparisonRow) -> String {
        guard let value, value.isFinite else { return "" }
        switch ComparisonMetric(rawValue: row.metric) {
        case .throughput: return Quantity.rate(value)
        case .p50, .p99, .p99_9, .heldP99, .timeToPictureP50, .timeToPictureP99:
            return value >= 0 && value < 1e18 ? Quantity.duration(nanoseconds: UInt64(value.rounded())) : ""
        case .hitRatio, .byteHitRatio, .duplicateLoads, .missedFrames, .overBudgetFrames, .shownAtOnce, .prefetchUseful:
            return DecimalText.fixed(value * 100, places: 2) + "%"
        case .instructions: return DecimalText.fixed(value, places: 1)
        case .bytesGivenBack: return value >= 0 && value < 1e18 ? Quantity.bytes(UInt64(value.rounded())) : ""
        case .operationsToRecovery: return DecimalText.fixed(value, places: 0)
        case .bytesPerEntry: return DecimalText.fixed(value, places: 1) + " B"
        case .allocationsPerOperation, nil: return DecimalText.fixed(value, places: 3)
        }
    }

    /// The candidate's change: `+3.2%`, or points of a ratio.
    package static func change(_ row: ComparisonRow) -> String {
        if let ratio = row.ratio { return percent(ratio) }
        guard let difference = row.difference else { return "" }
        return amount(difference, row)
    }

    /// The ends of the confidence interval.
    package static func interval(_ row: ComparisonRow) -> String {
        if let low = row.ratioLow, let high = row.ratioHigh {
            if low == high { return "exact" }
            return "\(percent(low)) to \(percent(high))"
        }
        guard let low = row.differenceLow, let high = row.differenceHigh else { return "" }
        return low == high ? "exact" : "\(amount(low, row)) to \(amount(high, row))"
    }

    private static func percent(_ ratio: Double) -> String {
        ratio >= 10 ? "×" + DecimalText.fixed(ratio, places: 1) : signed((ratio - 1) * 100, places: 1) + "%"
    }

    private static func amount(_ difference: Double, _ row: ComparisonRow) -> String {
        switch ComparisonMetric(rawValue: row.metric) {
        case .hitRatio, .byteHitRatio, .duplicateLoads, .missedFrames, .overBudgetFrames, .shownAtOnce, .prefetchUseful:
            signed(difference * 100, places: 2) + " points"
        default: signed(difference, places: 3) + (row.unit.isEmpty ? "" : " \(row.unit)")
        }
    }

    private static func signed(_ value: Double, places: Int) -> String {
        let text = DecimalText.fixed(value, places: places)
        return text.hasPrefix("-") ? "−" + text.dropFirst() : "+" + text
    }
}
