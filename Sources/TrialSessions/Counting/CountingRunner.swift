package import CacheStrategies
package import HistoryChecking
import Races
package import TimedStrategies
import TrialLoop
import TrialModel

/// Runs trials whose instructions are counted, each in a process of its own, one after the other.
package struct CountingRunner: TrialRunner {
    private let executable: String
    private let deadline: Duration
    private let counter: InstructionCounter
    private let scratch: ScratchFolder
    private var tables: KeyTableFiles
    /// The program without debug information, after it was made.
    private var program: String?

    /// - Parameters:
    ///   - executable: this program; with Callgrind it must have been started by ``CacheTrialsCommand``'s synchronous
    ///     `main`.
    ///   - deadline: the time after which a trial counts as hung; `nil` means ten minutes.
    package init(executable: String, deadline: Duration?, counter: InstructionCounter) throws {
        self.executable = executable
        self.deadline = deadline ?? .seconds(600)
        self.counter = counter
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
        for entry in entries {
            let results = try await run(entry)
            outcomes.append(TrialOutcome(results: results.map { $0.withoutTimes() }))
        }
        return outcomes
    }

    private mutating func run(_ entry: RunPlan.Entry) async throws -> [PhaseResult] {
        var specification = TrialSpecification(
            identity: entry.identity, scenario: try tables.prepare(entry.scenario), purpose: .counts,
            originAddress: nil, directory: try scratch.fresh())
        switch counter {
        case .kernel(let event):
            specification.counterEvent = event
            let process = TrialProcess(
                executable: executable, additions: InstructionCounter.environment, deadline: deadline)
            return try await process.run(specification).results
        case .callgrind(let callgrind):
            return try await run(specification, under: callgrind, isWhole: entry.registration.isCountedAsWhole)
        }
    }

    private mutating func run(
        _ specification: TrialSpecification, under callgrind: Callgrind, isWhole: Bool
    ) async throws -> [PhaseResult] {
        let program = try await copied(by: callgrind)
        let profiles = try scratch.fresh("profiles")
        let process = callgrind.process(program, profilesIn: profiles, isWhole: isWhole, deadline: deadline)
        let outcome = try await process.run(specification)
        guard outcome.ending.isClean else { return outcome.results }
        let counted = specification.scenario.phases.filter(\.isCounted).map(\.name)
        let pairs = zip(counted, try callgrind.profiles(in: profiles, count: counted.count))
        let byPhase = Dictionary(pairs) { first, _ in first }
        return outcome.results.map { result in
            guard let profile = byPhase[result.trial.key.phase] else { return result }
            var result = result
            result.count(profile.tally(isWhole: isWhole, simulatesCaches: callgrind.simulatesCaches))
            if callgrind.keepsProfile { result.keepFunctions(of: profile) }
            return result
        }
    }

    private mutating func copied(by callgrind: Callgrind) async throws -> String {
        if let program { return program }
        let path = try scratch.fresh("program") + "/cache-trials"
        try await callgrind.copy(of: executable, to: path)
        program = path
        return path
    }

    package func finding(of probe: PromiseProbe, _ declaration: StrategyDeclaration) async throws -> PromiseFinding {
        throw HarnessError("a run that counts instructions checks no promises")
    }

    package mutating func close() async { scratch.remove() }
}

extension PhaseResult {
    /// The result without what counting distorts: times, and the memory of a process that counts.
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

/// What counts the instructions of a run.
package enum InstructionCounter: Sendable {
    /// The kernel counts the processor's instructions within the processes of the trials. Tests count another event.
    case kernel(CounterEvent)
    /// Callgrind counts, around those processes.
    case callgrind(Callgrind)

    /// Callgrind, when it counts.
    package var callgrind: Callgrind? {
        if case .callgrind(let callgrind) = self { callgrind } else { nil }
    }

    /// The environment that makes every process do the same: dictionaries have one order of keys, and the allocator
    /// returns no pages to the system, which jemalloc does after some time.
    static let environment = [
        "SWIFT_DETERMINISTIC_HASHING": "1", "MALLOC_CONF": "dirty_decay_ms:-1,muzzy_decay_ms:-1",
    ]
}
