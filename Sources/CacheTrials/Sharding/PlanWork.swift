import ArgumentParser
import CacheStrategies
import Foundation
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// A sweep on its way from arguments to shards.
struct PlanWork {
    let request: RunRequest

    /// The shards.
    ///
    /// - Throws: ``ShardError``, and `RateSearchError` for a scenario that can't be searched.
    func planned(shards: Int?, generators: Int?) throws -> PlannedShards {
        let scenarios =
            try request.searchedScenarios()?.map(\.scenario) ?? request.files.map { request.prepared($0.scenario) }
        let work = request.options.search == nil ? trials(request.plan(scenarios)) : searches(scenarios)
        let texts = try plannedScenarios()
        if let generators { return try together(work, scenarios, texts, generators) }
        let plan = try SweepPlan(work, shards: shards ?? 1)
        let made = plan.parts.enumerated().map { index, positions in
            let names = Set(positions.map { work[$0].identity.scenario })
            return Shard(
                number: index + 1, count: plan.parts.count, toolVersion: CacheTrialsCommand.version,
                options: request.options,
                scenarios: texts.filter { names.contains($0.name) },
                trials: positions.map { Self.trial($0, work[$0].identity) })
        }
        return try PlannedShards(made, seconds: plan.seconds, splitsComparisons: plan.isSplit)
    }

    private func trials(_ plan: RunPlan) -> [SweepPlan.Work] {
        plan.entries.map { SweepPlan.Work(identity: $0.identity, seconds: $0.scenario.expectedDuration / .seconds(1)) }
    }

    /// A search tries ten rates or so.
    private func searches(_ scenarios: [Scenario]) -> [SweepPlan.Work] {
        scenarios.flatMap { scenario in
            request.strategies(for: scenario).map { strategy in
                SweepPlan.Work(
                    identity: TrialIdentity(
                        scenario: scenario.name, strategy: strategy.declaration.name, repetition: 1),
                    seconds: scenario.expectedDuration / .seconds(1) * 10)
            }
        }
    }

    private static func trial(_ position: Int, _ identity: TrialIdentity, start: Double? = nil) -> Shard.PlannedTrial {
        Shard.PlannedTrial(
            position: position, scenario: identity.scenario, strategy: identity.strategy,
            repetition: identity.repetition, startSeconds: start)
    }

    /// Every generator runs all trials, each with its share of the clients.
    private func together(
        _ work: [SweepPlan.Work], _ scenarios: [Scenario], _ texts: [Shard.PlannedScenario], _ generators: Int
    ) throws -> PlannedShards {
        for scenario in scenarios {
            guard let phase = scenario.phases.first(where: { $0.clients < generators }) else { continue }
            throw ShardError(
                "\(scenario.name): phase \(phase.name) has \(phase.clients) clients, and each of \(generators) generators "
                    + "needs one; give it more clients, or take fewer generators")
        }
        // What a process and a server need to start, besides what the phases say.
        let startingSeconds = 5.0
        var start = 0.0
        let trials = work.enumerated().map { position, item in
            defer { start += item.seconds.rounded(.up) + startingSeconds }
            return Self.trial(position, item.identity, start: start)
        }
        let made = (1...generators).map { number in
            Shard(
                number: 1, count: 1, generator: Shard.Generator(number: number, count: generators),
                toolVersion: CacheTrialsCommand.version, options: request.options, scenarios: texts, trials: trials)
        }
        return try PlannedShards(
            made, seconds: made.map { _ in start }, splitsComparisons: false)
    }

    /// The scenarios as they go into shards: their text, and where their traces are.
    private func plannedScenarios() throws -> [Shard.PlannedScenario] {
        try request.files.map { file in
            let path = URL(fileURLWithPath: file.path).standardizedFileURL.path
            guard let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8),
                let digest = FileDigest.sha256(ofText: text)
            else { throw ShardError("\(file.path): can't be read a second time; was it changed?") }
            let trace = try file.scenario.keys.trace.map { try PlannedShards.trace(at: $0.path) }
            return Shard.PlannedScenario(
                name: file.scenario.name, path: path, sha256: digest, text: text, trace: trace)
        }
    }
}

/// The shards of a plan, and how they are written.
struct PlannedShards {
    private(set) var shards: [Shard]
    /// What each is expected to take at most.
    let seconds: [Double]
    let splitsComparisons: Bool

    init(_ shards: [Shard], seconds: [Double], splitsComparisons: Bool) throws {
        self.shards = shards
        self.seconds = seconds
        self.splitsComparisons = splitsComparisons
        try self.shards.nameThePlan()
    }

    /// A trace with its digest, which every machine checks.
    static func trace(at path: String) throws -> Shard.PlannedTrace {
        let whole = URL(fileURLWithPath: path).standardizedFileURL.path
        do {
            return Shard.PlannedTrace(path: whole, sha256: try FileDigest.sha256(ofFile: whole))
        } catch {
            throw ShardError("\(error)")
        }
    }

    /// Writes the plan, its shards, and what engines need.
    ///
    /// - Throws: ``ShardError`` when the folder is not empty, or can't be written.
    func write(to folder: String, engines: [Engine]) throws {
        let whole = URL(fileURLWithPath: folder).standardizedFileURL.path
        let files = FileManager.default
        if let found = try? files.contentsOfDirectory(atPath: whole), let first = found.first {
            throw ShardError("\(folder): holds \(first); name a new or empty folder with --output", .harnessTrouble)
        }
        do {
            try files.createDirectory(atPath: whole, withIntermediateDirectories: true)
            var entries: [PlanSummary.Entry] = []
            for (shard, seconds) in zip(shards, seconds) {
                let text = try ShardFile.text(of: shard)
                try write(text, to: "\(whole)/\(shard.fileName)")
                let digest = try ShardFile.read(Data(text.utf8), path: shard.fileName).digest
                entries.append(PlanSummary.Entry(shard, digest: digest, expectedSeconds: seconds))
            }
            for engine in engines {
                for file in try EngineFiles.files(for: engine, shards: shards, folder: whole) {
                    try write(file.text, to: "\(whole)/\(file.name)")
                    guard file.isProgram else { continue }
                    try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(whole)/\(file.name)")
                }
            }
            // Last: where it stands, the plan is whole.
            let summary = PlanSummary(
                plan: shards.first?.plan ?? "", toolVersion: CacheTrialsCommand.version,
                splitsComparisons: splitsComparisons, shards: entries)
            try write(
                String(decoding: try ResultJSON.encode(summary), as: UTF8.self), to: "\(whole)/\(PlanSummary.fileName)")
        } catch let error as ShardError {
            throw error
        } catch {
            throw ShardError("\(folder): can't be written: \(error.localizedDescription)", .harnessTrouble)
        }
        say(folder)
    }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    private func say(_ folder: String) {
        let counts = shards.map { $0.trials.count + ($0.replay?.jobs.count ?? 0) }
        let least = counts.min() ?? 0
        let most = counts.max() ?? 0
        let range = (least == most ? "\(most)" : "\(least) to \(most)") + (most == 1 ? " trial" : " trials")
        if splitsComparisons {
            StandardError.write(
                "warning: there are more shards than scenarios × repetitions, so strategies of one repetition run on "
                    + "different machines; their differences are those of the machines as well")
        }
        StandardError.write(
            "Plan \(shards.first?.plan ?? ""): \(shards.count) shards of \(range) in \(folder); the longest takes "
                + "\(Quantity.duration(nanoseconds: UInt64((seconds.max() ?? 0) * 1e9))) at most, as far as phases can tell"
        )
    }
}
