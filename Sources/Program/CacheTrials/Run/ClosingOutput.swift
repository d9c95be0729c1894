import BuiltInStrategies
import Comparison
import Foundation
import HistoryChecking
import Reports
import TrialModel
import TrialSessions

/// What a verb prints about the trials in a result folder.
struct ClosingOutput {
    let folder: ResultFolder
    /// Whether instructions were counted instead of time.
    var isCounted = false
    /// Which tables are printed while trials run; `nil` when all come at the end.
    var early: EarlyTables?

    /// Prints the tables of one scenario on standard output, with all results so far.
    func write(tablesOf scenario: ScenarioPoint) throws {
        let results = folder.contents.results.filter { $0.trial.key.scenario == scenario }
        let tables = ClosingTable.tables(
            results, Self.rules(of: try ResultFolder.readRun(at: folder.path)),
            contracts: StrategyRegistry.current.contracts)
        try StandardOutput.write(tables.rendered(as: .table, width: StandardOutput.width) + "\n")
    }

    /// Prints on standard output, after everything has run, the tables that were not printed yet, and the conclusions.
    func write(format: RunFormat) throws {
        switch format {
        case .tables(let format): try write(format: format)
        case .figures(let format):
            try StandardOutput.write(
                ComparedRuns.figures(try selected()), as: format, of: try ResultFolder.readRun(at: folder.path))
        }
    }

    /// The results of one kind of machine.
    private func selected() throws -> [PhaseResult] {
        let machines = try MachineSelection(try ResultFolder.rows(of: MachineRow.self, at: folder.path))
        if let note = machines.note { StandardError.write("note: \(note)") }
        return machines.selected(folder.contents.results)
    }

    private func write(format: TableFormat) throws {
        let marks = StrategyRegistry.current.marks
        let results = try selected()
        let promises = folder.contents.consistency.map(\.row)
        let width = StandardOutput.width
        let run = try ResultFolder.readRun(at: folder.path)
        let swept = SweptResults(results, marks: marks)
        var tables: [Table]
        if isCounted {
            tables = CountTable.tables(swept.others)
        } else {
            let missing = early?.missing(in: results)
            let unseen = swept.others.filter { missing?.contains($0.trial.key.scenario) ?? true }
            tables = ClosingTable.tables(
                unseen, Self.rules(of: run), contracts: StrategyRegistry.current.contracts)
        }
        tables += swept.sweeps.flatMap(SweepTable.tables)
        // CSV and JSON hold one kind of table; these rows are in consistency.csv.
        if !promises.isEmpty, format == .table || format == .markdown {
            tables.append(ConsistencyTable.table(promises, marks: marks))
        }
        var text = tables.isEmpty ? "" : tables.rendered(as: format, width: width)
        if format == .table {
            let drawings = ConsistencyDrawings(
                path: folder.path, rows: promises, expected: StrategyRegistry.current.unjudged)
            text += try drawings.text(width: width)
            text += conclusion(swept, run, width, isFirst: text.isEmpty)
        }
        try StandardOutput.write(text)
    }

    /// What rankings of a run are made by.
    private static func rules(of run: RunDescription) -> RankingRules {
        var rules = StrategyRegistry.current.rankingRules
        rules.add(run)
        return rules
    }

    /// The matrix of all scenarios, the best strategies, and where that changes, as far as anything was measured.
    private func conclusion(
        _ swept: SweptResults, _ run: RunDescription, _ width: Int?, isFirst: Bool
    ) -> String {
        var matrix = ""
        var lines: [String] = []
        if run.smoke {
            guard !isCounted, !swept.others.isEmpty || !swept.sweeps.isEmpty else { return "" }
            lines = ["A smoke run measures nothing, so no strategy is called best."]
        } else {
            let rankings = isCounted ? [] : ScenarioRanking.all(swept.others, Self.rules(of: run))
            if rankings.count > 1 {
                matrix = ScenarioMatrix(rankings).tables.rendered(as: .table, width: width)
                lines = [RankingSentences.whole(rankings)]
            } else {
                lines = rankings.map(\.sentence)
            }
        }
        guard !lines.isEmpty else { return "" }
        let wrapped = lines.flatMap { line in width.map { DisplayWidth.wrapped(line, to: $0) } ?? [line] }
        return (isFirst ? "" : "\n") + (matrix.isEmpty ? "" : matrix + "\n") + wrapped.joined(separator: "\n") + "\n"
    }
}

extension ClosingOutput {
    /// When the tables of a run of several scenarios are printed: each as soon as all its strategies have run once.
    ///
    /// The tables of a sweep come at the end, as they compare its points.
    struct EarlyTables: Sendable {
        /// The last trial of the first repetition that is run, by scenario.
        private let last: [ScenarioPoint: TrialIdentity]

        init(of plan: RunPlan) {
            var last: [ScenarioPoint: TrialIdentity] = [:]
            for identity in plan.entries.map(\.identity) where identity.scenario.dimensions.isEmpty {
                if let known = last[identity.scenario], known.repetition < identity.repetition { continue }
                last[identity.scenario] = identity
            }
            self.last = last
        }

        /// Whether the table of a trial's scenario is due when the trial has ended.
        func isDue(after trial: TrialIdentity) -> Bool { last[trial.scenario] == trial }

        /// The scenarios whose table was never due: those of sweeps, and those whose awaited trial was left out or did not
        /// run before an interruption.
        func missing(in results: [PhaseResult]) -> Set<ScenarioPoint> {
            let ran = Set(results.map(\.trial.key.trial))
            return Set(last.filter { !ran.contains($0.value) }.keys)
                .union(ran.map(\.scenario).filter { !$0.dimensions.isEmpty })
        }
    }
}

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
