package import CacheStrategies
import TrialModel

/// Explores one strategy: an ``Exploration`` compiled for its types.
package struct StrategyExplorer: Sendable {
    /// What the strategy is called and promises.
    package let declaration: StrategyDeclaration
    /// What carries the callers.
    package let carrier: ScheduleCarrier
    private let makeRun: @Sendable (StrategyConfiguration) throws -> ScheduleRun

    /// Runs a script in an order.
    typealias ScheduleRun = (ScheduleScript, ScheduleOrder) throws -> ExploredSchedule

    /// - Parameter strategy: a strategy whose callers suspend and never block their thread, and that does its work in
    ///   tasks; see ``ScheduledRunLoop`` for what can't be scheduled.
    package init<Strategy: CacheStrategy>(_ strategy: Strategy.Type)
    where Strategy.Key == Int, Strategy.Value == ScriptedValue {
        declaration = strategy.declaration
        carrier = .tasks
        makeRun = { configuration in
            let trial = try ScheduledTrial<Strategy>(configuration: configuration)
            return { script, order in try trial.explored(script, order) }
        }
    }

    /// - Parameter strategy: a strategy whose callers suspend, and that works on threads or queues of its own; in a process
    ///   that has loaded the library `ThreadSchedule`.
    package init<Strategy: CacheStrategy>(withThreads strategy: Strategy.Type)
    where Strategy.Key == Int, Strategy.Value == ScriptedValue {
        declaration = strategy.declaration
        carrier = .threads
        makeRun = { configuration in
            let threads = try ThreadSchedule.required()
            let trial = try ScheduledTrial<Strategy>(configuration: configuration, threads: threads)
            return { script, order in try trial.explored(script, order) }
        }
    }

    /// - Parameter strategy: a strategy whose callers are threads, in a process that has loaded the library
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

    /// Explores a strategy with shared loads. Nothing is compiled for it, so that its schedules take longer.
    package init(sharingLoadsOf strategy: any CacheStrategy<Int, ScriptedValue>.Type) {
        func explorer<Base: CacheStrategy<Int, ScriptedValue>>(_ type: Base.Type) -> StrategyExplorer {
            StrategyExplorer(SharingLoads<Base>.self)
        }
        self = explorer(strategy)
    }

    /// Explores the strategy on this thread.
    ///
    /// - Parameters:
    ///   - plan: what to explore.
    ///   - willRun: is told each seed before its schedule is run, so that it is known when the process dies of it; `nil` when
    ///     smaller scripts are looked for.
    /// - Throws: what the strategy throws when it opens, ``OutOfMemory``, and ``ExplorationError``.
    package func explore(
        _ plan: ExplorationPlan, willRun: (UInt64?) -> Void = { _ in }
    ) throws -> ExplorationReport {
        var exploration = Exploration(plan: plan, promises: declaration.promises, run: try makeRun(plan.configuration))
        return try exploration.carryOut(willRun: willRun)
    }
}

/// One schedule, run to its end.
struct ExploredSchedule {
    var recorder: ScheduleRecorder
    var isEndless: Bool
    var digest: UInt64
    var historyDigest: UInt64
    /// Where threads went on, for a walk through all orders.
    var decisions: [PreemptionWalk.Decision] = []
    var unseen: UnseenOrders = []
    /// The steps of threads, where they were asked for.
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
