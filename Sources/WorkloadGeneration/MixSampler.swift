public import TrialModel

/// Draws kinds of operations in proportion to the weights of a mix.
@usableFromInline
struct MixSampler: Sendable {
    /// A kind, and the running total of the weights up to and including its own.
    @usableFromInline
    struct Row: Sendable {
        @usableFromInline let kind: OperationKind
        @usableFromInline let cumulativeWeight: Double

        init(kind: OperationKind, cumulativeWeight: Double) {
            self.kind = kind
            self.cumulativeWeight = cumulativeWeight
        }
    }

    /// The kinds with a weight, in order of declaration, so that the result never depends on a dictionary's order.
    @usableFromInline let rows: [Row]
    @usableFromInline let totalWeight: Double
    /// The kind that is drawn when there is no other, or when rounding selects none.
    @usableFromInline let lastKind: OperationKind

    init(_ mix: OperationMix) {
        var total = 0.0
        var rows: [Row] = []
        for kind in OperationKind.allCases {
            let weight = mix[kind]
            guard weight > 0, weight.isFinite else { continue }
            total += weight
            rows.append(Row(kind: kind, cumulativeWeight: total))
        }
        self.rows = rows
        totalWeight = total
        lastKind = rows.last?.kind ?? .read
    }

    /// The next kind. Draws no random number for a single kind. O(kinds), with at most seven kinds.
    @inlinable
    @inline(__always)
    func next(using random: inout RandomSource) -> OperationKind {
        guard rows.count > 1 else { return lastKind }
        let point = random.nextFraction() * totalWeight
        for row in rows where point < row.cumulativeWeight {
            return row.kind
        }
        return lastKind
    }
}
