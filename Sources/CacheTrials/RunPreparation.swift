import BuiltInStrategies
import CacheStrategies
import Foundation
import Measurement
import Payloads
import Reports
import Sharding
import TimedStrategies
import TrialModel
import TrialSessions

/// A run from its arguments to its exit code.
struct RunPreparation {
    let files: [ScenarioArguments.File]
    let chosen: [Strategy]?
    let repetitions: Int?
    let seed: UInt64?
    let smoke: Bool
    /// Whether strategies are held to their promises in every scenario, and not only where it says so.
    let check: Bool
    /// Whether the strategies of a scenario take turns of some milliseconds.
    var interleaves = false
    let output: String
    let resume: Bool
    let quiet: Bool
    let budget: Duration?
    let deadline: Duration?
    /// What to search for; `nil` to run the scenarios as they are.
    let search: RateSearchSettings?
    /// When repetitions are enough; `nil` for a fixed number.
    let stability: RunDescription.Stability?
    /// The part of a plan to run; `nil` for everything.
    var shard: Shard?
    /// When the first trial of the shard starts, so that several machines load a cache together.
    var startAt: Date?
    /// Servers that run already; `nil` where strategies start their own.
    var servers: CacheServers?

    /// Runs all trials, writes the verdict, prints what they found.
    ///
    /// - Returns: the exit code that the verdict asks for.
    func carryOut(format: TableFormat) async throws -> TrialExitCode {
        do {
            let searched = try searchedScenarios()
            let scenarios = searched?.map(\.scenario) ?? files.map { prepared($0.scenario) }
            try ThisProgram.checkOrigins(of: scenarios)
            try checkStrategies(of: scenarios)
            try ApplicableStrategies(chosen: chosen).noteLeftOut(of: scenarios)
            let (folder, finished) = try openFolder(scenarios)
            let executable = try ThisProgram.path()
            try ThisProgram.checkDescriptors()
            var description = try await RunDescription.describing(
                files: files, scenarios: scenarios,
                strategies: Set(scenarios.flatMap { strategies(for: $0).map(\.declaration.name) }),
                repetitions: search?.repetitions ?? stability?.repetitionsMax ?? repetitions, seed: seed, smoke: smoke)
            description.rateSearch = search
            description.shard = shard?.reference
            description.stability = stability
            if scenarios.contains(where: \.check) { description.check = true }
            if interleaves { description.interleaved = true }
            // A run that was killed as it began has no description, and nothing yet that could differ.
            let hasBegun = try !finished.isEmpty || ResultFolder.bytes(of: "run.json", in: output) != nil
            if resume, hasBegun { try carryOn(from: try ResultFolder.readRun(at: output), &description) }
            try folder.writeRun(description)
            if let shard { try folder.write(try ShardFile.text(of: shard), as: ShardFile.copyName) }
            let plan = plan(scenarios, finished: finished)
            var closing = ClosingOutput(folder: output, search: search)
            if search == nil, scenarios.count > 1, format == .table { closing.early = EarlyTables(of: plan) }
            let session = session(plan, searched, folder, finished: finished, executable: executable, closing)
            let before = NoiseReading.current()
            let ending = await Interruption.cancelling { try await session() }
            description.end = .now
            description.noteNoise(since: before)
            description.loadAfter = Machine.currentLoadAverage()
            let verdict = try conclude(ending, folder, &description)
            try closing.write(format: format)
            report(verdict, description, ending)
            writePage()
            return TrialExitCode(rawValue: verdict.exitCode) ?? .harnessTrouble
        } catch {
            return .ending(with: error)
        }
    }

