package import CacheStrategies
import HistoryChecking
package import TrialModel

/// What to explore of a strategy. Schedule `i` has the seed `seed + i`, independent of the rest of the plan.
package struct ExplorationPlan: Changeable, Codable, Hashable, Sendable {
    /// The strategy's name.
    package var strategy = ""
    package var capacity = Capacity(entries: 100)
    /// The most keys of a random script; with two, no script has more keys than its cache has room for.
    package var keyCount = 2
    /// The fewest entries for which the cache can have room; `nil` where the number of entries has no limit.
    package var roomMin: Int?
    /// The operations of the callers; `nil` makes random scripts.
    package var script: ScheduleScript?
    /// The seed of the first schedule.
    package var seed: UInt64 = 1
    /// How many schedules to run.
    package var schedules = 1
    /// Whether to look for the smallest script that breaks each broken promise.
    package var shrinks = true
    /// What runs the callers: tasks or threads.
    package var carrier = ScheduleCarrier.tasks
    /// How orders are chosen; `nil` leaves it to the carrier: random for tasks, and several ways in turn
    /// for threads, also those that run tasks.
    package var orders: OrderChoice?
    /// Whether some random scripts are about a limit of entries, because the strategy promises that no moment exceeds
    /// one.
    package var triesLimits = false
    /// Whether some random scripts move the clock, because the strategy has lifetimes by the configured one.
    package var triesExpiry = false
    /// What can be asked of the cache; other operations are replaced in random scripts.
    package var calls = CacheCalls.all

    package init() {}

    /// Chooses the scripts by what a strategy promises of its limits.
    package mutating func fit(_ declaration: StrategyDeclaration) {
        let promises = declaration.promises
        triesLimits = promises.limitsEveryMoment && promises.limitRules.smallest == 1
        triesExpiry = promises.timeToLive.kind != .none && promises.timeToLive.clock == .configured
        roomMin = declaration.bounds.contains(.entries) ? promises.limitRules.smallest : nil
    }

    /// The order of a seed.
    func order(ofSeed seed: UInt64) -> ScheduleOrder { ScheduleOrder(seed: seed, choice: orders) }

    /// The script of a seed.
    package func script(ofSeed seed: UInt64) -> ScheduleScript {
        script
            ?? ScriptGenerator(
                keyCountMax: keyCount, triesLimits: triesLimits, roomMin: roomMin ?? .max, triesExpiry: triesExpiry
            ).script(seed: seed).limited(to: calls)
    }

    /// The configuration with which the strategy is opened.
    var configuration: StrategyConfiguration {
        StrategyConfiguration(entryLimit: capacity.entries, costLimit: capacity.bytes)
    }
}

extension ScheduleScript {
    /// The same with only such calls: lookups replace removals, and loads the others.
    func limited(to calls: CacheCalls) -> ScheduleScript {
        guard !calls.isSuperset(of: [.lookUp, .insert, .remove, .removeAll]) else { return self }
        var limited = self
        for caller in callers.indices {
            for index in callers[caller].indices {
                var operation = callers[caller][index]
                if operation.kind == .remove, !calls.contains(.remove) { operation.kind = .read }
                let isMissing =
                    switch operation.kind {
                    case .read: !calls.contains(.lookUp)
                    case .write: !calls.contains(.insert)
                    case .clear: !calls.contains(.removeAll)
                    case .load, .failingLoad, .cancelledLoad, .remove, .statistics, .expire: false
                    }
                if isMissing { operation.kind = .load }
                limited.callers[caller][index] = operation
            }
        }
        return limited
    }
}

extension StrategyConfiguration {
    /// The configuration with the limit of a script, if it has one, and with lifetimes if the script moves the clock.
    func limited(by script: ScheduleScript, _ clock: ScheduleClock) -> StrategyConfiguration {
        var limited = self
        if script.movesClock { (limited.timeToLive, limited.clock) = (ScheduleClock.lifetime, clock.cacheClock) }
        if let entryLimit = script.entryLimit { limited.entryLimit = entryLimit }
        return limited
    }
}

/// The results of an exploration.
package struct ExplorationReport: Codable, Hashable, Sendable {
    /// How many schedules were run.
    package var schedules = 1
    /// How many of them differed in what a caller or the origin observed, or when.
    package var distinctTraces: Int
    /// How many differed in the order of jobs or of the threads' steps.
    package var distinctOrders = 0
    /// The share of all orders with at most two preemptions that was run, when those are enumerated.
    package var spaceCovered: Double?
    /// Operations whose order could not be controlled; if there are any, no promise is consistent.
    package var unseen: UnseenOrders = []
    /// Where interleavings could continue with another thread or task.
    package var switchPoints: SwitchPoints = []
    /// A digest of all events in all schedules.
    package var digest: UInt64
    /// One finding for each judged promise, in the order of ``Promise``.
    package var findings: [ExplorationFinding]
    /// The seed of a schedule that did not end; the exploration ended with it.
    package var endlessSeed: UInt64?
}

/// An error of the exploration itself.
package struct ExplorationError: Error, CustomStringConvertible {
    package let description: String
}
