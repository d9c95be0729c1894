import Foundation
import Reports
import TrialModel

extension ExplorationRow {
    /// The findings of several machines about one strategy in one scenario, each of which tried its own range of the
    /// orders: one row for each promise.
    ///
    /// Counts are added up, so that a trace or an order that two machines met counts twice.
    ///
    /// - Parameter parts: the rows of each machine, in the order of the ranges.
    static func merged(_ parts: [[ExplorationRow]]) -> [ExplorationRow] {
        var promises: [Promise] = []
        for row in parts.joined() where !promises.contains(row.promise) { promises.append(row.promise) }
        return promises.compactMap { promise in
            // A process that died after it broke a promise has two rows, of which the worse one counts.
            merged(parts.compactMap { worst($0.filter { $0.promise == promise }) })
        }
    }

    /// One row of the rows of one promise, a machine each.
    private static func merged(_ rows: [ExplorationRow]) -> ExplorationRow? {
        guard var merged = worst(rows), rows.count > 1 else { return rows.first }
        func sum(_ count: (ExplorationRow) -> UInt64) -> UInt64 {
            rows.reduce(0) { total, row in
                let (sum, overflow) = total.addingReportingOverflow(count(row))
                return overflow ? .max : sum
            }
        }
        (merged.schedules, merged.violations) = (sum(\.schedules), sum(\.violations))
        (merged.distinctTraces, merged.distinctOrders) = (sum(\.distinctTraces), sum(\.distinctOrders))
        merged.operationsChecked = sum(\.operationsChecked)
        // Each machine walks from the first order to the end of its range.
        merged.spaceCovered = rows.compactMap(\.spaceCovered).max()
        merged.unseen = union(rows.map(\.unseen), separator: ", ")
        merged.switchedAt = union(rows.map(\.switchedAt), separator: "; ")
        let digests = rows.map(\.traceDigest)
        let digest = digests.contains("") ? nil : FileDigest.sha256(ofText: digests.joined(separator: ","))
        merged.traceDigest = String((digest ?? "").prefix(16))
        return merged
    }

    /// The first of the rows with the gravest verdict.
    private static func worst(_ rows: [ExplorationRow]) -> ExplorationRow? {
        let gravest = rows.map(\.gravity).max()
        return rows.first { $0.gravity == gravest }
    }

    /// How much the verdict outweighs those of other machines.
    private var gravity: Int {
        switch verdict {
        case .crashed: 5
        case .hung: 4
        case .inconsistent: 3
        case .failed: 2
        // Nothing here could have broken the promise, or all orders were in earlier ranges; or orders were not chosen.
        case .unknown: unseen.isEmpty && (schedules > 0 || spaceCovered != nil) ? -1 : 1
        case .consistent: 0
        }
    }

    /// Each of the names in the texts once.
    private static func union(_ texts: [String], separator: String) -> String {
        var names: [String] = []
        for name in texts.flatMap({ $0.components(separatedBy: separator) })
        where !name.isEmpty && !names.contains(name) {
            names.append(name)
        }
        return names.joined(separator: separator)
    }
}
