package import TrialModel

/// The outcome of one promise of one strategy, over all scenarios and repetitions, so that each defect is reported
/// once.
package struct PromiseOutcome: Sendable {
    package let strategy: String
    package let promise: Promise
    /// All rows, in order.
    package let rows: [ConsistencyRow]

    /// The rows in which it was broken; empty when it never was.
    package var broken: [ConsistencyRow] { rows.filter { $0.verdict == .inconsistent } }

    /// Inconsistent if any row is inconsistent; unknown if all rows are unknown.
    package var verdict: ConsistencyVerdict {
        if rows.contains(where: { $0.verdict == .inconsistent }) { return .inconsistent }
        return rows.contains { $0.verdict == .consistent } ? .consistent : .unknown
    }

    /// The places where it was broken, such as `orders and 2 other scenarios`.
    package var places: String {
        var names: [ScenarioPoint] = []
        for row in broken where !names.contains(row.trial.scenario) { names.append(row.trial.scenario) }
        guard let first = names.first else { return "" }
        let others = names.count - 1
        return others == 0 ? "\(first)" : "\(first) and \(others) other scenario\(others == 1 ? "" : "s")"
    }

    /// The outcomes of some rows, in the order in which strategies and promises first appear. O(rows).
    package static func all(_ rows: [ConsistencyRow]) -> [PromiseOutcome] {
        var order: [[String]] = []
        var grouped: [[String]: [ConsistencyRow]] = [:]
        for row in rows {
            let key = [row.trial.strategy, row.promise.rawValue]
            if grouped[key] == nil { order.append(key) }
            grouped[key, default: []].append(row)
        }
        return order.compactMap { key in
            guard let rows = grouped[key], let first = rows.first else { return nil }
            return PromiseOutcome(strategy: first.trial.strategy, promise: first.promise, rows: rows)
        }
    }
}
