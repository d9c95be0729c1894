import BuiltInStrategies
import CacheStrategies
import Foundation
import Reports
import ScenarioFiles
import TimedStrategies
import TrialModel
import TrialSessions

extension MergeCommand {
    /// Merges the results.
    ///
    /// - Returns: the exit code that a single run of everything would have.
    /// - Throws: ``ShardError``, `ReportsError`.
    func carryOut() throws -> TrialExitCode {
        let summary = try plan.map { try PlanSummary.read(folder: $0) }
        // In the order of the shards, not of the arguments.
        let parts = try results.compactMap(part).sorted {
            ($0.shard.number, $0.shard.generator?.number ?? 0) < ($1.shard.number, $1.shard.generator?.number ?? 0)
        }
        try MergeCheck.requireOnePlan(parts)
        try MergeCheck.requireDistributions(parts)
        if let plan, let summary, let part = parts.first(where: { !$0.belongs(to: summary) }) {
            throw ShardError("\(part.path): is of plan \(part.shard.plan), and \(plan) holds plan \(summary.plan)")
        }
        let merge = try ResultMerge(parts, sharesCache: Self.sharesCache)
        if !allowMissing { try MergeCheck.requireAll(parts, merge, plan: summary) }
        guard let first = parts.first else { throw ShardError("there is nothing to merge", .usage) }
        let contents = ResultContents(
            results: try Self.judged(merge.contents.results, first.shard), searches: merge.contents.searches,
            consistency: merge.contents.consistency)
        let folder = try ResultFolder.create(
            at: output, files: Self.files(of: first) + Self.others(of: parts) + [.machines])
        try folder.append(contents.results, search: contents.searches, consistency: contents.consistency)
        try folder.append(merge.replays)
        try folder.append(merge.machines)
        let description = try description(parts, merge, summary)
        let verdict = verdict(parts, contents, isReplay: first.shard.replay != nil)
        let exempt = StrategyRegistry.current.unjudged
        try folder.write(
            verdict, suite: "cache-trials merge",
            cases: JUnitXML.cases(of: contents.results.map(\.trial), exempt: exempt)
                + JUnitXML.cases(of: contents.consistency.map(\.row), exempt: exempt))
        try folder.writeRun(description)
        try say(merge, folder, description, verdict, first)
        return verdict.code
    }

    /// - Returns: `nil` for a folder of a shard that never began, when shards may be missing.
    private func part(_ path: String) throws -> ResultMerge.Part? {
        guard let copy = try ResultFolder.bytes(of: ShardFile.copyName, in: path) else {
            let isMerged = try ResultFolder.bytes(of: ResultFile.machines.rawValue, in: path) != nil
            if allowMissing, !isMerged {
                StandardError.write("note: \(path) is left out: no shard began there")
                return nil
            }
            throw ShardError(
                isMerged
                    ? "\(path): was merged before; name the folders of its shards"
                    : "\(path): holds no \(ShardFile.copyName), so no shard ran there; name result folders of 'run --shard'"
            )
        }
        let shard = try ShardFile.read(Data(copy), path: "\(path)/\(ShardFile.copyName)")
        let run = try ResultFolder.readRun(at: path)
        guard shard.replay == nil else {
            return ResultMerge.Part(
                path: path, shard: shard, run: run, contents: ResultContents(),
                replays: try ResultFolder.readReplay(at: path))
        }
        return ResultMerge.Part(path: path, shard: shard, run: run, contents: try ResultFolder.readContents(at: path))
    }

    /// Whether several generators load one server; caches of other strategies are in the generators' own processes.
    private static func sharesCache(_ strategy: String) -> Bool {
        StrategyRegistry.current[strategy]?.declaration.reach == .manyMachines
    }

    /// The files of parts with scenarios of some kinds, besides the files of every run.
    private static func others(of parts: [ResultMerge.Part]) -> [ResultFile] {
        ResultFile.others(of: parts.lazy.flatMap(\.contents.results))
    }

    private static func files(of part: ResultMerge.Part) -> [ResultFile] {
        if part.shard.replay != nil { return ResultFile.ofReplay }
        if part.shard.options.search != nil { return ResultFile.ofRateSearch }
        return part.run.check == true ? ResultFile.ofCheckedRun : ResultFile.ofRun
    }

    /// The expectations on a phase are judged again when several generators ran it.
    ///
    /// - Throws: ``ShardError`` with the mistakes of a scenario that this program can't read.
    static func judged(_ results: [PhaseResult], _ shard: Shard) throws(ShardError) -> [PhaseResult] {
        guard shard.generator != nil else { return results }
        // Traces were read where the trials ran; only the expectations are used here.
        var phases: [ScenarioPoint: [String: Phase]] = [:]
        for planned in shard.scenarios {
            let reader = ScenarioReader(
                knownStrategies: StrategyRegistry.current.names,
                otherStrategies: StrategyRegistry.current.sharingNames
            ) { _ in
                KeyTraceFacts.defaults.with {
                    ($0.requestCount, $0.keyCount, $0.hasLifetimes, $0.hasTimes) = (1, 1, true, true)
                    $0.sizes = KeyTraceFacts.Sizes(smallest: 64, largest: 64, total: 64)
                }
            }
            let points: [Scenario]
            do {
                points = try reader.points(text: planned.text, file: planned.path, sweep: shard.options.sweep ?? [])
            } catch {
                throw ShardError("the expectations of \(planned.name) can't be judged again:\n\(error)")
            }
            for scenario in points {
                phases[scenario.point] = Dictionary(scenario.phases.map { ($0.name, $0) }) { first, _ in first }
            }
        }
        return results.map { result in
            guard let phase = phases[result.trial.key.trial.scenario]?[result.trial.key.phase],
                !phase.expectations.isEmpty, !phase.warmUp, result.trial.status == .completed
            else { return result }
            var judged = result
            let shortfalls = phase.expectations.compactMap { $0.shortfall(in: result) }
            judged.trial.expectationsFailed = UInt64(shortfalls.count)
            judged.trial.reason = ([result.trial.reason] + shortfalls).filter { !$0.isEmpty }.joined(separator: "; ")
            return judged
        }
    }

