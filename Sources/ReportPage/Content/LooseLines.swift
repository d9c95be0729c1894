import Foundation
import HistoryChecking
import Reports
package import TrialModel

/// A row of `consistency.csv`: whether a strategy kept a promise.
package struct PromiseLine: Hashable, Sendable {
    package var scenario: ScenarioPoint
    package var strategy: String
    package var promise: String
    /// `consistent`, `inconsistent` or `unknown`.
    package var verdict: String
    /// The first violation; may be empty.
    package var example: String
    /// The example as a timeline, one element per line; empty without an example.
    package var drawing: [String] = []
    /// The row in this version's types; `nil` where another version wrote words that this one doesn't know.
    package var row: ConsistencyRow?

    /// Reads a row by its column names; `nil` without a strategy, a promise or a verdict.
    package init?(_ cells: [String: String]) {
        guard let strategy = cells["strategy"], let promise = cells["promise"], let verdict = cells["verdict"],
            !verdict.isEmpty
        else { return nil }
        self.strategy = strategy
        self.promise = promise
        self.verdict = verdict
        scenario = ScenarioPoint(cells: cells)
        example = cells["example"] ?? ""
        guard let promise = Promise(rawValue: promise), let verdict = ConsistencyVerdict(rawValue: verdict),
            let repetition = cells["repetition"].flatMap(Int.init)
        else { return }
        row = ConsistencyRow().with {
            $0.trial = TrialIdentity(scenario: scenario, strategy: strategy, repetition: repetition)
            ($0.promise, $0.verdict) = (promise, verdict)
            $0.operationsChecked = cells["operations_checked"].flatMap(UInt64.init) ?? 0
            $0.violations = cells["violations"].flatMap(UInt64.init) ?? 0
            $0.example = example
        }
    }

    /// The same line with its example drawn, where the folder has one.
    ///
    /// - Throws: ``ReportsError`` when the file exists and can't be read.
    func drawn(from path: String) throws(ReportsError) -> PromiseLine {
        guard let row, row.verdict == .inconsistent,
            let bytes = try ResultFolder.bytes(of: ConsistencyEntry.path(of: row), in: path),
            let example = try? JSONDecoder().decode(Counterexample.self, from: Data(bytes))
        else { return self }
        var drawn = self
        drawn.drawing = CounterexampleDrawing(example).lines
        return drawn
    }
}
