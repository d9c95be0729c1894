package import TrialModel

/// A figure whose curve a sweep shows.
package enum SweepFigure: Hashable, Sendable {
    /// Operations per second of the phase that the times are of.
    case throughput
    /// The 99th percentile of that phase, in nanoseconds.
    case p99
    /// Hits per lookup.
    case hitRatio
    /// Requests that reached the origin per lookup.
    case originShare
    /// Instructions per operation of a phase; figures of two methods are never compared.
    case instructions(phase: String, InstructionCounts.Method)

    /// The name in titles and sentences.
    package var title: String {
        switch self {
        case .throughput: "throughput"
        case .p99: "p99"
        case .hitRatio: "hit ratio"
        case .originShare: "requests to the origin"
        case .instructions(let phase, let method):
            "instructions, \(phase)" + (method == .callgrind ? "" : " (\(method.rawValue))")
        }
    }

    /// Whether a larger figure is the better one.
    package var higherIsBetter: Bool { self == .throughput || self == .hitRatio }

    /// Whether a single client with a fixed number of operations always gets the same figure.
    var isCount: Bool { self == .hitRatio || self == .originShare }

    /// Whether two figures differ by at least the smallest difference that `compare` reports.
    func differs(_ first: Double, _ second: Double) -> Bool {
        let metric: ComparisonMetric =
            switch self {
            case .throughput: .throughput
            case .p99: .p99
            case .hitRatio, .originShare: .hitRatio
            case .instructions: .instructions
            }
        let smallest = metric.smallestDifference
        return abs(first - second) >= max(min(first, second) * (smallest.share ?? 0), smallest.amount)
    }

    /// The figure as text for people.
    package func text(_ value: Double) -> String {
        switch self {
        case .throughput: Quantity.rate(value)
        case .p99: Quantity.duration(nanoseconds: UInt64(max(0, min(value, 1e18))))
        case .hitRatio, .originShare: Quantity.percent(value)
        case .instructions: DecimalText.fixed(value, places: 1)
        }
    }

    /// The figure as a table cell.
    func cell(_ value: Double, isAtLeast: Bool = false) -> TableCell {
        let text = (isAtLeast ? "≥ " : "") + text(value)
        switch self {
        case .throughput, .instructions: return TableCell(text, value: .number(value, places: 3))
        case .p99: return TableCell(text, value: .integer(UInt64(max(0, min(value, 1e18)))))
        case .hitRatio, .originShare: return TableCell(text, value: .number(value, places: 6))
        }
    }
}
