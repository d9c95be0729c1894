import Foundation
import HistoryChecking
import Reports
import TrialModel

/// The smallest example of each broken promise as a timeline, for whoever ran the check.
struct ConsistencyDrawings {
    /// The result folder.
    let path: String
    let rows: [ConsistencyRow]
    /// Strategies whose findings are expected.
    let expected: Set<String>

    /// How many are drawn; all of them are in the result folder.
    private static let countMax = 12

    /// One drawing for each strategy and promise, those that were not expected first; empty without a violation.
    ///
    /// - Throws: ``ReportsError`` when an example can't be read.
    func text(width: Int?) throws(ReportsError) -> String {
        var seen: Set<[String]> = []
        let broken = rows.filter {
            $0.verdict == .inconsistent && seen.insert([$0.trial.strategy, $0.promise.rawValue]).inserted
        }
        let ordered =
            broken.filter { !expected.contains($0.trial.strategy) }
            + broken.filter { expected.contains($0.trial.strategy) }
        var text = ""
        for row in ordered.prefix(Self.countMax) { text += try drawing(of: row, width: width) }
        if ordered.count > Self.countMax {
            text += "\n\(ordered.count - Self.countMax) more are in \(path)/\(ConsistencyEntry.folder).\n"
        }
        return text
    }

    private func drawing(of row: ConsistencyRow, width: Int?) throws(ReportsError) -> String {
        let trial = row.trial
        let times = row.violations == 1 ? "once" : "\(row.violations) times"
        let role = expected.contains(trial.strategy) ? ", as expected of it" : ""
        let head =
            "\n\(trial.strategy) broke \(row.promise.rawValue) in \(trial.scenario), repetition \(trial.repetition), "
            + "\(times)\(role):\n"
        let lines = try Self.example(of: row, in: path).map { example in
            CounterexampleDrawing(
                example, width: min(width ?? CounterexampleDrawing.widthMax, CounterexampleDrawing.widthMax)
            ).lines
        }
        return head + (lines ?? [row.example]).map { "  \($0)".trimmedEnd + "\n" }.joined()
    }

    /// The example of a row; `nil` where it has none.
    static func example(of row: ConsistencyRow, in path: String) throws(ReportsError) -> Counterexample? {
        guard let bytes = try ResultFolder.bytes(of: ConsistencyEntry.path(of: row), in: path) else { return nil }
        // One that can't be read still stands in its row.
        return try? JSONDecoder().decode(Counterexample.self, from: Data(bytes))
    }
}

extension String {
    fileprivate var trimmedEnd: String {
        var trimmed = self
        while trimmed.last == " " { trimmed.removeLast() }
        return trimmed
    }
}
