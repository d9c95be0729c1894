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
    package var verdict: ConsistencyVerdict { ConsistencyTable.verdict(rows) }

    /// The places where it was broken, such as `orders and 2 other scenarios`.
    package var places: String {
        let names = broken.map(\.trial.scenario).distinct
        guard let first = names.first else { return "" }
        let others = names.count - 1
        return others == 0 ? "\(first)" : "\(first) and \(others) other scenario\(others == 1 ? "" : "s")"
    }

    /// The outcomes of some rows, in the order in which strategies and promises first appear. O(rows).
    package static func all(_ rows: [ConsistencyRow]) -> [PromiseOutcome] {
        rows.grouped { [$0.trial.strategy, $0.promise.rawValue] }.compactMap { _, rows in
            rows.first.map { PromiseOutcome(strategy: $0.trial.strategy, promise: $0.promise, rows: rows) }
        }
    }
}
