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
    /// The type for string keys, for checks that run outside a trial.
    package let stringKeyed: any CacheStrategy<String, Payload>.Type

    /// Explores the orders in which its callers' tasks may run; `nil` where that can't be.
    package let explorer: StrategyExplorer?

    /// Whether it runs only where it is named, because it starts a program or is slow.
    package private(set) var isNamedOnly = false
    /// Why it can't be opened on this machine without the address of a server; `nil` when it can.
    package private(set) var absence: @Sendable () -> String? = { nil }

    private let integerTrial: TrialBody
    private let stringTrial: TrialBody
    private let urlTrial: TrialBody

    typealias TrialBody = @Sendable (TrialSpecification, TrialChannel) async throws -> Void

    /// Registers a strategy that suspends; its clients are tasks.
    package init<Integer: CacheStrategy, Text: CacheStrategy, Locator: CacheStrategy>(
        _ integer: Integer.Type, _ text: Text.Type, _ locator: Locator.Type, name: String? = nil,
        explorer: StrategyExplorer? = nil
    )
    where
        Integer.Key == Int, Integer.Value == Payload, Text.Key == String, Text.Value == Payload,
        Locator.Key == TrialURL, Locator.Value == Payload
    {
        declaration = Self.renamed(integer.declaration, name)
        preferredDriver = .tasks
        suspends = true
        stringKeyed = text
        self.explorer = explorer
        integerTrial = { try await TrialExecution<Integer>($0, $1).run() }
        stringTrial = { try await TrialExecution<Text>($0, $1).run() }
        urlTrial = { try await TrialExecution<Locator>($0, $1).run() }
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
        declaration = Self.renamed(integer.declaration, name)
        preferredDriver = driver
        suspends = false
        stringKeyed = text
        self.explorer = explorer
        integerTrial = { try await TrialExecution<Integer>(synchronous: $0, $1, preferred: driver).run() }
        stringTrial = { try await TrialExecution<Text>(synchronous: $0, $1, preferred: driver).run() }
        urlTrial = { try await TrialExecution<Locator>(synchronous: $0, $1, preferred: driver).run() }
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
        return suspends ? "it works on threads of its own" : "its callers block their threads"
    }

    /// Runs one trial in this process and sends its results to the channel.
    ///
    /// - Throws: what kept the trial from running: an origin that can't be reached, a strategy that does not open.
    package func runTrial(_ specification: TrialSpecification, channel: TrialChannel) async throws {
        switch specification.scenario.keys.kind {
        case .integer: try await integerTrial(specification, channel)
        case .string: try await stringTrial(specification, channel)
        case .url: try await urlTrial(specification, channel)
        }
    }

    private static func renamed(_ declaration: StrategyDeclaration, _ name: String?) -> StrategyDeclaration {
        var renamed = declaration
        renamed.name = name ?? declaration.name
        return renamed
    }
}
