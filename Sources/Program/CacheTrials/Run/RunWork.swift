import BuiltInStrategies
import CacheStrategies
import Comparison
import Foundation
import Measurement
import Origins
import ReportPage
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// A run from its arguments to its exit code.
struct RunWork {
    let request: RunRequest
    let output: String
    let resume: Bool
    /// The kinds of differences between builds and machines with which a run may be continued.
    var allowed: Set<RunDifference.Kind> = []
    let quiet: Bool
    var budget: Duration?
    let deadline: Duration?
    /// Servers that already run; `nil` when strategies start their own.
    var servers: CacheServers?
    /// What counts instructions; `nil` when times are measured.
    var callgrind: Callgrind?
    /// What is printed in place of tables; `nil` for tables.
    var narration: Narration?

    /// Texts about the measured phases, for standard output.
    struct Narration: Sendable {
        /// Before the first trial.
        let opening: String
        /// After each trial, about each of its measured phases.
        let afterTrial: @Sendable (PhaseResult) -> String
        /// At the end, about all phases.
        let closing: @Sendable ([PhaseResult]) -> String
    }

    func carryOut(format: RunFormat) async throws -> TrialExitCode {
        let scenarios = request.files.map { request.prepared($0.scenario) }
        try ThisProgram.checkOrigins(of: scenarios)
        try checkStrategies(of: scenarios)
        try ApplicableStrategies(chosen: request.chosen).noteLeftOut(of: scenarios)
        let makeRunner = try makeRunner()
        let whole = request.plan(scenarios)
        let part = try request.part(of: whole)
        // What may refuse to continue a run comes before anything in its folder is touched.
        let earlier = try earlierRun(scenarios, part)
        var description = try await description(of: scenarios, part, after: earlier)
        let (folder, finished) = try openFolder(scenarios, part)
        let own = part.map { Set($0.trials.map(\.identity)) }
        let plan = whole.filter { own?.contains($0) != false && !finished.contains($0) }
        // A part has the same trials in every command.
        if part == nil, let earlier { description.leftOut += earlier.leftBehind(by: whole, folder.contents) }
        let closing = ClosingOutput(folder: folder, isCounted: request.isCounted)
        if let narration { try StandardOutput.write(narration.opening) }
        var session = session(plan, folder, finished: finished, makeRunner)
        session.orders?.shares = try request.orderShares(of: whole)
        var work = try await Work(in: [(folder, nil)], description) { [session] in try await session.run() }
        try work.write(judged(work.ending, folder.contents, &work.description))
        do {
            if let narration {
                try StandardOutput.write(narration.closing(folder.contents.results.filter(Self.isMeasured)))
            } else {
                try closing.write(format: format)
            }
        } catch let error as ReportsError
            where error.exitCode == .badInput && work.verdict.code != .passed
        {
            // A line of figures that can't be added hides no finding.
            StandardError.error("\(error)")
        }
        // A verb that narrates has no `--resume`.
        let code = work.end(at: output, isResumable: narration == nil, remarks: remarks(on: work.description))
        writePage()
        return code
    }

    /// A warm-up has no latencies, unless it failed.
    private static func isMeasured(_ result: PhaseResult) -> Bool {
        !result.latency.isEmpty || result.trial.status != .completed
    }

    /// The description of this run on this machine; it keeps the start of an earlier run that continues.
    private func description(
        of scenarios: [Scenario], _ part: RunDescription.Shard?, after earlier: RunDescription?
    ) async throws -> RunDescription {
        let subjects = zip(request.files, scenarios).map { file, scenario in
            WorkSubject(file, as: scenario, strategies: request.strategies(for: scenario))
        }
        var description = try await RunDescription.describing(
            subjects, part: part, repetitions: request.repetitions, seed: request.seed, smoke: request.smoke)
        if request.decides { description.untilDecided = true }
        if isChecked(scenarios, part) { description.check = true }
        if request.turns != .none { description.interleaved = true }
        if request.isCounted { description.counted = true }
        guard let earlier else { return description }
        if earlier.untilDecided == true { description.untilDecided = true }
        try description.carryOn(from: earlier, at: output, isOneMachine: part != nil, mayGrow: true, allowing: allowed)
        if earlier.gitCommit != description.gitCommit {
            if part != nil { throw Refusal.resuming(output, "it was started by another commit of cache-trials") }
            StandardError.write("The results so far are of another commit; their trials are not run again.")
        }
        return description
    }

