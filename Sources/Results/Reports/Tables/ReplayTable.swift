package import TrialModel

/// What hits are counted by.
package enum ReplayRatio: String, Sendable, CaseIterable {
    case hits, bytes, cost

    /// The ratio of a row, from 0 to 1.
    fileprivate func value(_ row: ReplayRow) -> Double? {
        switch self {
        case .hits: row.hitRatio
        case .bytes: row.byteHitRatio
        case .cost: row.costSaved
        }
    }

    fileprivate var title: String {
        switch self {
        case .hits: "Hit ratio"
        case .bytes: "Byte hit ratio"
        case .cost: "Cost saved"
        }
    }

    fileprivate var missTitle: String {
        switch self {
        case .hits: "Miss ratio"
        case .bytes: "Byte miss ratio"
        case .cost: "Cost of misses / cost of all requests"
        }
    }
}

/// The results of policies on one trace, with a row for each policy and a column for each size.
package enum ReplayTable {
    /// The name of the optimum, which all other policies are compared with.
    private static let optimum = "optimal"

    /// Whether a policy is a bound, which is no candidate.
    private static func isBound(_ policy: String) -> Bool { policy == optimum || policy.hasPrefix("pfoo") }

    /// The table for people.
    ///
    /// - Parameters:
    ///   - rows: all rows of one trace.
    ///   - caption: the known facts about the trace.
    ///   - notes: what could not be replayed.
    package static func table(
        _ rows: [ReplayRow], by ratio: ReplayRatio = .hits, trace: String, caption: String, notes: [String]
    ) -> Table {
        let policies = rows.map(\.policy).distinct
        let hasShare = ratio == .hits && policies.contains(optimum)
        let explanation = hasShare ? "Hit ratio, and its share of the optimum's." : "\(ratio.title)."
        let candidates = policies.count { !isBound($0) }
        let legend =
            RankVerdict.legend + (rows.contains { $0.hitRatioError != nil } ? "; ± 95 % interval of a sample" : "")
        return Table(
            title: trace, caption: "\(caption) \(explanation)", of: policies,
            [TableColumn("policy") { .text($0) }]
                + rows.map(\.capacity).distinct.map { size in
                    TableColumn(label(size), .right) { cell($0, size, rows, ratio) }
                },
            notes: (candidates > 1 ? [legend] : []) + notes)
    }

    /// How a policy compares with the best one of a size; `nil` for the optimum, and where only one policy was replayed. A
    /// replay repeats exactly, so figures are equal or not; those of a sample can't be told apart within two errors.
    private static func verdict(
        _ policy: String, _ size: Capacity, _ rows: [ReplayRow], _ ratio: ReplayRatio
    ) -> RankVerdict? {
        let candidates = rows.filter { $0.capacity == size && !isBound($0.policy) && ratio.value($0) != nil }
        guard candidates.count > 1, let own = candidates.first(where: { $0.policy == policy }),
            let best = candidates.max(by: { (ratio.value($0) ?? 0) < (ratio.value($1) ?? 0) }),
            let figure = ratio.value(own), let highest = ratio.value(best)
        else { return nil }
        if own.policy == best.policy { return .best }
        let errors = ratio == .hits ? [own, best].compactMap(\.hitRatioError) : []
        let error = errors.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return highest - figure <= 2 * error ? .tied : .worse
    }

    /// Miss ratios, a row for each size and a column for each policy.
    package static func curve(
        _ rows: [ReplayRow], by ratio: ReplayRatio = .hits, trace: String, caption: String, notes: [String]
    ) -> Table {
        Table(
            title: trace, caption: "\(caption) \(ratio.missTitle) by size.", of: rows.map(\.capacity).distinct,
            [TableColumn("size", .right) { .text(label($0)) }]
                + rows.map(\.policy).distinct.map { policy in
                    TableColumn(policy, .right) { size in
                        let row = rows.first { $0.policy == policy && $0.capacity == size }
                        let error = ratio == .hits ? row?.hitRatioError.map { " ± \(percent(2 * $0))" } ?? "" : ""
                        return .text(row.flatMap(ratio.value).map { "\(percent(1 - $0)) %\(error)" })
                    }
                },
            notes: notes)
    }

    /// The figures for programs: a row for each policy and size.
    package static func tidy(_ rows: [ReplayRow]) -> Table {
        Table(of: rows, TableColumn.ofFile + [TableColumn("share_of_optimum") { share(of: $0, in: rows) }])
    }

    /// The ratios for programs that keep figures.
    package static func figures(_ rows: [ReplayRow]) -> [PublishedFigure] {
        rows.flatMap { row in
            [(Metric.hitRatio, row.hitRatio), (.byteHitRatio, row.byteHitRatio)].compactMap { metric, ratio in
                PublishedFigure(
                    name: "\(row.trace)/\(row.policy)/\(label(row.capacity))", metric: metric,
                    repetitions: [ratio].compactMap(\.self))
            }
        }
    }

    private static func cell(
        _ policy: String, _ size: Capacity, _ rows: [ReplayRow], _ by: ReplayRatio
    ) -> TableCell {
        guard let row = rows.first(where: { $0.policy == policy && $0.capacity == size }), let ratio = by.value(row)
        else { return .empty }
        let sign = verdict(policy, size, rows, by)?.sign ?? ""
        var text = "\(sign)\(sign.isEmpty ? "" : " ")\(percent(ratio)) %"
        guard by == .hits else { return .text(text) }
        if let error = row.hitRatioError { text += " ± \(percent(2 * error))" }
        if let best = optimumRatio(size, rows), best >= ratio, best > 0, policy != optimum {
            text += " (\(DecimalText.fixed(100 * ratio / best, places: 0)) %)"
        }
        return .text(text)
    }

    private static func share(of row: ReplayRow, in rows: [ReplayRow]) -> TableCell {
        let same = rows.filter { $0.trace == row.trace }
        // A cache without limits exceeds the optimum of this size, and is no candidate.
        guard let ratio = row.hitRatio, let best = optimumRatio(row.capacity, same), best > 0, ratio <= best else {
            return .empty
        }
        return .decimal(ratio / best, places: 6)
    }

    private static func optimumRatio(_ size: Capacity, _ rows: [ReplayRow]) -> Double? {
        rows.first { $0.policy == optimum && $0.capacity == size }?.hitRatio
    }

    private static func percent(_ ratio: Double) -> String { DecimalText.fixed(100 * ratio, places: 2) }

    private static func label(_ size: Capacity) -> String {
        if let bytes = size.bytes { return Quantity.bytes(UInt64(clamping: bytes)) }
        return size.entries.map(String.init) ?? ""
    }
}
