import CacheStrategies
package import TrialModel

/// What to explore of a strategy. Schedule `i` is that of the seed `seed + i`, whatever else is explored.
package struct ExplorationPlan: Codable, Hashable, Sendable {
    /// The strategy's name.
    package var strategy: String
    package var capacity: Capacity
    /// The most keys of a script that is made by chance.
    package var keyCount: Int
    /// What the callers do; `nil` makes scripts by chance.
    package var script: ScheduleScript?
    /// The seed of the first schedule.
    package var seed: UInt64
    /// How many schedules to run.
    package var schedules: Int
    /// Whether to look for the smallest script that breaks each broken promise.
    package var shrinks: Bool
    /// What carries the callers.
    package var carrier: ScheduleCarrier
    /// How orders are chosen; `nil` leaves it to the carrier: random, and for threads every other one by priorities.
    package var orders: OrderChoice?

    package init(
        strategy: String, capacity: Capacity, keyCount: Int, script: ScheduleScript? = nil, seed: UInt64,
        schedules: Int, shrinks: Bool = true, carrier: ScheduleCarrier = .tasks, orders: OrderChoice? = nil
    ) {
        self.strategy = strategy
        self.capacity = capacity
        self.keyCount = keyCount
        self.script = script
        self.seed = seed
        self.schedules = schedules
        self.shrinks = shrinks
        self.carrier = carrier
        self.orders = orders
    }

    /// The order of a seed.
    func order(ofSeed seed: UInt64) -> ScheduleOrder { ScheduleOrder(seed: seed, choice: orders) }

    /// How orders are chosen, for a table.
    package var ordersName: String {
        orders?.rawValue ?? (carrier == .threads ? "random, pct" : OrderChoice.random.rawValue)
    }

    /// The script of a seed.
    package func script(ofSeed seed: UInt64) -> ScheduleScript {
        script ?? ScriptGenerator(keyCountMax: keyCount).script(seed: seed)
    }

    /// What the strategy is given.
    var configuration: StrategyConfiguration {
        StrategyConfiguration(entryLimit: capacity.entries, costLimit: capacity.bytes)
    }
}

/// What an exploration showed.
package struct ExplorationReport: Codable, Hashable, Sendable {
    /// How many schedules were run.
    package var schedules: Int
    /// How many of them differed in what a caller or the origin saw, or when.
    package var distinctTraces: Int
    /// How many differed in the order of jobs or of the threads' steps.
    package var distinctOrders = 0
    /// What share of all orders with at most two preemptions was run, where those are gone through.
    package var spaceCovered: Double?
    /// What could not be put in order; with it, nothing is called explored.
    package var unseen: UnseenOrders = []
    /// All that happened in all schedules, as a number.
    package var digest: UInt64
    /// One for each promise that was judged, in the order of ``Promise``.
    package var findings: [ExplorationFinding]
    /// The seed of a schedule that did not end; the exploration ended with it.
    package var endlessSeed: UInt64?

    /// The finding about a promise.
    package subscript(promise: Promise) -> ExplorationFinding? { findings.first { $0.promise == promise } }

    /// The promises that were broken.
    package var broken: [Promise] { findings.filter { $0.verdict == .inconsistent }.map(\.promise) }
}

/// What is wrong with the exploration itself.
package struct ExplorationError: Error, CustomStringConvertible {
    package let description: String
}