    /// The gates of the run, after any ending.
    private func judged(
        _ ending: Interruption<RunSession.Summary>, _ contents: ResultContents, _ description: inout RunDescription
    ) -> WorkJudgement {
        let trials = contents.results.map(\.trial)
        let promises = contents.consistency.map(\.row)
        var missedControls: [String]?
        var left: [RunDescription.LeftOut] = []
        if case .ended(let summary) = ending {
            missedControls = summary.missedControls
            summary.orders.map(Self.note)
            // Repetitions that only an open question needs are not missing.
            let missing = summary.leftOut.filter { !request.decides || $0.repetition == 1 }
            left =
                missing.map { RunDescription.LeftOut(what: $0.label, reason: RunDescription.LeftOut.timeBudget) }
                + summary.hanging.map { RunDescription.LeftOut(what: $0.label, reason: "it had hung twice") }
        }
        // What an earlier command left out, and this one did not name, is still missing.
        let settled = Set(left.map(\.what) + trials.map(\.key.trial.label))
        let earlier = description.leftOut.filter { !settled.contains($0.what) }
        description.leftOut =
            earlier.map { RunDescription.LeftOut(what: $0.what, reason: RunDescription.LeftOut.earlierCommand) } + left
        return WorkJudgement(
            gates: StrategyRegistry.current.gates(
                for: trials, promises: promises, expecting: description.expecting, missedControls: missedControls),
            cases: JUnitXML.cases(of: contents), suite: "cache-trials run")
    }

    /// Says whose orders were tried, and whose were not.
    private static func note(_ orders: OrderTrials.Report) {
        if let counts = orders.orders {
            let undecided = orders.undecided.joined(separator: ", ")
            let each = counts.count == 1 ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
            StandardError.write(
                "Interleavings: \(each) each of \(orders.explored.joined(separator: ", "))"
                    + (undecided.isEmpty
                        ? "" : "; they violated nothing of \(undecided), whose interleavings can't all be chosen"))
        }
        var left = NamesByReason()
        for (strategy, reason) in orders.unexplored { left.add(strategy, reason) }
        for (reason, names) in left.groups {
            StandardError.write("No interleavings of \(names.joined(separator: ", ")): \(reason)")
        }
    }

    /// Refuses strategies that can't be opened, before anything is run.
    private func checkStrategies(of scenarios: [Scenario]) throws(HarnessError) {
        for scenario in scenarios {
            let off = request.chosen == nil ? scenario.strategies ?? [] : []
            if let off = StrategyRegistry.off.first(where: { off.contains($0.name) }) {
                throw HarnessError("\(scenario.name) names the strategy \(off.name), which is off: \(off.reason)")
            }
            for registration in request.strategies(for: scenario) {
                let name = registration.baseName
                if servers?.addresses[name] != nil, scenario.point.swept[.capacity] != nil {
                    throw HarnessError(
                        "the sweep varies the capacity, and a server that already runs keeps its own; leave out "
                            + "--\(name), so that a server is started for each trial")
                }
                guard servers?.addresses[name] == nil, let absence = registration.absence() else { continue }
                let flag =
                    registration.declaration.reach == .manyMachines ? ", or name a server with --\(name) host:port" : ""
                throw HarnessError("the strategy \(name) can't be run: \(absence)\(flag)")
            }
        }
    }

    private func makeRunner() throws -> MakeTrialRunner {
        let program = try ThisProgram.starter()
        return { [deadline, servers, callgrind, interleaves = request.turns != .none] in
            try TrialRunner(
                programs: [program], deadline: deadline, servers: servers, interleaves: interleaves,
                callgrind: callgrind)
        }
    }

