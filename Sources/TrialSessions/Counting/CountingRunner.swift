package import CacheStrategies
package import HistoryChecking
import Races
import TimedStrategies
import TrialLoop
import TrialModel

/// Trials whose instructions are counted, each in a process of its own, one after the other.
package struct CountingRunner: TrialRunner {
    private let executable: String
    private let deadline: Duration?
    private let callgrind: Callgrind
    private let scratch: ScratchFolder
    private var tables: KeyTableFiles
    /// The program without debug information, once there is one.
    private var program: String?

    /// - Parameters:
    ///   - executable: this program; it must have been started by ``CacheTrialsCommand``'s synchronous `main`.
    ///   - deadline: when a trial counts as hung; `nil` takes ten minutes.
    package init(executable: String, deadline: Duration?, callgrind: Callgrind) throws {
        self.executable = executable
        self.deadline = deadline
        self.callgrind = callgrind
        scratch = try ScratchFolder()
        do {
            tables = KeyTableFiles(folder: try scratch.fresh("keys"))
        } catch {
            scratch.remove()
            throw error
        }
    }

    package mutating func run(_ entries: [RunPlan.Entry], step: Int?) async throws -> [TrialOutcome] {
        var outcomes: [TrialOutcome] = []
        for entry in entries { outcomes.append(try await run(entry)) }
        return outcomes
    }

    private mutating func run(_ entry: RunPlan.Entry) async throws -> TrialOutcome {
        let program = try await copied()
        let profiles = try scratch.fresh("profiles")
        let specification = TrialSpecification(
            identity: entry.identity, scenario: try tables.prepare(entry.scenario), purpose: .counts,
            originAddress: nil,
            directory: try scratch.fresh())
        let isWhole = entry.registration.suspends || entry.registration.declaration.worksInBackground
        let process = callgrind.process(
            program, profilesIn: profiles, isWhole: isWhole, deadline: deadline ?? .seconds(600))
        let outcome = try await process.run(specification)
        guard outcome.ending.isClean else { return TrialOutcome(results: outcome.results.map { $0.withoutTimes() }) }
        let counted = entry.scenario.phases.filter(\.isCounted).map(\.name)
        let pairs = zip(counted, try callgrind.profiles(in: profiles, count: counted.count))
        let byPhase = Dictionary(pairs) { first, _ in first }
        return TrialOutcome(
            results: outcome.results.map { result in
                var result = result.withoutTimes()
                guard let profile = byPhase[result.trial.key.phase] else { return result }
                result.count(profile, isWhole: isWhole, simulatesCaches: callgrind.simulatesCaches)
                if callgrind.keepsProfile { result.keepFunctions(of: profile) }
                return result
            })
    }

    private mutating func copied() async throws -> String {
        if let program { return program }
        let path = try scratch.fresh("program") + "/cache-trials"
        try await callgrind.copy(of: executable, to: path)
        program = path
        return path
    }

    package func finding(of probe: PromiseProbe, _ declaration: StrategyDeclaration) async throws -> PromiseFinding {
        throw HarnessError("a run that counts instructions asks for no promises")
    }

    package mutating func close() async { scratch.remove() }
}

extension PhaseResult {
    /// Without what a simulated processor makes wrong: times, and the memory of a process that counts.
    fileprivate func withoutTimes() -> PhaseResult {
        var result = self
        result.trial.elapsedNanoseconds = nil
        result.latency = latency.map { row in
            var row = row
            row.latency = nil
            row.throughputPerSecond = nil
            return row
        }
        result.timeline = []
        result.distributions = []
        result.startSeconds = nil
        // Every measured phase has a row; its cells are empty.
        result.memory = memory.map { MemoryRow(key: $0.key) }
        return result
    }

    /// Puts into its rows what was counted in its phase.
    fileprivate mutating func count(_ profile: CallgrindProfile, isWhole: Bool, simulatesCaches: Bool) {
        var all = CallgrindProfile.Calls()
        for kind in OperationKind.allCases {
            guard let own = profile.calls["cache_trials_counted_\(kind.rawValue)"] else { continue }
            let spent = own.without(profile.calls["cache_trials_bare_\(kind.rawValue)"] ?? .init())
            all = all.adding(spent)
            note(spent.counts(.callgrind, simulatesCaches), of: .only(kind))
        }
        if isWhole {
            all = profile.total
            all.calls = trial.operations ?? 0
        } else if trial.status == .completed, all.calls != trial.operations {
            trial.status = .invalid
            trial.reason = "Callgrind saw \(all.calls) of \(trial.operations ?? 0) operations"
        }
        note(all.counts(isWhole ? .callgrindProcess : .callgrind, simulatesCaches), of: .all)
    }

    /// How many functions of a phase are kept.
    private static let functionCountMax = 20

    /// Keeps the functions that took most.
    fileprivate mutating func keepFunctions(of profile: CallgrindProfile) {
        let (operations, all) = (Double(trial.operations ?? 0), Double(profile.total.instructions))
        guard operations > 0, all > 0 else { return }
        var demangler = Demangler()
        let most = profile.own.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.functionCountMax)
        functions = most.map { name, instructions in
            FunctionRow(
                key: trial.key, function: demangler.name(name),
                instructionsPerOperation: Double(instructions) / operations,
                share: Double(instructions) / all)
        }
    }

    private mutating func note(_ counts: InstructionCounts?, of operation: Selection<OperationKind>) {
        for index in latency.indices where latency[index].labels == LatencyLabels(operation: operation) {
            latency[index].counts = counts
        }
    }
}

extension CallgrindProfile.Calls {
    fileprivate func without(_ bare: Self) -> Self {
        var own = self
        own.instructions -= min(bare.instructions, instructions)
        own.firstLevelMisses -= min(bare.firstLevelMisses, firstLevelMisses)
        own.lastLevelMisses -= min(bare.lastLevelMisses, lastLevelMisses)
        return own
    }

    fileprivate func adding(_ other: Self) -> Self {
        var sum = self
        sum.calls &+= other.calls
        sum.instructions &+= other.instructions
        sum.firstLevelMisses &+= other.firstLevelMisses
        sum.lastLevelMisses &+= other.lastLevelMisses
        return sum
    }

    /// For each call; `nil` where there was none.
    fileprivate func counts(_ method: InstructionCounts.Method, _ simulatesCaches: Bool) -> InstructionCounts? {
        guard calls > 0 else { return nil }
        let share = { (count: UInt64) in Double(count) / Double(calls) }
        return InstructionCounts(
            method: method, instructions: share(instructions),
            firstLevelMisses: simulatesCaches ? share(firstLevelMisses) : nil,
            lastLevelMisses: simulatesCaches ? share(lastLevelMisses) : nil)
    }
}
