public import CacheStrategies
public import Payloads
import TrialModel

/// A strategy of another package with one type of keys: how it is opened for a trial, and its type for what is asked of
/// it outside of trials, where time is of no matter.
public struct BoxedTrial<Key: Hashable & Sendable>: Sendable {
    /// Opens the cache and hands out its operations.
    @usableFromInline
    enum Opening: Sendable {
        case blocking(@Sendable (StrategyConfiguration) throws -> BlockingOperations<Key>)
        case suspending(@Sendable (StrategyConfiguration) throws -> SuspendingOperations<Key>)
    }

    @usableFromInline let opening: Opening
    @usableFromInline let strategy: any CacheStrategy<Key, Payload>.Type

    /// A strategy that suspends; its clients are tasks.
    @inlinable
    public init<Strategy: CacheStrategy<Key, Payload>>(_ strategy: Strategy.Type) {
        self.strategy = strategy
        opening = .suspending { try SuspendingOperations(Strategy(configuration: $0)) }
    }

    /// A synchronous strategy; its clients are dedicated threads.
    @inlinable
    public init<Strategy: SynchronousCacheStrategy<Key, Payload>>(_ strategy: Strategy.Type) {
        self.strategy = strategy
        opening = .blocking { try BlockingOperations(Strategy(configuration: $0)) }
    }
}

extension BoxedTrial where Key: TrialKey {
    /// Whether its callers need tasks.
    var suspends: Bool {
        switch opening {
        case .blocking: false
        case .suspending: true
        }
    }

    /// The trial. Inlined where the key is known, so that the loop is compiled for it.
    @inline(__always)
    func body(_ declaration: StrategyDeclaration) -> StrategyRegistration.TrialBody {
        switch opening {
        case .blocking(let open):
            { specification, channel in
                try await TrialExecution<BoxedSynchronousStrategy<Key>>(
                    synchronous: specification, channel, preferred: .threads, declaration: declaration,
                    opening: { BoxedSynchronousStrategy(operations: try open($0)) }
                ).run()
            }
        case .suspending(let open):
            { specification, channel in
                try await TrialExecution<BoxedStrategy<Key>>(
                    specification, channel, declaration: declaration,
                    opening: { BoxedStrategy(operations: try open($0)) }
                ).run()
            }
        }
    }

    /// Asks for a promise.
    var probe: StrategyRegistration.ProbeBody { { try await report($0) } }

    private func report(_ probe: PromiseProbe) async throws -> PromiseProbe.Report {
        try await Self.report(of: strategy, probe)
    }

    private static func report<Strategy: CacheStrategy<Key, Payload>>(
        of type: Strategy.Type, _ probe: PromiseProbe
    ) async throws -> PromiseProbe.Report {
        try await probe.report(of: type)
    }
}
