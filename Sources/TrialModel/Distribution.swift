/// The distribution of an amount: bytes for sizes, nanoseconds for times.
package enum Distribution: Codable, Hashable, Sendable {
    /// Always the same amount.
    case fixed(UInt64)
    /// Every amount from `min` to `max`, both included, is equally likely.
    case uniform(min: UInt64, max: UInt64)
    /// Log-normal by its median and 99th percentile, cut off at `max`.
    case logNormal(median: UInt64, p99: UInt64, max: UInt64)
    /// One of the listed amounts, in proportion to its weight.
    case table([WeightedAmount])

    /// The largest amount that can be drawn.
    package var largest: UInt64 {
        switch self {
        case .fixed(let amount): amount
        case .uniform(_, let max): max
        case .logNormal(_, _, let max): max
        case .table(let rows): rows.map(\.amount).max() ?? 0
        }
    }
}

extension Distribution {
    /// Whether every draw gives the same amount.
    package var isConstant: Bool {
        switch self {
        case .fixed: true
        case .uniform(let min, let max): min == max
        case .logNormal(let median, let p99, _): median == p99
        case .table(let rows): Set(rows.map(\.amount)).count <= 1
        }
    }
}

/// A row of a ``Distribution/table(_:)``.
package struct WeightedAmount: Codable, Hashable, Sendable {
    /// The amount, in the unit of the distribution.
    package var amount: UInt64
    /// How often the amount is drawn, relative to the other rows.
    package var weight: Double

    package init(amount: UInt64, weight: Double) {
        self.amount = amount
        self.weight = weight
    }
}
