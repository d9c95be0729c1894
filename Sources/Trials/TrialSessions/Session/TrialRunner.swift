package import CacheStrategies
import HistoryChecking
import TimedStrategies
import TrialModel

/// Runs the trials of a session in processes of their own: one after the other, in turns, or with their instructions
/// counted.
package struct TrialRunner: Sendable {
    /// One host for each program on trial.
    var hosts: [TrialHost]
    /// Whether trials that run at once take turns.
    private let interleaves: Bool
    /// Strategies that run alone, and why: they twice worked outside of their turns, or are over before one.
    var busy: [TrialIdentity: String] = [:]
    /// Strategies that did so once.
    var suspected: Set<TrialIdentity> = []

    /// - Parameters:
    ///   - programs: the programs on trial; entries name one of them by its index. Usually this program alone.
    ///     Trials, probes and the fixture server are children that run it.
    ///   - deadline: the time without progress after which a trial or a probe counts as hung; `nil` takes a generous limit from its scenario.
    ///   - servers: servers that already run, for strategies that would otherwise start their own.
    ///   - interleaves: whether trials that run at once take turns.
    ///   - callgrind: counts instructions; `nil` when times are measured.
    /// - Throws: ``HarnessError`` when there is no place for the files of trials.
    package init(
        programs: [ChildProgram], deadline: Duration?, servers: CacheServers? = nil, interleaves: Bool = false,
        callgrind: Callgrind? = nil
    ) throws {
        self.interleaves = interleaves
        hosts = try programs.map {
            try TrialHost(program: $0, deadline: deadline, servers: servers, callgrind: callgrind)
        }
    }

    /// Runs trials of one scenario and repetition: one, or several that take turns.
    ///
    /// - Returns: the result of each trial, in their order.
    /// - Throws: ``HarnessError`` when a trial can't be run, and `CancellationError`.
    mutating func run(_ entries: [RunPlan.Entry]) async throws -> [TrialOutcome] {
        if interleaves, entries.count > 1 { return try await interleave(entries) }
        var outcomes: [TrialOutcome] = []
        for entry in entries { outcomes.append(try await run(entry)) }
        return outcomes
    }

    /// Runs one trial.
    mutating func run(_ entry: RunPlan.Entry) async throws -> TrialOutcome {
        try await hosts[entry.program].run(entry)
    }

    /// Probes a strategy for promises that no trial shows.
    func finding(
        of probe: PromiseProbe, _ strategy: Strategy, _ deaths: inout PromiseProbe.Deaths
    ) async throws -> PromiseFinding {
        let host = hosts[0]
        return try await probe.within(host.deadline).finding(
            program: host.program, folder: try host.scratch.fresh("probe"), of: strategy, &deaths)
    }

    /// Releases what trials share.
    mutating func close() async {
        for index in hosts.indices { await hosts[index].close() }
    }
}

/// Makes the trial runner of a session before the first trial.
package typealias MakeTrialRunner = @Sendable () throws -> TrialRunner
