package import CacheStrategies
package import Payloads
package import ScheduleExploration
package import TrialModel

/// A strategy that can be put on trial: its declaration, and the trial compiled for its concrete types.
///
/// The closures capture concrete types, so that the loop over operations is specialised for each strategy and key:
/// an opened existential would cost 20 ns and more in every operation.
package struct StrategyRegistration: Sendable {
    /// What the strategy is called and what it promises.
    package let declaration: StrategyDeclaration
    /// What carries its clients unless the scenario says otherwise.
    package let preferredDriver: Driver
    /// Whether it can't be called from a thread that is no task.
    package let suspends: Bool
    /// The type for string keys, for checks that run outside a trial; `nil` where it has none.
    package let stringKeyed: (any CacheStrategy<String, Payload>.Type)?

    /// Explores the orders in which its callers' tasks may run; `nil` where that can't be.
    package let explorer: StrategyExplorer?

    /// Whether it runs only where it is named, because it starts a program or is slow.
    package private(set) var isNamedOnly = false
    /// Why it can't be opened on this machine without the address of a server; `nil` when it can.
    package private(set) var absence: @Sendable () -> String? = { nil }

    /// By the kinds of keys that it takes.
    private let trials: [KeyKind: TrialBody]
    private let probe: ProbeBody?

    typealias TrialBody = @Sendable (TrialSpecification, TrialChannel) async throws -> Void
    typealias ProbeBody = @Sendable (PromiseProbe) async throws -> PromiseProbe.Report

    init(
        declaration: StrategyDeclaration, preferredDriver: Driver, suspends: Bool,
        stringKeyed: (any CacheStrategy<String, Payload>.Type)?, explorer: StrategyExplorer?,
        trials: [KeyKind: TrialBody], probe: ProbeBody?
    ) {
        self.declaration = declaration
        self.preferredDriver = preferredDriver
        self.suspends = suspends
        self.stringKeyed = stringKeyed
        self.explorer = explorer
        self.trials = trials
        self.probe = probe
    }

    /// Registers a strategy that suspends; its clients are tasks.
    package init<Integer: CacheStrategy, Text: CacheStrategy, Locator: CacheStrategy>(
        _ integer: Integer.Type, _ text: Text.Type, _ locator: Locator.Type, name: String? = nil,
        explorer: StrategyExplorer? = nil
    )
    where
        Integer.Key == Int, Integer.Value == Payload, Text.Key == String, Text.Value == Payload,
        Locator.Key == TrialURL, Locator.Value == Payload
    {
        self.init(
            declaration: Self.renamed(integer.declaration, name), preferredDriver: .tasks, suspends: true,
            stringKeyed: text, explorer: explorer,
            trials: [
                .integer: { try await TrialExecution<Integer>($0, $1).run() },
                .string: { try await TrialExecution<Text>($0, $1).run() },
                .url: { try await TrialExecution<Locator>($0, $1).run() },
            ],
            probe: { try await $0.report(of: text) })
    }

    /// Registers a synchronous strategy; its clients are dedicated threads, unless `driver` says tasks.
    package init<
        Integer: SynchronousCacheStrategy, Text: SynchronousCacheStrategy, Locator: SynchronousCacheStrategy
    >(
        synchronous integer: Integer.Type, _ text: Text.Type, _ locator: Locator.Type, name: String? = nil,
        driver: Driver = .threads, explorer: StrategyExplorer? = nil
    )
    where
        Integer.Key == Int, Integer.Value == Payload, Text.Key == String, Text.Value == Payload,
        Locator.Key == TrialURL, Locator.Value == Payload
    {
        self.init(
            declaration: Self.renamed(integer.declaration, name), preferredDriver: driver, suspends: false,
            stringKeyed: text, explorer: explorer,
            trials: [
                .integer: { try await TrialExecution<Integer>(synchronous: $0, $1, preferred: driver).run() },
                .string: { try await TrialExecution<Text>(synchronous: $0, $1, preferred: driver).run() },
                .url: { try await TrialExecution<Locator>(synchronous: $0, $1, preferred: driver).run() },
            ],
            probe: { try await $0.report(of: text) })
    }

    /// The same strategy, to be run only where it is named.
    ///
    /// - Parameter absence: why it can't be opened on this machine; `nil` when it can.
    func namedOnly(absence: @escaping @Sendable () -> String? = { nil }) -> StrategyRegistration {
        var changed = self
        changed.isNamedOnly = true
        changed.absence = absence
        return changed
    }

    /// Why its schedules can't be explored; `nil` when they can.
    package var whyNotExplorable: String? {
        if explorer != nil { return nil }
        // A strategy of another package may have named no type for that.
        return suspends ? "it works on threads of its own, or has no explorer" : "its callers block their threads"
    }

    /// Whether it can be put on trial under a scenario with keys of a kind.
    package func takes(_ kind: KeyKind) -> Bool { trials[kind] != nil }

    /// Runs one trial in this process and sends its results to the channel.
    ///
    /// - Throws: what kept the trial from running: an origin that can't be reached, a strategy that does not open.
    package func runTrial(_ specification: TrialSpecification, channel: TrialChannel) async throws {
        let kind = specification.scenario.keys.kind
        guard let trial = trials[kind] else {
            throw HarnessError("\(declaration.name) has no type for \(kind.rawValue) keys")
        }
        try await trial(specification, channel)
    }

    /// Asks for a promise in this process, with keys of a kind that the strategy takes.
    ///
    /// - Throws: what keeps the strategy from opening.
    func report(_ question: PromiseProbe) async throws -> PromiseProbe.Report {
        guard let probe else { throw HarnessError("\(declaration.name) has no type for any keys") }
        return try await probe(question)
    }

    private static func renamed(_ declaration: StrategyDeclaration, _ name: String?) -> StrategyDeclaration {
        var renamed = declaration
        renamed.name = name ?? declaration.name
        return renamed
    }
}
