import ArgumentParser
import BuiltInStrategies
import CacheStrategies
import Foundation
import ScheduleExploration
import TimedStrategies
import TrialModel
import TrialSessions

/// `explore`: explores the schedules of one strategy in this process. `run --explore` starts it; it is of no use by hand.
///
/// As with `trial`, the task is the first line of standard input, which stays open as long as who started it lives.
struct ExploreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore", abstract: "Explores the schedules of one strategy; used by 'run'.",
        shouldDisplay: false)

    func run() async throws {
        let output = TrialCommand.takeOverStandardOutput()
        guard let line = readLine(strippingNewline: true),
            let task = try? JSONDecoder().decode(ExplorationTask.self, from: Data(line.utf8))
        else {
            throw ValidationError("'explore' is started by 'run'; use '\(ThisProgram.name) run --explore N'.")
        }
        ParentWatch.exitWhenInputCloses()
        let message = await Self.onThread { task.carryOut(StrategyRegistry.current[task.plan.strategy]) }
        var answer = try JSONEncoder().encode(message)
        answer.append(UInt8(ascii: "\n"))
        try output.write(contentsOf: answer)
    }

    /// Works on a thread that nothing else uses, and on which no task is under way.
    private static func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            thread.name = "schedules"
            thread.stackSize = 8 << 20
            thread.start()
        }
    }
}
