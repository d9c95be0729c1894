import Foundation
import HistoryChecking
import Reports
import TrialModel

/// The smallest example of each broken promise, drawn as a timeline.
struct ConsistencyDrawings {
    /// The result folder.
    let path: String
    let rows: [ConsistencyRow]
    /// Strategies whose findings are expected.
    let expected: Set<String>

    /// How many are drawn; all of them are in the result folder.
    private static let countMax = 12

    /// One drawing for each strategy and promise, the unexpected ones first; empty without a violation.
    ///
    /// - Throws: ``ReportsError`` when an example can't be read.
    func text(width: Int?) throws(ReportsError) -> String {
        let broken = PromiseOutcome.all(rows).filter { $0.verdict == .inconsistent }
        let ordered =
            broken.filter { !expected.contains($0.strategy) } + broken.filter { expected.contains($0.strategy) }
        var text = ""
        for outcome in ordered.prefix(Self.countMax) { text += try drawing(of: outcome, width: width) }
        if ordered.count > Self.countMax {
            text += "\n\(ordered.count - Self.countMax) more are in \(path)/\(ConsistencyEntry.folder).\n"
        }
        return text
    }

    private func drawing(of outcome: PromiseOutcome, width: Int?) throws(ReportsError) -> String {
        guard let row = outcome.broken.first else { return "" }
        let times = row.violations == 1 ? "once" : "\(row.violations) times"
        let role = expected.contains(outcome.strategy) ? ", as expected of it" : ""
        let head =
            "\n\(outcome.strategy) broke \(outcome.promise.rawValue) in \(outcome.places), \(times)\(role):\n"
        let lines = try Self.example(of: row, in: path).map { example in
            CounterexampleDrawing(
                example, width: min(width ?? CounterexampleDrawing.widthMax, CounterexampleDrawing.widthMax)
            ).lines
        }
        return head + (lines ?? [row.example]).map { "  \($0)".trimmedEnd + "\n" }.joined()
    }

    /// The example of a row; `nil` when it has none.
    static func example(of row: ConsistencyRow, in path: String) throws(ReportsError) -> Counterexample? {
        guard let bytes = try ResultFolder.bytes(of: ConsistencyEntry.path(of: row), in: path) else { return nil }
        // An example that can't be read is still in its row.
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