    /// The session for the trials that are left.
    private func session(
        _ plan: RunPlan, _ folder: ResultFolder, finished: Set<TrialIdentity>,
        _ makeRunner: @escaping MakeTrialRunner
    ) -> RunSession {
        var session = RunSession(
            plan: plan, folder: folder,
            progress: RunProgress(
                total: plan.entries.count { !request.decides || $0.identity.repetition == 1 }
                    + RunSession.controlCount(of: plan), finished: finished.count, limit: budget, isQuiet: quiet
            ) { trial in
                guard let narration else { return nil }
                let phases = folder.contents.results.filter { $0.trial.key.trial == trial && Self.isMeasured($0) }
                let text = phases.map(narration.afterTrial).joined()
                return { try? StandardOutput.write(text) }
            },
            registry: .current, budget: budget, rule: rule(folder, plan.scenarios), runner: makeRunner)
        session.interleaves = { [request] in request.takesTurns($0) }
        if request.orders > 0 {
            session.orders = OrderTrials(count: request.orders, folder: folder) { [orders = request.orders] in
                try ExplorationRunner(program: try ThisProgram.starter(), orders: orders, deadline: nil)
            }
        }
        return session
    }

    /// Three repetitions, and more where they may tell more about who is best. All strategies of a scenario have equally
    /// many, since each repetition has other keys; but those that failed are not repeated. A sweep has as many as it asks
    /// for.
    private func rule(_ folder: ResultFolder, _ scenarios: [Scenario]) -> RepetitionRule? {
        let earlier = folder.contents.results
        guard request.decides else { return nil }
        var rules = StrategyRegistry.current.rankingRules
        for scenario in scenarios {
            rules.questions[scenario.point] = scenario.question
            rules.smallestDifferences[scenario.point] = scenario.differences
        }
        return RepetitionRule(earlier: earlier) { [rules] results in
            guard let scenario = results.first?.trial.key.scenario, scenario.swept.isEmpty else {
                return Set(results.map(\.trial.key.strategy))
            }
            return ScenarioRanking.all(results, rules).reduce(into: []) { $0.formUnion($1.repeated) }
        }
    }

    /// Whether this run, or this shard of it, checks promises.
    private func isChecked(_ scenarios: [Scenario], _ part: RunDescription.Shard?) -> Bool {
        let own = part.map { Set($0.trials.map(\.identity.scenario)) }
        return scenarios.contains { $0.check && own?.contains($0.point) != false }
    }

    /// The description of the run that continues; `nil` where none does.
    ///
    /// - Throws: ``Refusal`` when the files and phases in the folder are those of another run.
    private func earlierRun(_ scenarios: [Scenario], _ part: RunDescription.Shard?) throws -> RunDescription? {
        guard resume else { return nil }
        // A run that was killed at its start has no description yet, and no row that could differ.
        func hasRows() throws -> Bool {
            let bytes = try ResultFolder.bytes(of: ResultFile.trials.rawValue, in: output) ?? []
            return bytes.count { $0 == UInt8(ascii: "\n") } > 1
        }
        guard try ResultFolder.bytes(of: "run.json", in: output) != nil || hasRows() else { return nil }
        let earlier = try ResultFolder.readRun(at: output)
        if earlier.shard != part {
            throw Refusal.resuming(output, "it holds another shard, or none")
        }
        if (earlier.interleaved ?? false) != (request.turns != .none) {
            throw Refusal.resuming(output, "--turns has changed")
        }
        if (earlier.counted ?? false) != request.isCounted || (earlier.check ?? false) != isChecked(scenarios, part) {
            throw Refusal.resuming(output, "it is of another verb")
        }
        return earlier
    }

