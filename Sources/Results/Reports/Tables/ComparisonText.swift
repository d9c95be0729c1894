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
        figure(value, Metric(rawValue: row.metric))
    }

    /// A side's figure, with its value for programs.
    package static func cell(_ value: Double?, _ row: ComparisonRow) -> TableCell {
        .number(value, places: 6) { figure($0, row) }
    }

    /// A strategy with its role, where it has one.
    package static func marked(_ strategy: String, _ marks: [String: String]) -> String {
        strategy + (marks[strategy].map { " (\($0))" } ?? "")
    }

    /// A figure with its unit; ratios have one decimal more than in other tables, where small differences mean less.
    package static func figure(_ value: Double?, _ metric: Metric?) -> String {
        guard let value, value.isFinite else { return "" }
        guard let metric else { return DecimalText.fixed(value, places: 3) }
        return metric.format == .share ? DecimalText.fixed(value * 100, places: 2) + "%" : metric.text(value)
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
        Metric(rawValue: row.metric)?.format == .share
            ? signed(difference * 100, places: 2) + " pp"
            : signed(difference, places: 3) + (row.unit.isEmpty ? "" : " \(row.unit)")
    }

    private static func signed(_ value: Double, places: Int) -> String {
        let text = DecimalText.fixed(value, places: places)
        return text.hasPrefix("-") ? "−" + text.dropFirst() : "+" + text
    }
}
