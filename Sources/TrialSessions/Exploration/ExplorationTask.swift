package import Schedules
package import TimedStrategies

/// What the process of an exploration needs to know; one line of JSON on its standard input.
package struct ExplorationTask: Codable, Sendable {
    package var plan: ExplorationPlan
    /// Where the process leaves the seed of the schedule that it runs.
    package var seedFile: String
}

/// What the process of an exploration says at its end; a line of JSON.
package enum ExplorationMessage: Codable, Sendable {
    case finished(ExplorationReport)
    /// It could not be done.
    case trouble(String)
}

extension ExplorationTask {
    /// Explores a strategy on this thread, in this process, whose yields and sleeps are taken over.
    ///
    /// - Parameter registration: the strategy of the plan.
    package func carryOut(_ registration: Strategy?) -> ExplorationMessage {
        guard let explorer = registration?.explorer else {
            return .trouble("the schedules of '\(plan.strategy)' can't be explored")
        }
        ScheduledRunLoop.takeOverProcess()
        do {
            let mark = try SeedMark(creating: seedFile)
            return .finished(try explorer.explore(plan) { mark.set($0) })
        } catch {
            return .trouble("\(error)")
        }
    }
}