    /// Writes the verdict and the description, whatever the ending was.
    private func conclude(
        _ ending: Interruption<RunSession.Summary>, _ folder: ResultFolder, _ description: inout RunDescription
    ) throws -> RunVerdict {
        let results = try ResultFolder.read(at: output)
        let trials = results.map(\.trial)
        let promises = try ResultFolder.readConsistency(at: output)
        let missed: [String]? = if case .ended(let summary) = ending { summary.missedControls } else { nil }
        var gates = RunGates(registry: .current).gates(for: trials, promises: promises, missedControls: missed)
        description.stability?.open = stability?.open(results) ?? []
        var interruption: TrialExitCode?
        switch ending {
        case .ended(let summary):
            description.partial = summary.isPartial
            // Repetitions that only a closer figure would have needed are not missing.
            let missing = summary.leftOut.filter { stability == nil || $0.repetition <= repetitions ?? 1 }
            description.leftOut = missing.map {
                RunDescription.LeftOut(
                    what: "\($0.scenario), \($0.strategy), repetition \($0.repetition)", reason: "time budget")
            }
        case .interrupted(let code):
            interruption = code
        case .failed(let error):
            gates.append(Gate(name: "harness", passed: false, reason: "\(error)", exitCode: .harnessTrouble))
        }
        let verdict = RunVerdict(gates: gates, interruption: interruption)
        try folder.writeVerdict(verdict)
        try folder.writeRun(description)
        let exempt = StrategyRegistry.current.unjudged
        let cases =
            JUnitXML.cases(of: verdict) + JUnitXML.cases(of: trials, exempt: exempt)
            + JUnitXML.cases(of: promises, exempt: exempt)
        try folder.write(JUnitXML.render(suite: "cache-trials run", cases), as: "junit.xml")
        return verdict
    }

    func prepared(_ scenario: Scenario) -> Scenario {
        var prepared = smoke ? scenario.smoke() : scenario
        if let seed { prepared.seed = seed }
        // Writing operations down takes time, which searches and stable figures are about.
        prepared.check = (check || scenario.check) && search == nil && stability == nil
        if prepared.check { prepared = prepared.checkable() }
        guard let generator = shard?.generator else { return prepared }
        return prepared.share(ofGenerator: generator.number, of: generator.count)
    }

    func strategies(for scenario: Scenario) -> [Strategy] {
        guard let shard else { return ApplicableStrategies(chosen: chosen).of(scenario) }
        let names = Set(shard.trials.filter { $0.scenario == scenario.name }.map(\.strategy))
        return StrategyRegistry.current.ordered(names).compactMap { StrategyRegistry.current[$0] }
    }

    /// Whether every strategy can be opened, before anything is run.
    private func checkStrategies(of scenarios: [Scenario]) throws(HarnessError) {
        for scenario in scenarios {
            let off = chosen == nil ? scenario.strategies ?? [] : []
            if let off = StrategyRegistry.off.first(where: { off.contains($0.name) }) {
                throw HarnessError("\(scenario.name) names the strategy \(off.name), which is off: \(off.reason)")
            }
            for registration in strategies(for: scenario) {
                let name = registration.baseName
                if shard?.generator != nil, registration.declaration.reach == .manyMachines,
                    servers?.addresses[name] == nil
                {
                    throw HarnessError(
                        "generators load one cache together, and each would start a \(name) of its own: say --\(name) "
                            + "host:port, the same for all")
                }
                guard servers?.addresses[name] == nil, let absence = registration.absence() else { continue }
                let flag = registration.declaration.reach == .manyMachines ? ", or say --\(name) host:port" : ""
                throw HarnessError("the strategy \(name) can't be run: \(absence)\(flag)")
            }
        }
    }

    /// The scenarios as a search needs them; `nil` when there is none.
    func searchedScenarios() throws(RateSearchError) -> [SearchedScenario]? {
        guard let search else { return nil }
        var searched: [SearchedScenario] = []
        for file in files { searched.append(try SearchedScenario(prepared(file.scenario), search)) }
        return searched
    }

    private typealias Session = @Sendable () async throws -> RunSession.Summary

