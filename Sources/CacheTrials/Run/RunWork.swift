import BuiltInStrategies
import CacheStrategies
import Foundation
import Measurement
import Origins
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// A run from its arguments to its exit code.
struct RunWork {
    let request: RunRequest
    /// Whether the strategies of a scenario take turns of some milliseconds.
    var interleaves = false
    let output: String
    let resume: Bool
    let quiet: Bool
    let budget: Duration?
    let deadline: Duration?
    /// When the first trial of the shard starts, so that several machines load a cache together.
    var startAt: Date?
    /// Servers that already run; `nil` when strategies start their own.
    var servers: CacheServers?
    /// Makes the trial runner; `nil` for one that starts processes of this program.
    var runner: MakeTrialRunner?

    /// What counts instructions; `nil` when times are measured.
    var counter: InstructionCounter?

    private var search: RateSearchSettings? { request.options.search }

    /// Runs all trials, writes the verdict, prints the findings.
    ///
    /// - Returns: the exit code that the verdict asks for.
    func carryOut(format: TableFormat) async throws -> TrialExitCode {
        let searched = try request.searchedScenarios()
        let scenarios = searched?.map(\.scenario) ?? request.files.map { request.prepared($0.scenario) }
        try ThisProgram.checkOrigins(of: scenarios)
        try checkStrategies(of: scenarios)
        try ApplicableStrategies(chosen: request.chosen).noteLeftOut(of: scenarios)
        let makeRunner = try makeRunner()
        let (folder, finished) = try openFolder(scenarios)
        let description = try await description(of: scenarios, hasFinished: !finished.isEmpty)
        if let shard = request.shard { try folder.write(try ShardFile.text(of: shard), as: ShardFile.copyName) }
        let plan = request.plan(scenarios, finished: finished)
        var closing = ClosingOutput(folder: folder, search: search, isCounted: request.isCounted)
        if search == nil, !request.isCounted, scenarios.count > 1, format == .table {
            closing.early = EarlyTables(of: plan)
        }
        var pipeline = Pipeline(
            folder: folder, description: description,
            session: session(plan, searched, folder, finished: finished, closing, makeRunner))
        return try await pipeline.carryOut { ending, description in
            judged(ending, folder.contents, &description)
        } show: { [closing] verdict, description, ending in
            try closing.write(format: format)
            report(verdict, description, ending)
            writePage()
        }
    }

    /// The description of this run on this machine; it keeps the start of an earlier run that continues.
    private func description(of scenarios: [Scenario], hasFinished: Bool) async throws -> RunDescription {
        let (options, stability) = (request.options, request.stability)
        var description = try await RunDescription.describing(
            files: request.files, scenarios: scenarios,
            strategies: Set(scenarios.flatMap { request.strategies(for: $0).map(\.declaration.name) }),
            repetitions: search?.repetitions ?? stability?.repetitionsMax ?? options.repetitions, seed: options.seed,
            smoke: options.smoke)
        description.rateSearch = search
        description.shard = request.shard?.reference
        description.stability = stability
        if scenarios.contains(where: \.check) { description.check = true }
        if interleaves { description.interleaved = true }
        if request.isCounted { description.counted = true }
        // A run that was killed at its start has no description yet, and nothing that could differ.
        let hasBegun = try hasFinished || ResultFolder.bytes(of: "run.json", in: output) != nil
        if resume, hasBegun { try carryOn(from: try ResultFolder.readRun(at: output), &description) }
        return description
    }