    private func openFolder(
        _ scenarios: [Scenario], _ part: RunDescription.Shard?
    ) throws -> (ResultFolder, finished: Set<TrialIdentity>) {
        let isChecked = isChecked(scenarios, part)
        let files =
            ResultFile.ofRun
            + [
                (ResultFile.slices, request.turns != .none), (.functions, callgrind?.keepsProfile == true),
                (.consistency, isChecked),
            ].filter(\.1).map(\.0)
            + ResultFile.others(of: scenarios)
        guard resume else { return (try ResultFolder.create(at: output, files: files), []) }
        // A script that starts shards does not know which of them ever began.
        if part != nil { try ResultFolder.removeUnbegun(at: output) }
        if part != nil, try ResultFolder.bytes(of: ResultFile.trials.rawValue, in: output) == nil {
            return (try ResultFolder.create(at: output, files: files), [])
        }
        for line in try ResultFolder.missingColumns(at: output) { StandardError.write("note: \(line)") }
        let phases = Dictionary(scenarios.map { ($0.point, $0.phases.map(\.name)) }) { first, _ in first }
        return try ResultFolder.reopen(at: output, phases: phases, files: files)
    }
}

extension RunWork {
    /// Writes the page of everything in the folder, unless it is a shard's: all shards have one page together.
    ///
    /// A page that can't be written does not invalidate the run.
    private func writePage() {
        guard request.shard == nil else { return }
        do {
            let page = try ReportPage.read([output])
            try ResultFolder.writeText(page.html, to: "\(output)/report.html")
            try ResultFolder.writeText(page.markdown, to: "\(output)/summary.md")
            StandardError.write("Page: \(output)/report.html")
        } catch {
            StandardError.write("warning: no page: \(error). To try again: \(ThisProgram.name) report \(output)")
        }
    }

    /// What took turns and what did not, in one line; `nil` where everything did, or nothing was to.
    private var noteOfTurns: String? {
        guard request.turns != .none, let results = try? ResultFolder.read(at: output) else { return nil }
        let scenarios = request.files.map { request.prepared($0.scenario) }
        return TurnsNote(results, without: Set(scenarios.filter { !request.takesTurns($0) }.map(\.point))).text
    }

    /// What readers of the tables must know, a line each.
    private func remarks(on description: RunDescription) -> [String] {
        [noteOfTurns.map { "note: \($0)" }].compactMap(\.self)
            + (description.noise?.warnings ?? []).map { "warning: \($0)" }
    }
}

extension JUnitXML {
    /// A case for each trial, and one for each promise.
    static func cases(of contents: ResultContents) -> [Case] {
        let exempt = StrategyRegistry.current.unjudged
        return cases(of: contents.results.map(\.trial), exempt: exempt)
            + cases(of: contents.consistency.map(\.row), exempt: exempt)
    }
}

/// Which trials of a run took turns, and which ran alone.
struct TurnsNote {
    /// One sentence; `nil` where every trial took turns.
    let text: String?

    /// - Parameter scenarios: those that took no turns because counts decide.
    init(_ results: [PhaseResult], without scenarios: Set<ScenarioPoint>) {
        let trials = Dictionary(grouping: results.map(\.trial), by: \.key.scenario).sorted { $0.key < $1.key }
            .filter { !scenarios.contains($0.key) }
        var whole: [String] = []
        var alone: [String: Int] = [:]
        for (scenario, rows) in trials {
            let strategies = Dictionary(grouping: rows, by: \.key.strategy).mapValues { rows in
                rows.contains { $0.reason.contains(TrialRow.aloneMark) }
            }
            if strategies.values.allSatisfy(\.self) {
                whole.append("\(scenario)")
            } else {
                for (strategy, isAlone) in strategies where isAlone { alone[strategy, default: 0] += 1 }
            }
        }
        let lone = alone.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }.map {
            "\($0) in \($1 == 1 ? "one scenario" : "\($1) scenarios")"
        }
        let exceptions =
            (whole.isEmpty ? [] : ["whole trials ran one after the other in \(ScenarioRanking.list(whole))"])
            + (lone.isEmpty ? [] : ["these ran alone at least once: \(ScenarioRanking.list(lone))"])
        let parts =
            (scenarios.isEmpty ? [] : ["not where counts decide"]) + exceptions
            + (exceptions.isEmpty ? [] : ["trials.csv says why"])
        let isSilent = parts.isEmpty || trials.isEmpty
        text = isSilent ? nil : "strategies alternated in slices, but " + parts.joined(separator: "; ")
    }
}
