import Platform

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

    /// The mean, or the median of a log-normal distribution.
    package var typical: Double {
        switch self {
        case .fixed(let amount): return Double(amount)
        case .uniform(let min, let max): return (Double(min) + Double(max)) / 2
        case .logNormal(let median, _, _): return Double(median)
        case .table(let rows):
            let weight = rows.reduce(0) { $0 + Double($1.weight) }
            return weight > 0 ? rows.reduce(0) { $0 + Double($1.amount) * Double($1.weight) } / weight : 0
        }
    }

    /// Whether every draw gives the same amount.
    package var isConstant: Bool {
        switch self {
        case .fixed: true
        case .uniform(let min, let max): min == max
        case .logNormal(let median, let p99, _): median == p99
        case .table(let rows): Set(rows.map(\.amount)).count <= 1
        }
    }

    /// The same distribution with no amount above `limit`.
    func cut(to limit: UInt64) -> Distribution { mapped { min($0, limit) } }

    /// The same distribution with every amount multiplied by a factor between 0 and 1, and at least 1.
    func scaled(by factor: Double) -> Distribution { mapped { max(UInt64(Double($0) * factor), 1) } }

    private func mapped(_ change: (UInt64) -> UInt64) -> Distribution {
        switch self {
        case .fixed(let amount): .fixed(change(amount))
        case .uniform(let low, let high): .uniform(min: change(low), max: change(high))
        case .logNormal(let median, let p99, let high):
            .logNormal(median: change(median), p99: change(p99), max: change(high))
        case .table(let rows): .table(rows.map { WeightedAmount(amount: change($0.amount), weight: $0.weight) })
        }
    }
}

/// A row of a ``Distribution/table(_:)``.
package struct WeightedAmount: HasDefaults, Codable, Hashable, Sendable {
    /// The amount, in the unit of the distribution.
    package var amount: UInt64 = 0
    /// How often the amount is drawn, relative to the other rows.
    package var weight = 1.0

    package static var defaults: Self { Self() }
}

/// Draws amounts from a ``Distribution``. The same random source gives the same amounts on every platform that
/// rounds `exp` and `log` alike.
package struct DistributionSampler: Sendable {
    private let distribution: Distribution
    /// Running totals of a table's weights; the last one is the sum.
    private let cumulativeWeights: [Double]
    /// The standard deviation of a log-normal amount's logarithm.
    private let sigma: Double

    /// Creates a sampler of a distribution; O(*n*) for a table of *n* rows.
    ///
    /// A distribution whose parameters contradict each other gives amounts between them and never traps.
    package init(_ distribution: Distribution) {
        self.distribution = distribution
        if case .logNormal(let median, let p99, _) = distribution {
            sigma = Self.sigma(median: median, p99: p99)
        } else {
            sigma = 0
        }
        if case .table(let rows) = distribution {
            var total = 0.0
            cumulativeWeights = rows.map { row in
                total += row.weight
                return total
            }
        } else {
            cumulativeWeights = []
        }
    }

    /// The next amount, in the unit of the distribution. O(1); O(log *n*) for a table of *n* rows.
    package func next(using random: inout RandomSource) -> UInt64 {
        switch distribution {
        case .fixed(let amount):
            return amount
        case .uniform(let low, let high):
            let start = min(low, high)
            let (span, overflows) = (high - start).addingReportingOverflow(1)
            return overflows ? random.next() : start + random.next(below: span)
        case .logNormal(let median, _, let high):
            let amount = Double(median) * exp(sigma * Self.normal(using: &random))
            return amount < Double(high) ? UInt64(amount.rounded()) : high
        case .table(let rows):
            guard let total = cumulativeWeights.last else { return 0 }
            let point = random.nextFraction() * total
            return rows[cumulativeWeights.dropLast().partitioningIndex { $0 > point }].amount
        }
    }

    /// The standard deviation of the logarithm, from the median and the 99th percentile.
    private static func sigma(median: UInt64, p99: UInt64) -> Double {
        guard median > 0, p99 > median else { return 0 }
        let standardScoreOfP99 = 2.326_347_874_040_841
        return log(Double(p99) / Double(median)) / standardScoreOfP99
    }

    /// A standard normal number, by Box and Muller (1958).
    private static func normal(using random: inout RandomSource) -> Double {
        let radius = (-2 * log(1 - random.nextFraction())).squareRoot()
        return radius * cos(2 * .pi * random.nextFraction())
    }
}
