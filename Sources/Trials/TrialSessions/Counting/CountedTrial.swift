import Races
import TimedStrategies
import TrialLoop
import TrialModel

extension TrialHost {
    /// Runs a trial whose instructions Callgrind counts.
    mutating func run(_ entry: RunPlan.Entry, under callgrind: Callgrind) async throws -> TrialOutcome {
        let specification = TrialSpecification(
            identity: entry.identity, scenario: try tables.prepare(entry.scenario), purpose: .counts,
            originAddress: nil, directory: try scratch.fresh())
        let isWhole = entry.registration.isCountedAsWhole
        let stripped = try await stripped(by: callgrind)
        let profiles = try scratch.fresh("profiles")
        let settings = callgrind.settings(
            stripped, profilesIn: profiles, isWhole: isWhole, deadline: deadline ?? .seconds(600))
        var outcome = try await callgrind.program.run(specification, settings)
        outcome.results = outcome.results.map { $0.withoutTimes() }
        guard outcome.ending.isClean else { return outcome }
        let counted = specification.scenario.phases.filter(\.isCounted).map(\.name)
        let pairs = zip(counted, try callgrind.profiles(in: profiles, count: counted.count))
        let byPhase = Dictionary(pairs) { first, _ in first }
        for index in outcome.results.indices {
            guard let profile = byPhase[outcome.results[index].trial.key.phase] else { continue }
            outcome.results[index].count(
                profile.tally(isWhole: isWhole, simulatesCaches: callgrind.simulatesCaches))
            if callgrind.keepsProfile { outcome.results[index].keepFunctions(of: profile) }
        }
        return outcome
    }

    private mutating func stripped(by callgrind: Callgrind) async throws -> String {
        if let stripped { return stripped }
        let path = try await callgrind.copy(of: program.path, in: try scratch.fresh("program"))
        stripped = path
        return path
    }
}

extension PhaseResult {
    /// The result without what counting distorts: times, and the memory of a process that counts.
    fileprivate func withoutTimes() -> PhaseResult {
        with { result in
            result.trial.elapsedNanoseconds = nil
            result.latency = latency.map { row in row.with { ($0.latency, $0.throughputPerSecond) = (nil, nil) } }
            result.timeline = []
            result.distributions = []
            result.startSeconds = nil
            // Every measured phase has a row; its cells are empty.
            result.memory = memory.map { MemoryRow(key: $0.key) }
        }
    }

    /// How many functions of a phase are kept.
    private static let functionCountMax = 20

    /// Keeps the functions with the most instructions.
    fileprivate mutating func keepFunctions(of profile: CallgrindProfile) {
        let (operations, all) = (Double(trial.operations ?? 0), Double(profile.total.instructions))
        guard operations > 0, all > 0 else { return }
        var demangler = Demangler()
        let most = profile.own.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.functionCountMax)
        functions = most.map { name, instructions in
            FunctionRow(key: trial.key).with {
                $0.function = demangler.name(name)
                $0.instructionsPerOperation = Double(instructions) / operations
                $0.share = Double(instructions) / all
            }
        }
    }
}
