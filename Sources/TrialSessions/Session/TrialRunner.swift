package import CacheStrategies
package import HistoryChecking
package import TrialModel

/// What a trial leaves behind.
package struct TrialOutcome: Sendable {
    /// One for each phase of the scenario, whatever happened.
    package var results: [PhaseResult]
    /// What its history says of the strategy's promises; `nil` when nobody asked, or it did not get there.
    package var findings: [PromiseFinding]?

    package init(results: [PhaseResult], findings: [PromiseFinding]? = nil) {
        self.results = results
        self.findings = findings
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

extension TrialRunner {
    /// Runs one trial.
    mutating func run(_ entry: RunPlan.Entry, step: Int? = nil) async throws -> TrialOutcome? {
        try await run([entry], step: step).first
    }
}

/// Trials in processes of their own, one after the other or in turns.
package struct ProcessRunner: TrialRunner {
    private let executable: String
    private let interleaves: Bool
    private let scratch: ScratchFolder
    private var interleaving: Interleaving

    /// - Parameters:
    ///   - executable: this program; trials, probes and the fixture server are children that run it.
    ///   - deadline: when a trial counts as hung; `nil` takes a generous limit from its scenario.
    ///   - servers: that run already, for strategies that would start their own otherwise.
    ///   - interleaves: whether trials that are run at once take turns.
    package init(
        executable: String, deadline: Duration?, servers: CacheServers? = nil, interleaves: Bool = false
    ) throws {
        self.executable = executable
        self.interleaves = interleaves
        scratch = try ScratchFolder()
        do {
            let host = try TrialHost(executable: executable, deadline: deadline, servers: servers)
            interleaving = Interleaving(hosts: [host])
        } catch {
            scratch.remove()
            throw error
        }
    }

    package mutating func run(_ entries: [RunPlan.Entry], step: Int?) async throws -> [TrialOutcome] {
        if interleaves {
            return try await interleaving.run(entries.map { Interleaving.Side(entry: $0) }).map(TrialOutcome.init)
        }
        var outcomes: [TrialOutcome] = []
        for entry in entries {
            let outcome = try await interleaving.hosts[0].run(entry.identity, entry.scenario, step: step)
            outcomes.append(TrialOutcome(outcome))
        }
        return outcomes
    }

    package func finding(
        of probe: PromiseProbe, _ declaration: StrategyDeclaration
    ) async throws -> PromiseFinding {
        try await probe.finding(
            executable: executable, folder: try scratch.fresh("probe"), declaration: declaration)
    }

    package mutating func close() async {
        await interleaving.hosts[0].close()
        scratch.remove()
    }
}

extension TrialOutcome {
    fileprivate init(_ outcome: TrialProcess.Outcome) {
        self.init(results: outcome.results, findings: outcome.findings)
    }
}
