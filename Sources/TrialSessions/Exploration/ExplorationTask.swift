package import Schedules
package import TimedStrategies

/// The request to the process of an exploration; one line of JSON on its standard input.
package struct ExplorationTask: Codable, Sendable {
    package var plan: ExplorationPlan
    /// The file in which the process leaves the seed of the schedule that it runs.
    package var seedFile: String
}

/// The answer of the process of an exploration; a line of JSON.
package enum ExplorationMessage: Codable, Sendable {
    case finished(ExplorationReport)
    /// The exploration could not be done.
    case trouble(String)
}

extension ExplorationTask {
    /// Explores a strategy on this thread, in this process, whose yields and sleeps are controlled.
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
