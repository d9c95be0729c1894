import ArgumentParser
import BuiltInStrategies
import CacheStrategies
import Comparison
import ReportPage
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// A comparison from its folders to its exit code.
struct ComparisonWork {
    let judging: ComparisonArguments
    /// What may differ between the two runs.
    let allowed: Set<RunDifference.Kind>
    let output: String?
    let format: TableFormat
    let all: Bool
    /// The kind of machine whose times are compared, or a part of its name; `nil` for the most frequent one.
    var machine: String?

    typealias Sides = (baseline: ComparisonPage.Side, candidate: ComparisonPage.Side)

    /// What a comparison found.
    struct Compared {
        let rows: [ComparisonRow]
        /// The rows as the gate sees them, with smallest differences of its own.
        let judged: [ComparisonRow]
        let gate: ComparisonGate
        let gates: [VerdictGate]
        let notes: [String]
        let sides: Sides
        let folder: ResultFolder?
    }

    /// Compares two runs.
    ///
    /// - Throws: `ReportsError`, and an exit code with the reason on standard error.
    func compare(_ baseline: String, _ candidate: String, isPaired: Bool) throws -> TrialExitCode {
        var notes: [String] = []
        // Rows are read first: a folder without them is not a result folder.
        var results = (try ResultFolder.read(at: baseline), try ResultFolder.read(at: candidate))
        var runs = (try ResultFolder.readRun(at: baseline), try ResultFolder.readRun(at: candidate))
        let wanted = try machine ?? commonKind(runs, baseline, candidate)
        notes += try narrow(&results.0, &runs.0, at: baseline, wanted)
        notes += try narrow(&results.1, &runs.1, at: candidate, wanted)
        let differences = RunDifference.all(runs.0, runs.1)
        try refuse(differences, baseline, candidate)
        try refuseSearches(runs.0, runs.1)
        try checkNames(results.0 + results.1)
        notes += try Self.notes(on: runs.0, results.0, at: baseline)
        notes += try Self.notes(on: runs.1, results.1, at: candidate)
        if runs.0.host.name != runs.1.host.name {
            notes.append("the hosts are called \(runs.0.host.name) and \(runs.1.host.name): are they the same machine?")
        }
        if isPaired, let end = runs.0.end, let other = runs.1.end, end < runs.1.start || other < runs.0.start {
            notes.append("one run ended before the other began, so they did not take turns: leave out --paired")
        }
        var settings = judging.settings
        settings.isPaired = isPaired
        settings.bounds = bounds
        settings.scenarioDifferences = runs.1.smallestDifferences
        let exact = runs.0.exactPhases.merging(runs.1.exactPhases) { $0.intersection($1) }
        let sides: Sides = (
            .init(path: baseline, results: chosen(results.0), run: runs.0),
            .init(path: candidate, results: chosen(results.1), run: runs.1)
        )
        let compared = ComparedRuns(
            baseline: sides.baseline.results, candidate: sides.candidate.results,
            metrics: settings.metrics, exactPhases: exact,
            reseeded: Set(differences.filter { $0.kind == .seed }.compactMap(\.scenario)))
        if !isPaired, !compared.pairs.contains(where: { bounds.contains($0.key.strategy) }) {
            notes.append(
                "no bound ran in both, so a change of the machine looks like a change of a strategy; add 'none' to --strategies"
            )
        }
        return try conclude(try compare(compared, settings, failing: [.worse], sides, notes))
    }

    /// Compares the strategies of one run.
    ///
    /// - Throws: `ReportsError`, and an exit code with the reason on standard error.
    func compare(within folder: String, baselineStrategy: String) throws -> TrialExitCode {
        var results = try ResultFolder.read(at: folder)
        var run = try ResultFolder.readRun(at: folder)
        var notes = try narrow(&results, &run, at: folder, machine)
        try refuseSearches(run)
        try checkNames(results)
        notes += try Self.notes(on: run, results, at: folder)
        guard results.contains(where: { $0.trial.key.trial.strategy == baselineStrategy }) else {
            let ran = Set(results.map(\.trial.key.trial.strategy)).sorted()
            throw Refusal(
                "\(folder) has no results of '\(baselineStrategy)'; \(NearestName.hint(for: baselineStrategy, in: ran))"
            )
        }
        var settings = judging.settings
        settings.isPaired = true
        settings.correction = .benjaminiHochberg
        settings.scenarioDifferences = run.smallestDifferences
        let side = ComparisonPage.Side(path: folder, results: chosen(results, with: baselineStrategy), run: run)
        let compared = ComparedRuns(
            within: side.results, baselineStrategy: baselineStrategy, metrics: settings.metrics,
            exactPhases: run.exactPhases)
        return try conclude(try compare(compared, settings, failing: [], (side, side), notes))
    }

