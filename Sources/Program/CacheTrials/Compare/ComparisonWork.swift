import ArgumentParser
import BuiltInStrategies
import CacheStrategies
import Comparison
import ReportPage
import Reports
import Statistics
import TimedStrategies
import TrialModel
import TrialSessions

/// A comparison from its folders to its exit code.
struct ComparisonWork {
    let judging: ComparisonArguments
    /// What may differ between the two runs.
    let allowed: Set<RunDifference.Kind>
    let output: String?
    let format: ReviewFormat<RunFormat>
    let all: Bool
    /// The kind of machine whose times are compared, or a part of its name; `nil` for the most frequent one.
    var machine: String?

    /// A result folder, and the rows of it that are compared.
    struct Side {
        var path: String
        var results: [PhaseResult]
        var run: RunDescription

        /// Reads a folder. Rows come first: a folder without them is not a result folder.
        init(at path: String) throws(ReportsError) {
            (self.path, results) = (path, try ResultFolder.read(at: path))
            run = try ResultFolder.readRun(at: path)
        }

        /// The same for a page.
        var page: ComparisonPage.Side { .init(path: path, results: results, run: run) }

        /// Notes on what disturbed the run, a line each.
        var warnings: [String] { (run.noise?.warnings ?? []).map { "\(path): \($0)" } }

        /// Notes for readers of the run's figures, a line each.
        func notes() throws(ReportsError) -> [String] {
            var notes: [String] = []
            if results.isEmpty { notes.append("\(path): trials.csv holds no trial") }
            notes += try ResultFolder.gaps(at: path, results)
            if run.partial { notes.append("\(path) is partial: planned trials are missing") }
            if run.smoke { notes.append("\(path) was run at smoke size: its times mean nothing") }
            return notes + warnings
        }

        /// The machines of a folder that was merged from several ones.
        fileprivate func machines() throws(ReportsError) -> [MachineRow] {
            try ResultFolder.rows(of: MachineRow.self, at: path)
        }

        /// Keeps the rows of one kind of machine, when the folder was merged from several machines.
        ///
        /// - Returns: notes on what was left out.
        fileprivate mutating func narrow(to wanted: String?) throws -> [String] {
            let machines = try machines()
            guard !machines.isEmpty else {
                if let wanted, !run.host.kind.contains(wanted) {
                    throw Refusal("\(path): ran on \(run.host.kind), and no kind of machine there is called \(wanted)")
                }
                return []
            }
            let selection: MachineSelection
            do { selection = try MachineSelection(machines, wanted: wanted) } catch {
                throw Refusal("\(path): \(error)")
            }
            results = selection.selected(results)
            let kind = selection.chosen ?? selection.kinds.first?.kind
            if let host = run.merged?.parts.first(where: { $0.machineKind == kind })?.host { run.host = host }
            return selection.note.map { ["\(path): \($0)"] } ?? []
        }

        /// Keeps the rows of these strategies; `nil` means all.
        fileprivate mutating func keep(_ names: Set<String>?) {
            if let names { results = results.filter { names.contains($0.trial.key.strategy) } }
        }
    }

    /// What a comparison found.
    struct Compared {
        let rows: [ComparisonRow]
        /// The rows as the gate sees them, with smallest differences of its own.
        let judged: [ComparisonRow]
        let gate: ComparisonGate
        let gates: [VerdictGate]
        var notes: [String]
        /// What only one side has, a line each.
        var unmatched: [String]
        /// The baseline, then the candidate.
        let sides: [Side]
        let folder: ResultFolder?
    }

    /// Reads folders, and refuses those without figures that can be compared.
    ///
    /// - Returns: the sides, and notes on them.
    private func sides(at paths: [String]) throws -> (sides: [Side], notes: [String]) {
        var sides = try paths.map(Side.init)
        let wanted = try machine ?? (sides.count > 1 ? commonKind(sides) : nil)
        var notes = try sides.indices.flatMap { try sides[$0].narrow(to: wanted) }
        let known = Set(sides.flatMap(\.results).map(\.trial.key.strategy))
        if let name = (judging.names ?? []).subtracting(known).min() {
            throw Refusal("no results of '\(name)'; \(NearestName.hint(for: name, in: known.sorted()))")
        }
        notes += try sides.flatMap { try $0.notes() }
        return (sides, notes)
    }

