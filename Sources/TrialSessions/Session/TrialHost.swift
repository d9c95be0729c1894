import CacheStrategies
import Foundation
import Locks
import TrialLoop
import TrialModel

/// What all trials of a session share: the fixture server, the files of keys, and temporary folders.
struct TrialHost {
    let executable: String
    private let deadline: Duration?
    private let servers: CacheServers?
    let scratch: ScratchFolder
    private var tables: KeyTableFiles
    private var server: FixtureServerProcess?

    /// - Parameters:
    ///   - deadline: the time after which a trial counts as hung; `nil` takes a generous limit from its scenario.
    ///   - servers: servers that already run.
    init(executable: String, deadline: Duration?, servers: CacheServers? = nil) throws {
        self.executable = executable
        self.deadline = deadline
        self.servers = servers
        scratch = try ScratchFolder()
        tables = KeyTableFiles(folder: scratch.path("keys"))
    }

    /// Runs one trial in a process of its own.
    ///
    /// - Parameter step: distinguishes trials of one identity.
    mutating func run(
        _ identity: TrialIdentity, _ scenario: Scenario, step: Int? = nil
    ) async throws -> TrialProcess.Outcome {
        let (process, specification) = try await prepare(identity, scenario, step: step)
        let outcome = try await process.run(specification)
        await note(outcome)
        return outcome
    }

    /// Starts one trial that takes turns with others; it waits for its first turn.
    mutating func start(
        _ identity: TrialIdentity, _ scenario: Scenario, turns: TurnSettings
    ) async throws -> TurnTakingTrial {
        var (process, specification) = try await prepare(identity, scenario, folder: "trial of \(identity.strategy)")
        specification.turns = turns
        process.turnWatch = Locked(Stopwatch(isRunning: true))
        return try await TurnTakingTrial.start(process, specification)
    }

    /// Prepares what a trial needs before it can start.
    ///
    /// - Parameter folder: the name of its folder, which differs from those of trials that run at the same time.
    private mutating func prepare(
        _ identity: TrialIdentity, _ scenario: Scenario, step: Int? = nil, folder: String = "trial"
    ) async throws -> (TrialProcess, TrialSpecification) {
        if scenario.origin.kind == .server, server == nil {
            server = try await FixtureServerProcess.start(executable: executable)
        }
        let prepared = try tables.prepare(scenario)
        // Three times its expected duration, and time for a slow machine to start a process.
        let limit = deadline ?? scenario.expectedDuration * 3 + .seconds(30) + (scenario.check ? Self.judging : .zero)
        let specification = TrialSpecification(
            identity: identity, scenario: prepared,
            originAddress: scenario.origin.kind == .server ? server?.address : nil,
            directory: try scratch.fresh(folder),
            step: step, servers: servers?.ofTrial(identity, step: step))
        return (TrialProcess(executable: executable, deadline: limit), specification)
    }

    /// A trial has ended.
    mutating func note(_ outcome: TrialProcess.Outcome) async {
        if outcome.results.contains(where: { $0.trial.status != .completed && !$0.isHarnessLimited }) {
            // The server may be at fault, or may still be busy with the trial; the next trial gets a new server.
            await stopServer()
        }
    }

    /// The longest time to judge a history.
    private static let judging = Duration.seconds(60)

    /// Stops the server and removes the folders.
    mutating func close() async {
        await stopServer()
        scratch.remove()
    }

    private mutating func stopServer() async {
        await server?.stop()
        server = nil
    }
}

extension CacheServers {
    /// The same servers with a key prefix for this trial, so that no trial finds entries of another one.
    fileprivate func ofTrial(_ identity: TrialIdentity, step: Int?) -> CacheServers {
        var servers = self
        servers.namespace += ":\(identity.scenario).\(identity.strategy).\(identity.repetition)"
        if let step { servers.namespace += ".\(step)" }
        return servers
    }
}