    /// Keeps the rows of one kind of machine, when a folder was merged from several machines.
    ///
    /// - Returns: notes on what was left out.
    private func narrow(
        _ results: inout [PhaseResult], _ run: inout RunDescription, at folder: String, _ wanted: String?
    ) throws -> [String] {
        let machines = try ResultFolder.rows(of: MachineRow.self, at: folder)
        guard !machines.isEmpty else { return [] }
        let selection: MachineSelection
        do { selection = try MachineSelection(machines, wanted: wanted) } catch { throw Refusal("\(folder): \(error)") }
        results = selection.selected(results)
        let kind = selection.chosen ?? selection.kinds.first?.kind
        if let host = run.merged?.parts.first(where: { $0.machineKind == kind })?.host { run.host = host }
        return selection.note.map { ["\(folder): \($0)"] } ?? []
    }

    /// The kind of machine that both folders have the most trials of; `nil` when neither was merged, or when they have
    /// none in common, which is refused later.
    private func commonKind(
        _ runs: (RunDescription, RunDescription), _ baseline: String, _ candidate: String
    ) throws -> String? {
        let kinds = try zip([runs.0, runs.1], [baseline, candidate]).map { run, folder in
            let found = try MachineSelection(try ResultFolder.rows(of: MachineRow.self, at: folder)).kinds
            return found.isEmpty
                ? [run.host.kind: 1] : Dictionary(found.map { ($0.kind, $0.trials) }) { first, _ in first }
        }
        return kinds[0].filter { kinds[1][$0.key] != nil }
            .max { (min($0.value, kinds[1][$0.key] ?? 0), $1.key) < (min($1.value, kinds[1][$1.key] ?? 0), $0.key) }?
            .key
    }

    private func refuse(_ differences: [RunDifference], _ baseline: String, _ candidate: String) throws {
        let refused = differences.filter { !allowed.contains($0.kind) }
        for difference in differences where allowed.contains(difference.kind) {
            StandardError.write("warning: allowed to differ: \(difference.text)")
        }
        guard !refused.isEmpty else { return }
        let kinds = RunDifference.Kind.allCases.filter { kind in refused.contains { $0.kind == kind } }.map(\.rawValue)
        throw Refusal(
            "\(baseline) and \(candidate) can't be compared:\n" + refused.map { "  \($0.text)\n" }.joined()
                + "To compare them anyway: --allow-different \(kinds.joined(separator: ","))")
    }

    /// A search ends at a different rate for each strategy, so its times can't be compared.
    private func refuseSearches(_ runs: RunDescription...) throws {
        guard runs.contains(where: { $0.rateSearch != nil }) else { return }
        throw Refusal(
            "a search for the highest rate can't be compared: its trials ran at different rates; read the rates in "
                + "trials.csv, or compare runs with an arrival of one rate")
    }

    /// Refuses names for which neither side has results.
    private func checkNames(_ results: [PhaseResult]) throws {
        let known = Set(results.map(\.trial.key.trial.strategy))
        guard let name = (judging.names ?? []).subtracting(known).min() else { return }
        throw Refusal("no results of '\(name)'; \(NearestName.hint(for: name, in: known.sorted()))")
    }

    /// Notes for readers of the run's figures, a line each.
    static func notes(on run: RunDescription, _ results: [PhaseResult], at folder: String) throws -> [String] {
        var notes: [String] = []
        if results.isEmpty { notes.append("\(folder): trials.csv holds no trial") }
        notes += try ResultFolder.gaps(at: folder, results)
        if run.partial { notes.append("\(folder) is partial: planned trials are missing") }
        if run.smoke { notes.append("\(folder) was run at smoke size: its times mean nothing") }
        return notes + (run.noise?.warnings ?? []).map { "\(folder): \($0)" }
    }

    private func chosen(_ results: [PhaseResult], with other: String? = nil) -> [PhaseResult] {
        guard let names = judging.names else { return results }
        return results.filter { result in
            let name = result.trial.key.trial.strategy
            return names.contains(name) || name == other
        }
    }