    /// Compares two runs.
    func compare(_ baseline: String, _ candidate: String, isPaired: Bool) throws -> TrialExitCode {
        var (sides, notes) = try sides(at: [baseline, candidate])
        let (before, after) = (sides[0].run, sides[1].run)
        var differences = RunDifference.all(before, after)
        let changed = leaveOut(&differences, of: sides)
        for index in sides.indices { sides[index].results.removeAll { changed[$0.trial.key.scenario] != nil } }
        try refuse(differences, baseline, candidate)
        if before.host.name != after.host.name {
            notes.append("the hosts are called \(before.host.name) and \(after.host.name): are they the same machine?")
        }
        if isPaired, let end = before.end, let other = after.end, end < after.start || other < before.start {
            notes.append("one run ended before the other began, so they did not alternate: leave out --paired")
        }
        var settings = judging.settings
        settings.isPaired = isPaired
        settings.bounds = bounds
        settings.scenarioDifferences = after.smallestDifferences
        for index in sides.indices { sides[index].keep(judging.names) }
        let compared = ComparedRuns(
            baseline: sides[0].results, candidate: sides[1].results, metrics: settings.metrics,
            exactPhases: before.exactPhases.intersection(after.exactPhases),
            reseeded: Set(differences.filter { $0.kind == .seed }.compactMap(\.scenario)))
        if !isPaired, !compared.pairs.contains(where: { bounds.contains($0.key.strategy) }) {
            notes.append(
                "no baseline strategy ran in both, so a change of the machine looks like a change of a strategy; add 'none' to --strategies"
            )
        }
        var found = try compare(compared, settings, .regression, sides, notes)
        found.unmatched += changed.values.sorted()
        return try conclude(found)
    }

    /// Takes out what differs in scenarios that are left out: those whose files differ, as long as others are the same.
    ///
    /// - Returns: why each is left out.
    private func leaveOut(_ differences: inout [RunDifference], of sides: [Side]) -> [ScenarioPoint: String] {
        guard !allowed.contains(.scenario) else { return [:] }
        let files = differences.filter { $0.kind == .scenario && $0.scenario != nil }
        let changed = Dictionary(
            files.compactMap { found in
                found.scenario.map { ($0, "\(found.text); --allow-different scenario compares it anyway") }
            }
        ) { first, _ in first }
        let common = Set(sides[0].results.map(\.trial.key.scenario))
            .intersection(sides[1].results.map(\.trial.key.scenario))
        guard !common.isSubset(of: changed.keys) else { return [:] }
        differences.removeAll { $0.scenario.map { changed[$0] != nil } ?? false }
        return changed
    }

    /// Compares the strategies of one run.
    func compare(within folder: String, baselineStrategy: String) throws -> TrialExitCode {
        var (sides, notes) = try sides(at: [folder])
        let ran = Set(sides[0].results.map(\.trial.key.strategy)).sorted()
        guard ran.contains(baselineStrategy) else {
            throw Refusal(
                "\(folder) has no results of '\(baselineStrategy)'; \(NearestName.hint(for: baselineStrategy, in: ran))"
            )
        }
        var settings = judging.settings
        settings.isPaired = true
        settings.correction = .benjaminiHochberg
        settings.scenarioDifferences = sides[0].run.smallestDifferences
        sides[0].keep(judging.names?.union([baselineStrategy]))
        let compared = ComparedRuns(
            within: sides[0].results, baselineStrategy: baselineStrategy, metrics: settings.metrics,
            exactPhases: sides[0].run.exactPhases)
        return try conclude(try compare(compared, settings, .never, sides + sides, notes))
    }