    /// The gates of the run, after any ending.
    private func judged(
        _ ending: Interruption<RunSession.Summary>, _ contents: ResultContents, _ description: inout RunDescription?
    ) -> Pipeline<RunSession.Summary>.Judgement {
        let trials = contents.results.map(\.trial)
        let promises = contents.consistency.map(\.row)
        var missedControls: [String]?
        description?.stability?.open = request.stability?.open(contents.results) ?? []
        if case .ended(let summary) = ending {
            missedControls = summary.missedControls
            description?.partial = false
            // Repetitions that only a more precise figure needs are not missing.
            let wanted = request.options.repetitions ?? 1
            let missing = summary.leftOut.filter { request.stability == nil || $0.repetition <= wanted }
            description?.leftOut = missing.map {
                RunDescription.LeftOut(
                    what: "\($0.scenario), \($0.strategy), repetition \($0.repetition)", reason: "time budget")
            }
        }
        let exempt = StrategyRegistry.current.unjudged
        return Pipeline.Judgement(
            gates: RunGates(registry: .current).gates(
                for: trials, promises: promises, missedControls: missedControls),
            cases: JUnitXML.cases(of: trials, exempt: exempt) + JUnitXML.cases(of: promises, exempt: exempt),
            suite: "cache-trials run")
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
                if request.shard?.generator != nil, registration.declaration.reach == .manyMachines,
                    servers?.addresses[name] == nil
                {
                    throw HarnessError(
                        "generators load one cache together, and each would start its own \(name): name one server with --\(name) "
                            + "host:port, the same for all")
                }
                if request.shard?.generator != nil, name == "memcached",
                    scenario.phases.contains(where: { $0.mix[.clear] > 0 })
                {
                    throw HarnessError(
                        "\(scenario.name): memcached can't remove all entries of one cache, so after a 'clear' each "
                            + "generator would use keys of its own; leave 'clear' out of the mix, or run it with redis"
                    )
                }
                guard servers?.addresses[name] == nil, let absence = registration.absence() else { continue }
                let flag =
                    registration.declaration.reach == .manyMachines ? ", or name a server with --\(name) host:port" : ""
                throw HarnessError("the strategy \(name) can't be run: \(absence)\(flag)")
            }
        }
    }

    /// Makes the trial runner: the injected one, or one that starts processes of this program.
    private func makeRunner() throws -> MakeTrialRunner {
        if let runner = runner ?? Surroundings.current?.runner { return runner }
        let executable = try ThisProgram.starter()
        if let counter {
            return { [deadline] in
                try CountingRunner(executable: executable, deadline: deadline, counter: counter)
            }
        }
        return { [deadline, servers, interleaves] in
            try ProcessRunner(
                executables: [executable], deadline: deadline, servers: servers, interleaves: interleaves)
        }
    }

    private typealias Session = @Sendable () async throws -> RunSession.Summary

    /// The session for the trials that are left.
    private func session(
        _ plan: RunPlan, _ searched: [SearchedScenario]?, _ folder: ResultFolder,
        finished: Set<TrialIdentity>, _ closing: ClosingOutput, _ makeRunner: @escaping MakeTrialRunner
    ) -> Session {
        if let search, let searched {
            let whole = Set(finished.map(\.search))
            let entries = searched.flatMap { searched in
                request.strategies(for: searched.scenario).map {
                    RateSearchSession.Entry(searched: searched, registration: $0)
                }
            }.filter { !whole.contains($0.identity) }
            let session = RateSearchSession(
                entries: entries, settings: search, folder: folder,
                progress: progress(total: entries.count, finished: whole.count), budget: budget,
                runner: makeRunner)
            return { try await session.run() }
        }
        var session = RunSession(
            plan: plan, folder: folder,
            progress: progress(
                total: plan.entries.count + RunSession.controlCount(of: plan), finished: finished.count, closing),
            registry: .current, budget: budget, rule: rule(folder), runner: makeRunner)
        session.starts = starts
        session.interleaves = interleaves
        return { [session] in try await session.run() }
    }

    /// When the trials start, when several machines start them together.
    private var starts: [TrialIdentity: Date] {
        guard let shard = request.shard, let startAt else { return [:] }
        let pairs = shard.trials.map { ($0.identity, startAt.addingTimeInterval($0.startSeconds ?? 0)) }
        return Dictionary(pairs) { first, _ in first }
    }

    /// At least as many repetitions as requested, and more until the figures are stable.
    private func rule(_ folder: ResultFolder) -> RepetitionRule? {
        guard let stability = request.stability else { return nil }
        let fewest = request.options.repetitions ?? 1
        return RepetitionRule(earlier: folder.contents.results) { results, count in
            count >= fewest && !results.isEmpty && stability.open(results).isEmpty
        }
    }

    private func progress(total: Int, finished: Int, _ closing: ClosingOutput? = nil) -> RunProgress {
        RunProgress(
            total: total + finished, resumed: finished,
            style: RunProgress.style(for: .standardError(), isQuiet: quiet), write: StandardError.writeAsIs,
            output: { trial in
                guard let closing, closing.early?.isDue(after: trial) == true else { return nil }
                // A read or write that fails here fails again at the end, where it is reported.
                return { try? closing.write(tablesOf: trial.scenario) }
            })
    }

    private func openFolder(_ scenarios: [Scenario]) throws -> (ResultFolder, finished: Set<TrialIdentity>) {
        let isChecked = scenarios.contains(where: \.check)
        let files =
            ResultFile.ofRun
            + [
                (ResultFile.slices, interleaves), (.functions, counter?.callgrind?.keepsProfile == true),
                (.consistency, isChecked), (.rateSearch, search != nil),
            ].filter(\.1).map(\.0)
            + ResultFile.others(of: scenarios)
        guard resume else { return (try ResultFolder.create(at: output, files: files), []) }
        // A script that starts shards does not know which of them ever began.
        if request.shard != nil, try ResultFolder.bytes(of: ResultFile.trials.rawValue, in: output) == nil {
            return (try ResultFolder.create(at: output, files: files), [])
        }
        // Before anything in the folder is touched: its files and phases may be those of another run.
        if let earlier = try? ResultFolder.readRun(at: output) {
            if earlier.rateSearch != search {
                throw ResumeError("--find-max-rate or one of its options has changed", output)
            }
            if earlier.shard != request.shard?.reference {
                throw ResumeError("it holds another shard, or none", output)
            }
            if (earlier.interleaved ?? false) != interleaves || (earlier.counted ?? false) != request.isCounted {
                throw ResumeError("--mode has changed", output)
            }
            if (earlier.check ?? false) != isChecked { throw ResumeError("--check has changed", output) }
        }
        let phases = Dictionary(scenarios.map { ($0.point, $0.phases.map(\.name)) }) { first, _ in first }
        return try ResultFolder.reopen(at: output, phases: phases, files: files)
    }

    /// Refuses to mix trials of different experiments in one folder.
    ///
    /// - Throws: ``ResumeError`` that names what differs.
    private func carryOn(from earlier: RunDescription, _ description: inout RunDescription) throws {
        for scenario in description.scenarios {
            guard let before = earlier.scenarios.first(where: { $0.name == scenario.name }) else { continue }
            if before.sha256 != scenario.sha256 { throw ResumeError("\(scenario.path) has changed", output) }
            if before.traceSha256 != scenario.traceSha256 {
                throw ResumeError("the trace of \(scenario.path) has changed", output)
            }
            if before.seed != scenario.seed {
                throw ResumeError("the seed of \(scenario.name) was \(before.seed), not \(scenario.seed)", output)
            }
        }
        if earlier.smoke != description.smoke { throw ResumeError("--smoke has changed", output) }
        if request.shard != nil, earlier.host.kind != description.host.kind {
            // Rows of a shard are of one kind of machine.
            throw ResumeError("it was started on \(earlier.host.kind), and this is \(description.host.kind)", output)
        }
        if request.shard != nil, earlier.gitCommit != description.gitCommit {
            throw ResumeError("it was started by another commit of cache-trials", output)
        }
        if earlier.gitCommit != description.gitCommit {
            StandardError.write("The results so far are of another commit; their trials are not run again.")
        }
        (description.start, description.loadBefore, description.noise) = (
            earlier.start, earlier.loadBefore, earlier.noise
        )
    }
}

/// A folder whose results belong to another experiment.
struct ResumeError: Error, CustomStringConvertible {
    let description: String

    init(_ difference: String, _ output: String) {
        description =
            "\(output) can't be continued: \(difference), so its trials are not comparable with new ones. "
            + "Choose another --output"
    }
}