    /// What is left to run.
    private func session(
        _ plan: RunPlan, _ searched: [SearchedScenario]?, _ folder: ResultFolder,
        finished: Set<TrialIdentity>, executable: String, _ closing: ClosingOutput
    ) -> Session {
        if let search, let searched {
            let whole = Set(finished.map(\.search))
            let entries = searched.flatMap { searched in
                strategies(for: searched.scenario).map {
                    RateSearchSession.Entry(searched: searched, registration: $0)
                }
            }.filter { !whole.contains($0.identity) }
            let session = RateSearchSession(
                entries: entries, settings: search, folder: folder,
                progress: progress(total: entries.count, finished: whole.count), executable: executable,
                budget: budget, deadline: deadline, servers: servers)
            return { try await session.run() }
        }
        var session = RunSession(
            plan: plan, folder: folder,
            progress: progress(
                total: plan.entries.count + RunSession.controlCount(of: plan), finished: finished.count, closing),
            executable: executable, registry: .current, budget: budget, deadline: deadline, rule: rule(),
            servers: servers)
        session.starts = starts
        session.interleaves = interleaves
        return { [session] in try await session.run() }
    }

    /// At least as many repetitions as were asked for, and as many as it takes.
    private func rule() -> RepetitionRule? {
        guard let stability else { return nil }
        let fewest = repetitions ?? 1
        // A folder that can't be read any more fails where its rows are needed.
        let earlier = resume ? (try? ResultFolder.read(at: output)) ?? [] : []
        return RepetitionRule(earlier: earlier) { results, count in
            count >= fewest && !results.isEmpty && stability.open(results).isEmpty
        }
    }

    private func progress(total: Int, finished: Int, _ closing: ClosingOutput? = nil) -> RunProgress {
        RunProgress(
            total: total + finished, resumed: finished,
            style: RunProgress.style(for: .standardError(), isQuiet: quiet),
            output: { trial in
                guard let closing, closing.early?.isDue(after: trial) == true else { return nil }
                // What can't be read or written now can't be at the end either, which says so.
                return { try? closing.write(tablesOf: trial.scenario) }
            })
    }

    private func openFolder(_ scenarios: [Scenario]) throws -> (ResultFolder, finished: Set<TrialIdentity>) {
        let isChecked = scenarios.contains(where: \.check)
        let files =
            search != nil
            ? ResultFile.ofRateSearch
            : isChecked ? ResultFile.ofCheckedRun : interleaves ? ResultFile.ofInterleavedRun : ResultFile.ofRun
        guard resume else { return (try ResultFolder.create(at: output, files: files), []) }
        // Whoever starts shards does not know which of them ever began.
        if shard != nil, try ResultFolder.bytes(of: ResultFile.trials.rawValue, in: output) == nil {
            return (try ResultFolder.create(at: output, files: files), [])
        }
        // Before anything in the folder is touched: its files and phases are those of another run.
        if let earlier = try? ResultFolder.readRun(at: output) {
            if earlier.rateSearch != search {
                throw ResumeError("--find-max-rate or what belongs to it is not as it was", output)
            }
            if earlier.shard != shard?.reference { throw ResumeError("it holds another shard, or none", output) }
            if (earlier.interleaved ?? false) != interleaves { throw ResumeError("--mode is not as it was", output) }
            if (earlier.check ?? false) != isChecked { throw ResumeError("--check is not as it was", output) }
        }
        let phases = Dictionary(scenarios.map { ($0.name, $0.phases.map(\.name)) }) { first, _ in first }
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
        if earlier.smoke != description.smoke { throw ResumeError("--smoke is not as it was", output) }
        if shard != nil, earlier.host.kind != description.host.kind {
            // Rows of a shard are of one kind of machine.
            throw ResumeError("it was begun on \(earlier.host.kind), and this is \(description.host.kind)", output)
        }
        if shard != nil, earlier.gitCommit != description.gitCommit {
            throw ResumeError("it was begun by another commit of cache-trials", output)
        }
        if earlier.gitCommit != description.gitCommit {
            StandardError.write("The results so far are of another commit; their trials are not run again.")
        }
        description.start = earlier.start
    }
}

/// A folder whose results belong to another experiment.
struct ResumeError: Error, CustomStringConvertible {
    let description: String

    init(_ difference: String, _ output: String) {
        description =
            "\(output) can't be carried on: \(difference); its trials would be compared with others than their own. "
            + "Choose another --output"
    }
}