    /// Compares a run with figures that are committed beside the code.
    func compare(_ folder: String, thresholds path: String) throws -> TrialExitCode {
        var (sides, notes) = try sides(at: [folder])
        let thresholds = try Thresholds(readingFrom: path)
        var settings = judging.settings
        settings.scenarioDifferences = sides[0].run.smallestDifferences
        let scenarios = Set(sides[0].results.map(\.trial.key.scenario))
        sides[0].keep(judging.names)
        let compared = try ComparedRuns(
            thresholds: thresholds, with: committed(sides[0], at: path), of: scenarios,
            isCounted: sides[0].run.counted == true, metrics: settings.metrics, strategies: judging.names)
        var baseline = sides[0]
        baseline.path = path
        var found = try compare(compared, settings, .regression, [baseline, sides[0]], notes)
        found.notes += thresholds.edits(found.judged)
        return try conclude(found)
    }

    /// Writes the figures of a run that do not depend on the machine; figures of the file that the run does not have stay.
    func write(_ folder: String, thresholds path: String) throws -> TrialExitCode {
        var (sides, notes) = try sides(at: [folder])
        sides[0].keep(judging.names)
        let run = try committed(sides[0], at: path)
        guard run.count > 0 else {
            throw Refusal(
                "\(folder) has no value that is the same on every machine; these are counts and hit ratios of phases in "
                    + "which one client sends its operations, such as in Scenarios/operations.yaml")
        }
        var thresholds = run
        do {
            thresholds = try Thresholds(readingFrom: path)
            thresholds.update(with: run)
        } catch ThresholdError.missing {}
        try thresholds.write()
        for note in notes { StandardError.write("note: \(note)") }
        StandardError.write("\(path): \(run.count) values of \(folder), \(thresholds.count) in all")
        return .passed
    }

    /// - Throws: ``Refusal`` where the operations are not those of the scenario.
    private func committed(_ side: Side, at path: String) throws(Refusal) -> Thresholds {
        if let option = side.run.smoke ? "--smoke" : side.run.seed.map({ "--seed \($0)" }) {
            throw Refusal(
                "\(side.path) was run with \(option), so its operations are others than the scenario's; "
                    + "for \(path), run it without \(option)")
        }
        return Thresholds(path: path, of: side.results, exactPhases: side.run.exactPhases)
    }