    private func description(
        _ parts: [ResultMerge.Part], _ merge: ResultMerge, _ summary: PlanSummary?
    ) throws -> RunDescription {
        let kinds = try MachineSelection(merge.machines)
        // The machine that is compared; all machines are listed below.
        let chief = parts.first { $0.run.host.kind == kinds.chosen } ?? parts[0]
        var run = chief.run
        let positions = Dictionary(
            parts.flatMap(\.shard.trials).map { ($0.scenario, $0.position) }, uniquingKeysWith: min)
        var seen: Set<ScenarioPoint> = []
        run.scenarios = parts.flatMap(\.run.scenarios)
            .sorted { (positions[$0.name] ?? 0, $0.name) < (positions[$1.name] ?? 0, $1.name) }
            .filter { seen.insert($0.name).inserted }
        let strategies = Set(parts.flatMap(\.run.strategies))
        run.strategies = StrategyRegistry.current.ordered(strategies)
        run.commandLine = CommandLine.arguments
        run.start = parts.map(\.run.start).min() ?? run.start
        let ends = parts.compactMap(\.run.end)
        run.end = ends.count == parts.count ? ends.max() : nil
        run.leftOut =
            merge.missing.map {
                RunDescription.LeftOut(
                    what: "\($0.scenario), \($0.strategy), repetition \($0.repetition)",
                    reason: "not in any shard's results")
            }
            + MergeCheck.missingShards(parts, plan: summary).map {
                RunDescription.LeftOut(what: "shard \($0.label)", reason: "no result folder of it was merged")
            }
        run.partial = !run.leftOut.isEmpty || parts.contains { $0.run.partial }
        // The values of each part are listed with its machine.
        (run.noise, run.loadBefore, run.loadAfter, run.shard) = (nil, nil, nil, nil)
        run.merged = RunDescription.Merged(
            plan: chief.shard.plan,
            parts: parts.map { RunDescription.MergedPart(shard: $0.shard.reference, run: $0.run) })
        return run
    }

    /// The gates of a single run of everything, and the reasons why a shard did not end.
    private func verdict(_ parts: [ResultMerge.Part], _ contents: ResultContents, isReplay: Bool) -> RunVerdict {
        guard !isReplay else { return RunVerdict(gates: []) }
        var gates = RunGates(registry: .current).gates(
            for: contents.results.map(\.trial), promises: contents.consistency.map(\.row),
            missedControls: parts.contains { $0.run.check == true } ? [] : nil)
        for part in parts {
            // Failures that the rows do not show: a harness that stopped early, controls that were not noticed.
            guard let own = try? ResultFolder.readVerdict(at: part.path) else {
                gates.append(
                    VerdictGate(
                        name: "shard \(part.shard.label)", passed: false,
                        reason: "\(part.path) holds no verdict: it was killed",
                        exitCode: .harnessTrouble))
                continue
            }
            for gate in own.gates where !gate.passed && ["harness", "controls"].contains(gate.name) {
                gates.append(
                    VerdictGate(
                        name: "\(gate.name), shard \(part.shard.label)", passed: false, reason: gate.reason,
                        exitCode: gate.exitCode))
            }
        }
        return RunVerdict(gates: gates)
    }

    private func say(
        _ merge: ResultMerge, _ folder: ResultFolder, _ description: RunDescription, _ verdict: RunVerdict,
        _ first: ResultMerge.Part
    ) throws {
        if first.shard.replay == nil {
            try ClosingOutput(folder: folder, search: first.shard.options.search).write(format: format)
        } else {
            try StandardOutput.write(ReplayTable.tidy(merge.replays).rendered(as: format))
        }
        for note in merge.notes { StandardError.write("note: \(note)") }
        verdict.sayFailures()
        for part in description.merged?.parts ?? [] {
            for warning in part.noise?.warnings ?? [] { StandardError.write("warning: \(part.host.name): \(warning)") }
        }
        if description.partial {
            StandardError.write(
                "Partial: \(description.leftOut.count) trials or shards are missing; run.json names them")
        }
        StandardError.write("Results: \(output)")
    }
}

extension ResultMerge.Part {
    /// Whether a plan has exactly this shard.
    fileprivate func belongs(to plan: PlanSummary) -> Bool {
        plan.plan == shard.plan && plan.shards.contains { $0.file == shard.fileName && $0.digest == shard.digest }
    }
}
