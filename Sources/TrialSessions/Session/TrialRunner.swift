package import CacheStrategies
package import HistoryChecking
package import TrialModel

/// What a trial leaves behind.
package struct TrialOutcome: Sendable {
    /// One for each phase of the scenario, whatever happened.
    package var results: [PhaseResult]
    /// What its history says of the strategy's promises; `nil` when nobody asked, or it did not get there.
    package var findings: [PromiseFinding]?
    /// Whether it ran by itself, where others take turns.
    package var isAlone: Bool

    package init(results: [PhaseResult], findings: [PromiseFinding]? = nil, isAlone: Bool = false) {
        self.results = results
        self.findings = findings
        self.isAlone = isAlone
    }
}

/// Who runs the trials of a session: processes do, and scripts in tests.
package protocol TrialRunner: Sendable {
    /// Runs trials of one scenario and repetition: one, or several that take turns.
    ///
    /// - Parameter step: tells trials of one identity apart.
    /// - Returns: what each left behind, in their order.
    /// - Throws: ``HarnessError`` when a trial can't be run, and `CancellationError`.
    mutating func run(_ entries: [RunPlan.Entry], step: Int?) async throws -> [TrialOutcome]

    /// Asks a strategy for what no trial shows.
    func finding(of probe: PromiseProbe, _ declaration: StrategyDeclaration) async throws -> PromiseFinding

    /// Ends what trials have shared.
    mutating func close() async
}

/// Makes who runs the trials of a session, when the first one is due.
package typealias MakeTrialRunner = @Sendable () throws -> any TrialRunner

extension TrialRunner {
    /// Runs one trial.
    mutating func run(_ entry: RunPlan.Entry, step: Int? = nil) async throws -> TrialOutcome? {
        try await run([entry], step: step).first
    }
}

/// Trials in processes of their own, one after the other or in turns.
package struct ProcessRunner: TrialRunner {
    private let interleaves: Bool
    private var interleaving: Interleaving

    /// - Parameters:
    ///   - executables: the programs on trial, of which entries name one: this one, where there are no others. Trials,
    ///     probes and the fixture server are children that run it.
    ///   - deadline: when a trial counts as hung; `nil` takes a generous limit from its scenario.
    ///   - servers: that run already, for strategies that would start their own otherwise.
    ///   - interleaves: whether trials that are run at once take turns.
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
