package import CacheStrategies
import TrialModel

/// Explores one strategy: an ``Exploration`` compiled for its types.
package struct StrategyExplorer: Sendable {
    /// The strategy's name and promises.
    package let declaration: StrategyDeclaration
    /// What runs the callers.
    package let carrier: ScheduleCarrier
    /// What can be asked of it.
    package private(set) var calls = CacheCalls.all
    private let makeRun: @Sendable (StrategyConfiguration) throws -> ScheduleRun

    /// Runs a script in an order.
    typealias ScheduleRun = (ScheduleScript, ScheduleOrder) throws -> ExploredSchedule

    /// - Parameter strategy: a strategy whose callers suspend. If the process has loaded the library `ThreadSchedule`,
    ///   its tasks run on several threads that are ordered, together with its own; otherwise only its tasks are ordered,
    ///   and the report says so.
    /// - Parameter startsThreads: whether it may have threads of its own. Those that nothing orders may still wake a
    ///   caller that seems lost.
    package init<Strategy: CacheStrategy>(_ strategy: Strategy.Type, startsThreads: Bool = true)
    where Strategy.Key == Int, Strategy.Value == ScriptedValue {
        self.init(strategy, declaring: strategy.declaration, startsThreads: startsThreads) {
            try Strategy(configuration: $0)
        }
    }

    /// - Parameters:
    ///   - declaration: the promises of the cache.
    ///   - calls: what can be asked of it.
    ///   - startsThreads: whether it may have threads of its own.
    ///   - open: opens it.
    package init<Strategy: CacheStrategy>(
        _ strategy: Strategy.Type, declaring declaration: StrategyDeclaration, calls: CacheCalls = .all,
        startsThreads: Bool = true,
        open: @escaping @Sendable (StrategyConfiguration) throws -> Strategy
    ) where Strategy.Key == Int, Strategy.Value == ScriptedValue {
        self.declaration = declaration
        self.calls = calls
        carrier = .tasks
        makeRun = { configuration in
            let trial = try ScheduledTrial<Strategy>(
                configuration: configuration, declaration, calls, startsThreads: startsThreads,
                threads: ThreadSchedule.loaded(), open: open)
            return { script, order in try trial.explored(script, order) }
        }
    }

    /// - Parameter strategy: a strategy whose callers are threads; the process must have loaded the library
    ///   `ThreadSchedule`.
    package init<Strategy: SynchronousCacheStrategy>(threads strategy: Strategy.Type)
    where Strategy.Key == Int, Strategy.Value == ScriptedValue {
        declaration = strategy.declaration
        carrier = .threads
        makeRun = { configuration in
            let trial = try ThreadTrial<Strategy>(configuration: configuration)
            return { script, order in try trial.run(script, order) }
        }
    }

    /// Explores a strategy with shared loads. Its code is not specialised, so its schedules take longer.
    package init(sharingLoadsOf strategy: any CacheStrategy<Int, ScriptedValue>.Type) {
        func explorer<Base: CacheStrategy<Int, ScriptedValue>>(_ type: Base.Type) -> StrategyExplorer {
            StrategyExplorer(SharingLoads<Base>.self)
        }
        self = explorer(strategy)
    }

    /// Why this process can explore nothing; `nil` if it can.
    package var whyUnavailable: String? {
        guard carrier == .threads else { return nil }
        do throws(ExplorationError) {
            _ = try ThreadSchedule.required()
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Explores the strategy on this thread.
    ///
    /// - Parameters:
    ///   - plan: what to explore.
    ///   - willRun: receives each seed before its schedule runs, so that the seed is known when the process crashes;
    ///     `nil` in the search for smaller scripts.
    ///   - onProgress: called after every schedule with what has been found so far.
    /// - Throws: the strategy's error when it can't be opened, ``OutOfMemory``, and ``ExplorationError``.
    package func explore(
        _ plan: ExplorationPlan, willRun: (UInt64?) -> Void = { _ in },
        onProgress: @escaping (() -> ExplorationReport) -> Void = { _ in }
    ) throws -> ExplorationReport {
        var exploration = Exploration(
            plan: plan, declaration: declaration, run: try makeRun(plan.configuration), onProgress: onProgress)
        return try exploration.carryOut(willRun: willRun)
    }
}

/// One schedule, run to its end.
struct ExploredSchedule {
    var recorder: ScheduleRecorder
    var isEndless: Bool
    var digest: UInt64
    var historyDigest: UInt64
    /// Where threads continued, for an enumeration of all orders.
    var decisions: [PreemptionWalk.Decision] = []
    var unseen: UnseenOrders = []
    var switchPoints: SwitchPoints = []
    /// The steps of threads, if they were requested.
    var timeline: [String] = []
}

extension ExploredSchedule {
    /// A schedule of tasks.
    init<Strategy: CacheStrategy>(_ recorder: ScheduleRecorder, _ result: ScheduledTrial<Strategy>.Result) {
        let isEndless = if case .endless = result.ending { true } else { false }
        self.init(
            recorder: recorder, isEndless: isEndless, digest: result.digest, historyDigest: result.historyDigest)
    }
}