    /// Compares the turns of two programs.
    ///
    /// - Parameter folders: the baseline's, then the candidate's.
    func compareLive(
        _ compared: ComparedRuns, _ settings: ComparisonSettings, _ folders: [String], _ run: RunDescription
    ) throws -> Compared {
        let sides = try folders.map { ComparisonPage.Side(path: $0, results: try ResultFolder.read(at: $0), run: run) }
        let notes = folders.flatMap { folder in (run.noise?.warnings ?? []).map { "\(folder): \($0)" } }
        // A failure that only the candidate's trials have is the candidate's fault.
        let known = Set(sides[0].results.map(Failure.init))
        let own = sides[1].results.filter { !known.contains(Failure($0)) }.map(\.trial)
        let gates = RunGates(registry: .current).gates(for: own).filter { !$0.passed && !own.isEmpty }
        return try compare(compared, settings, failing: [.worse], (sides[0], sides[1]), notes, also: gates)
    }

    /// How a phase failed, if it did, regardless of the repetition.
    private struct Failure: Hashable {
        let scenario: ScenarioPoint
        let strategy: String
        let phase: String
        let status: TrialStatus
        let isWrong: Bool

        init(_ result: PhaseResult) {
            scenario = result.trial.key.trial.scenario
            strategy = result.trial.key.trial.strategy
            phase = result.trial.key.phase
            status = result.trial.status
            isWrong = (result.trial.wrongAnswers ?? 0) > 0
        }
    }

    private func compare(
        _ compared: ComparedRuns, _ settings: ComparisonSettings, failing: Set<ComparisonVerdict>, _ sides: Sides,
        _ notes: [String], also gates: [VerdictGate] = []
    ) throws -> Compared {
        let rows = Judgement(settings).rows(compared.pairs)
        let gate = ComparisonGate(
            failing: judging.failOn.isEmpty ? failing : Set(judging.failOn.joined()),
            exempt: StrategyRegistry.current.unjudged.union(bounds))
        var gated = settings
        gated.smallestDifferences.merge(judging.regressions) { _, regression in regression }
        let judged = judging.regressions.isEmpty ? rows : Judgement(gated).rows(compared.pairs)
        let folder = try output.map(ResultFolder.ofComparison)
        try folder?.append(rows)
        return Compared(
            rows: rows, judged: judged, gate: gate, gates: gate.gates(judged, lost: compared.lost) + gates,
            notes: notes + compared.notes, sides: sides, folder: folder)
    }

    func judgement(_ compared: Compared) -> WorkJudgement {
        WorkJudgement(
            gates: compared.gates, cases: JUnitXML.cases(of: compared.judged, gate: compared.gate),
            suite: "cache-trials compare", folder: compared.folder)
    }

    private func conclude(_ compared: Compared) throws -> TrialExitCode {
        let verdict = RunVerdict(gates: compared.gates)
        if let folder = compared.folder { try judgement(compared).write(verdict, to: folder) }
        try show(compared, verdict)
        verdict.sayFailures()
        return verdict.code
    }

    /// Writes the pages, and prints the findings.
    func show(_ compared: Compared, _ verdict: RunVerdict) throws {
        if let folder = compared.folder {
            let page = ComparisonPage(
                compared.rows, baseline: compared.sides.baseline, candidate: compared.sides.candidate,
                verdict: verdict, notes: compared.notes, marks: marks)
            try folder.write(page.html, as: "comparison.html")
            for (name, isBigger) in [("benchmark-smaller.json", false), ("benchmark-bigger.json", true)] {
                let entries = BenchmarkJSON.entries(compared.rows, biggerIsBetter: isBigger)
                try folder.write(try BenchmarkJSON.render(entries), as: name)
            }
        }
        try printTables(compared.rows)
        for line in compared.notes { StandardError.write("note: \(line)") }
        StandardError.write(Self.summary(compared.rows))
    }

    private func printTables(_ rows: [ComparisonRow]) throws {
        let width = StandardOutput.width
        switch format {
        case .csv, .json:
            try StandardOutput.write(ComparisonTable.tidy(rows).rendered(as: format))
        case .table, .markdown:
            try StandardOutput.write(
                ComparisonTable.tables(rows, marks: marks, all: all).rendered(as: format, width: width))
            let lines = SweptDifferences.lines(rows)
            if !lines.isEmpty { try StandardOutput.write("\n" + lines.joined(separator: "\n") + "\n") }
        }
    }

    private static func summary(_ rows: [ComparisonRow]) -> String {
        let order: [ComparisonVerdict] = [.worse, .better, .same, .inconclusive]
        return "\(rows.count) figures: "
            + order.map { verdict in "\(rows.count { $0.verdict == verdict }) \(verdict.rawValue)" }.joined(
                separator: ", ")
    }

    private var bounds: Set<String> { Set(marks.filter { $0.value == StrategyRole.bound.rawValue }.keys) }

    /// The roles of strategies that never fail the gate.
    private var marks: [String: String] { StrategyRegistry.current.marks }
}
