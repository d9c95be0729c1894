import ArgumentParser
import BuiltInStrategies
import CacheStrategies
import Foundation
import Schedules
import TimedStrategies
import TrialLoop
import TrialModel
import TrialSessions

/// `schedules`: explores the schedules of one strategy in this process. `explore` starts it; it is not meant to be
/// started by hand.
struct SchedulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedules", abstract: "Explores the schedules of one strategy; used by 'explore'.",
        shouldDisplay: false)

    func run() async throws {
        let channel = ChildRole.channel(of: ExplorationMessage.self)
        let task = try ChildRole.request(ExplorationTask.self, verb: "schedules", starter: "explore")
        ChildRole.exitWhenInputCloses()
        channel.send(await Self.onThread { task.carryOut(StrategyRegistry.current[task.plan.strategy]) })
    }

    /// Works on a thread of its own, on which no task runs.
    private static func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            thread.name = "schedules"
            thread.stackSize = 8 << 20
            thread.start()
        }
    }
}
