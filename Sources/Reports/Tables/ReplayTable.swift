package import TrialModel

/// The results of policies on one trace, with a row for each policy and a column for each size.
package enum ReplayTable {
    /// The name of the optimum, which all other policies are compared with.
    private static let optimum = "optimal"

    /// The table for people.
    ///
    /// - Parameters:
    ///   - rows: all rows of one trace.
    ///   - caption: the known facts about the trace.
    ///   - notes: what could not be replayed.
    package static func table(_ rows: [ReplayRow], trace: String, caption: String, notes: [String]) -> Table {
        let sizes = unique(rows.map(\.capacity))
        let policies = unique(rows.map(\.policy))
        let hasOptimum = policies.contains(optimum)
        let explanation = hasOptimum ? "Hit ratio, and its share of the optimum's." : "Hit ratio."
        return Table(
            title: trace, caption: "\(caption) \(explanation)",
            columns: [TableColumn("policy")]
                + sizes.map { TableColumn(label($0), .right) },
            rows: policies.map { policy in
                [TableCell.text(policy)] + sizes.map { size in cell(policy, size, rows) }
            },
            notes: notes)
    }

    /// Miss ratios, a row for each size and a column for each policy.
    package static func curve(_ rows: [ReplayRow], trace: String, caption: String, notes: [String]) -> Table {
        let sizes = unique(rows.map(\.capacity))
        let policies = unique(rows.map(\.policy))
        return Table(
            title: trace, caption: "\(caption) Miss ratio by size.",
            columns: [TableColumn("size", .right)] + policies.map { TableColumn($0, .right) },
            rows: sizes.map { size in
                [TableCell.text(label(size))]
                    + policies.map { policy in
                        let row = rows.first { $0.policy == policy && $0.capacity == size }
                        let error = row?.hitRatioError.map { " ± \(percent($0))" } ?? ""
                        return row?.hitRatio.map { .text("\(percent(1 - $0)) %\(error)") } ?? .empty
                    }
            },
            notes: notes)
    }

    /// The figures for programs: a row for each policy and size.
    package static func tidy(_ rows: [ReplayRow]) -> Table {
        Table(
            columns: ReplayRow.columns.map { TableColumn($0.name) } + [TableColumn("share_of_optimum")],
            rows: rows.map { row in
                ReplayRow.columns.map { column in machineCell(column, row) } + [share(of: row, in: rows)]
            })
    }

    private static func cell(_ policy: String, _ size: Capacity, _ rows: [ReplayRow]) -> TableCell {
        guard let row = rows.first(where: { $0.policy == policy && $0.capacity == size }), let ratio = row.hitRatio
        else { return .empty }
        var text = "\(percent(ratio)) %"
        if let error = row.hitRatioError { text += " ± \(percent(error))" }
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
        let share = ratio / best
        return TableCell(DecimalText.fixed(share, places: 6), value: .number(share, places: 6))
    }

    private static func optimumRatio(_ size: Capacity, _ rows: [ReplayRow]) -> Double? {
        rows.first { $0.policy == optimum && $0.capacity == size }?.hitRatio
    }

    private static func machineCell(_ column: Column<ReplayRow>, _ row: ReplayRow) -> TableCell {
        let text = column.cell(row)
        if text.isEmpty { return .empty }
        switch column.type {
        case .text: return .text(text)
        case .integer: return UInt64(text).map(TableCell.integer) ?? .text(text)
        case .ratio, .decimal:
            let places = text.split(separator: ".").dropFirst().first?.count ?? 0
            return Double(text).map { TableCell(text, value: .number($0, places: places)) } ?? .text(text)
        }
    }

    private static func percent(_ ratio: Double) -> String { DecimalText.fixed(100 * ratio, places: 2) }

    private static func label(_ size: Capacity) -> String {
        if let bytes = size.bytes { return Quantity.bytes(UInt64(clamping: bytes)) }
        return size.entries.map(String.init) ?? ""
    }

    private static func unique<Element: Hashable>(_ elements: [Element]) -> [Element] {
        var seen: Set<Element> = []
        return elements.filter { seen.insert($0).inserted }
    }
}
