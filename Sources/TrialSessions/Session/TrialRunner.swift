package import CacheStrategies
package import HistoryChecking
package import TrialModel

/// The result of a trial.
package struct TrialOutcome: Sendable {
    /// One result for each phase of the scenario, after any ending.
    package var results: [PhaseResult]
    /// What its history says about the strategy's promises; `nil` when promises are not checked, or it ended before.
    package var findings: [PromiseFinding]?
    /// Whether it ran alone while others took turns.
    package var isAlone: Bool

    package init(results: [PhaseResult], findings: [PromiseFinding]? = nil, isAlone: Bool = false) {
        self.results = results
        self.findings = findings
        self.isAlone = isAlone
    }
}

/// Runs the trials of a session: in processes, or from scripts in tests.
package protocol TrialRunner: Sendable {
    /// Runs trials of one scenario and repetition: one, or several that take turns.
    ///
    /// - Parameter step: distinguishes trials of one identity.
    /// - Returns: the result of each trial, in their order.
    /// - Throws: ``HarnessError`` when a trial can't be run, and `CancellationError`.
    mutating func run(_ entries: [RunPlan.Entry], step: Int?) async throws -> [TrialOutcome]

    /// Probes a strategy for promises that no trial shows.
    func finding(of probe: PromiseProbe, _ declaration: StrategyDeclaration) async throws -> PromiseFinding

    /// Releases what trials share.
    mutating func close() async
}

/// Makes the trial runner of a session before the first trial.
package typealias MakeTrialRunner = @Sendable () throws -> any TrialRunner

extension TrialRunner {
    /// Runs one trial.
    mutating func run(_ entry: RunPlan.Entry, step: Int? = nil) async throws -> TrialOutcome? {
        try await run([entry], step: step).first
    }
}

/// Runs trials in processes of their own, one after the other or in turns.
package struct ProcessRunner: TrialRunner {
    private let interleaves: Bool
    private var interleaving: Interleaving

    /// - Parameters:
    ///   - executables: the programs on trial; entries name one of them by its index. Usually this program alone.
    ///     Trials, probes and the fixture server are children that run it.
    ///   - deadline: the time after which a trial counts as hung; `nil` takes a generous limit from its scenario.
    ///   - servers: servers that already run, for strategies that would otherwise start their own.
    ///   - interleaves: whether trials that run at once take turns.
    package init(
        executables: [String], deadline: Duration?, servers: CacheServers? = nil, interleaves: Bool = false
    ) throws {
        self.interleaves = interleaves
        interleaving = Interleaving(
            hosts: try executables.map { try TrialHost(executable: $0, deadline: deadline, servers: servers) })
    }

    package mutating func run(_ entries: [RunPlan.Entry], step: Int?) async throws -> [TrialOutcome] {
        if interleaves {
            return try await interleaving.run(entries).map(TrialOutcome.init)
        }
        var outcomes: [TrialOutcome] = []
        for entry in entries {
            let outcome = try await interleaving.hosts[entry.program].run(
                entry.identity, entry.scenario, step: step)
            outcomes.append(TrialOutcome(outcome))
        }
        return outcomes
    }

    package func finding(
        of probe: PromiseProbe, _ declaration: StrategyDeclaration
    ) async throws -> PromiseFinding {
        let host = interleaving.hosts[0]
        return try await probe.finding(
            executable: host.executable, folder: try host.scratch.fresh("probe"), declaration: declaration)
    }

    package mutating func close() async {
        for index in interleaving.hosts.indices { await interleaving.hosts[index].close() }
    }
}

extension TrialOutcome {
    fileprivate init(_ outcome: TrialProcess.Outcome) {
        self.init(results: outcome.results, findings: outcome.findings, isAlone: outcome.isAlone)
    }
}
