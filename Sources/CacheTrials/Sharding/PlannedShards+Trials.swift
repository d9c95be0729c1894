import CacheStrategies
import Foundation
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

extension PlannedShards {
    /// A run cut into shards, or into shares of generators.
    ///
    /// - Throws: ``ShardError``, and `RateSearchError` for a scenario that can't be searched.
    init(_ request: RunRequest, shards: Int?, generators: Int?) throws {
        let scenarios =
            try request.searchedScenarios()?.map(\.scenario) ?? request.files.map { request.prepared($0.scenario) }
        let work =
            request.options.search == nil
            ? Self.trials(request.plan(scenarios)) : Self.searches(request, scenarios)
        let texts = try Self.scenarios(of: request)
        if let generators {
            try self.init(together: work, scenarios, texts, request.options, generators)
            return
        }
        let plan = try ShardCut(work, shards: shards ?? 1)
        let made = plan.parts.enumerated().map { index, positions in
            let names = Set(positions.map { work[$0].identity.scenario.name })
            return Shard(
                number: index + 1, count: plan.parts.count, toolVersion: CacheTrialsCommand.version,
                options: request.options,
                scenarios: texts.filter { names.contains($0.name) },
                trials: positions.map { Self.trial($0, work[$0].identity) })
        }
        try self.init(made, seconds: plan.seconds, splitsComparisons: plan.isSplit)
    }

    private static func trials(_ plan: RunPlan) -> [ShardCut.Work] {
        plan.entries.map { ShardCut.Work(identity: $0.identity, seconds: $0.scenario.expectedDuration / .seconds(1)) }
    }

    /// A search tries about ten rates.
    private static func searches(_ request: RunRequest, _ scenarios: [Scenario]) -> [ShardCut.Work] {
        scenarios.flatMap { scenario in
            request.strategies(for: scenario).map { strategy in
                ShardCut.Work(
                    identity: TrialIdentity(
                        scenario: scenario.point, strategy: strategy.declaration.name, repetition: 1),
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
    private init(
        together work: [ShardCut.Work], _ scenarios: [Scenario], _ texts: [Shard.PlannedScenario],
        _ options: Shard.Options, _ generators: Int
    ) throws {
        for scenario in scenarios {
            guard let phase = scenario.phases.first(where: { $0.clients < generators }) else { continue }
            throw ShardError(
                "\(scenario.name): phase \(phase.name) has \(phase.clients) clients, and each of \(generators) generators "
                    + "needs one; give it more clients, or take fewer generators")
        }
        // The time that a process and a server need to start, in addition to the phases.
        let startingSeconds = 5.0
        var start = 0.0
        let trials = work.enumerated().map { position, item in
            defer { start += item.seconds.rounded(.up) + startingSeconds }
            return Self.trial(position, item.identity, start: start)
        }
        let made = (1...generators).map { number in
            Shard(
                number: 1, count: 1, generator: Shard.Generator(number: number, count: generators),
                toolVersion: CacheTrialsCommand.version, options: options, scenarios: texts, trials: trials)
        }
        try self.init(made, seconds: made.map { _ in start }, splitsComparisons: false)
    }

    /// The scenarios as shards hold them: their text, and the paths of their traces.
    private static func scenarios(of request: RunRequest) throws -> [Shard.PlannedScenario] {
        var seen: Set<String> = []
        return try request.files.filter { seen.insert($0.scenario.name).inserted }.map { file in
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