    /// The kind of machine that both folders have the most trials of; `nil` when neither was merged, or when they have
    /// none in common, which is refused later.
    private func commonKind(_ sides: [Side]) throws -> String? {
        let kinds = try sides.map { side in
            let found = try MachineSelection(try side.machines()).kinds
            return found.isEmpty
                ? [side.run.host.kind: 1] : Dictionary(found.map { ($0.kind, $0.trials) }) { first, _ in first }
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

    /// Compares the turns of two programs.
    ///
    /// - Parameters:
    ///   - folders: the baseline's, then the candidate's.
    ///   - unmatched: what only one of the programs has.
    func compareLive(
        _ compared: ComparedRuns, _ settings: ComparisonSettings, _ folders: [String], _ run: RunDescription,
        unmatched: [String]
    ) throws -> Compared {
        var sides = try folders.map(Side.init)
        for index in sides.indices { sides[index].run = run }
        // A failure that only the candidate's trials have is the candidate's fault.
        let known = Set(sides[0].results.map(Failure.init))
        let own = sides[1].results.filter { !known.contains(Failure($0)) }.map(\.trial)
        let gates = StrategyRegistry.current.gates(for: own).filter { !$0.passed && !own.isEmpty }
        var found = try compare(compared, settings, .regression, sides, sides.flatMap(\.warnings), also: gates)
        // They were named before the trials began.
        found.unmatched = unmatched
        return found
    }

    /// How a phase failed, if it did, regardless of the repetition.
    private struct Failure: Hashable {
        let phase: RowKey
        let status: TrialStatus
        let isWrong: Bool

        init(_ result: PhaseResult) {
            phase = result.trial.key.ofStrategy
            status = result.trial.status
            isWrong = (result.trial.wrongAnswers ?? 0) > 0
        }
    }

    private func compare(
        _ compared: ComparedRuns, _ settings: ComparisonSettings, _ failing: FailOn, _ sides: [Side],
        _ notes: [String], also gates: [VerdictGate] = []
    ) throws -> Compared {
        let rows = Judgement(settings).rows(compared.pairs)
        let gate = ComparisonGate(
            failing: (judging.failOn ?? failing).verdicts,
            exempt: StrategyRegistry.current.unjudged.union(bounds))
        var gated = settings
        gated.smallestDifferences.merge(judging.regressions) { _, regression in regression }
        let judged = judging.regressions.isEmpty ? rows : Judgement(gated).rows(compared.pairs)
        let folder = try output.map(ResultFolder.ofComparison)
        try folder?.append(rows)
        return Compared(
            rows: rows, judged: judged, gate: gate, gates: gate.gates(judged, lost: compared.lost) + gates,
            notes: notes + compared.notes, unmatched: compared.unmatched, sides: sides, folder: folder)
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
        sayUndecided(compared, verdict)
        return verdict.code
    }

    /// Says that a comparison that passed leaves figures undecided; one that was interrupted has not passed.
    func sayUndecided(_ compared: Compared, _ verdict: RunVerdict) {
        let undecided = compared.judged.count { $0.verdict == .inconclusive }
        guard undecided > 0, verdict.code == .passed else { return }
        StandardError.write(
            "Passed, with \(undecided) of \(compared.judged.count) values inconclusive; "
                + "--fail-on inconclusive fails on them.")
    }

    /// Writes the pages, and prints the findings.
    func show(_ compared: Compared, _ verdict: RunVerdict) throws {
        if let folder = compared.folder {
            let page = ComparisonPage(
                compared.rows, baseline: compared.sides[0].page, candidate: compared.sides[1].page,
                verdict: verdict, notes: compared.unmatched + compared.notes, marks: marks)
            try folder.write(page.html, as: "comparison.html")
            for (name, format) in [
                ("benchmark-smaller.json", FigureFormat.githubBenchmark),
                ("benchmark-bigger.json", .githubBenchmarkBigger),
            ] {
                try folder.write(try format.text(figures(compared), of: compared.sides[1].run), as: name)
            }
        }
        try printFindings(compared, verdict)
        for line in compared.unmatched + compared.notes { StandardError.write("note: \(line)") }
        StandardError.write(ComparisonTable.summary(compared.rows))
    }

    private func printFindings(_ compared: Compared, _ verdict: RunVerdict) throws {
        let (rows, width) = (compared.rows, StandardOutput.width)
        switch format {
        case .github:
            let failures = verdict.gates.filter { !$0.passed }.map { "\($0.name): \($0.reason)" }
            try StandardOutput.write(
                ComparisonComment(
                    rows, marks: marks, failures: failures, unmatched: compared.unmatched, notes: compared.notes
                ).text)
        case .usual(.figures(let format)):
            try StandardOutput.write(figures(compared), as: format, of: compared.sides[1].run)
        case .usual(.tables(let format)) where format == .csv || format == .json:
            try StandardOutput.write(ComparisonTable.tidy(rows).rendered(as: format))
        case .usual(.tables(let format)):
            try StandardOutput.write(
                ComparisonTable.tables(rows, marks: marks, all: all).rendered(as: format, width: width))
        }
    }

    /// The candidate's figures, with their verdicts.
    private func figures(_ compared: Compared) -> [PublishedFigure] {
        let remarks = Dictionary(
            compared.rows.compactMap { row in
                Metric(rawValue: row.metric).map { metric in
                    (
                        FigureKey(
                            phase: RowKey(scenario: row.scenario, strategy: row.strategy, phase: row.phase),
                            metric: metric),
                        row.reason.isEmpty ? row.verdict.rawValue : "\(row.verdict.rawValue): \(row.reason)"
                    )
                }
            }
        ) { first, _ in first }
        return ComparedRuns.figures(compared.sides[1].results) { remarks[FigureKey(phase: $0, metric: $1)] }
            .filter { $0.remark != nil }
    }

    private var bounds: Set<String> { Set(marks.filter { $0.value == StrategyRole.baseline.rawValue }.keys) }

    /// The roles of strategies that never fail the gate.
    private var marks: [String: String] { StrategyRegistry.current.marks }
}
