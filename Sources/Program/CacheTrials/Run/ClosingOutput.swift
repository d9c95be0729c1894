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
    /// Prints the tables and the conclusions on standard output, after everything has run.
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
        let rankings = isCounted ? [] : ScenarioRanking.all(swept.others, Self.rules(of: run))
        var tables: [Table] = []
        if isCounted {
            tables = CountTable.tables(swept.others)
        } else if format == .csv || format == .json {
            if !rankings.isEmpty { tables = [FigureTable.table(rankings)] }
        } else if rankings.count > 1, !run.smoke {
            tables = Overview(rankings).tables(width: format == .markdown ? nil : width ?? Self.widthOfFiles)
        } else {
            tables = rankings.flatMap { ClosingTable.tables(of: $0, contracts: StrategyRegistry.current.contracts) }
        }
        tables += swept.sweeps.flatMap(SweepTable.tables)
        // CSV and JSON hold one kind of table; these rows are in consistency.csv.
        if !promises.isEmpty, format == .table || format == .markdown {
            tables.append(ConsistencyTable.table(promises, marks: marks, failures: Self.failures(results.map(\.trial))))
        }
        var text = tables.isEmpty ? "" : tables.rendered(as: format, width: width)
        if format == .table {
            let drawings = ConsistencyDrawings(
                path: folder.path, rows: promises, expected: StrategyRegistry.current.unjudged)
            text += try drawings.text(width: width)
            text += conclusion(rankings, swept, run, width, isFirst: text.isEmpty)
        }
        try StandardOutput.write(text)
    }

    /// How trials failed, by strategy.
    private static func failures(_ trials: [TrialRow]) -> [String: String] {
        var failures: [String: String] = [:]
        for trial in trials {
            if (trial.wrongAnswers ?? 0) > 0 { failures[trial.key.strategy] = "wrong answers" }
            if trial.status == .crashed || trial.status == .hung {
                failures[trial.key.strategy] = "a trial \(trial.status.rawValue)"
            }
        }
        return failures
    }

    /// What rankings of a run are made by.
    private static func rules(of run: RunDescription) -> RankingRules {
        var rules = StrategyRegistry.current.rankingRules
        rules.add(run)
        return rules
    }

    /// Columns of an overview that is not printed on a terminal.
    private static let widthOfFiles = 120

    /// Who is best, and what that costs, as far as anything was measured.
    private func conclusion(
        _ rankings: [ScenarioRanking], _ swept: SweptResults, _ run: RunDescription, _ width: Int?, isFirst: Bool
    ) -> String {
        var lines = RankingSentences.all(rankings)
        if run.smoke {
            guard !isCounted, !swept.others.isEmpty || !swept.sweeps.isEmpty else { return "" }
            lines = ["A smoke run measures nothing, so no strategy is called best."]
        }
        guard !lines.isEmpty else { return "" }
        let wrapped = lines.flatMap { line in width.map { DisplayWidth.wrapped(line, to: $0) } ?? [line] }
        return (isFirst ? "" : "\n") + wrapped.joined(separator: "\n") + "\n"
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
            "\n\(outcome.strategy) violated \(outcome.promise.rawValue) in \(outcome.places), \(times)\(role):\n"
        let lines = try Self.example(of: row, in: path).map { example in
            CounterexampleDrawing(
                example, width: min(width ?? CounterexampleDrawing.widthMax, CounterexampleDrawing.widthMax)
            ).lines
        }
        let place = "\(path)/\(ConsistencyEntry.path(of: row))"
        return head
            + CounterexampleDrawing.shown(lines ?? [row.example], after: 1, allIn: place).map {
                "  \($0)".trimmedEnd + "\n"
            }.joined()
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
