import ArgumentParser
import CacheTrials
import Dispatch
import TimedStrategies

/// With a verb of `cache-trials` this is that program, with strategies that have known faults; the measurements start it
/// so.
@main
enum Main {
    static func main() {
        let verbs = CacheTrialsCommand.configuration.subcommands.map { $0._commandName }
        if let verb = CommandLine.arguments.dropFirst().first, verbs.contains(verb) {
            return CacheTrialsCommand.main(adding: [
                Strategy(PlantedLRU<Int>.self), Strategy(PlantedList<Int>.self), Strategy(PlantedTaskList<Int>.self),
            ])
        }
        // `main` is not async, as trials that count instructions require.
        Task(priority: .medium) {
            await Benchmarks.main()
            Benchmarks.exit()
        }
        dispatchMain()
    }
}

/// The measurements, each a verb.
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmarks",
        abstract: "Measures what the strategies and the harness cost, and whether verdicts detect injected bugs.",
        discussion: "Use a release build on an idle machine: scripts/benchmark VERB builds and runs it.",
        subcommands: [
            StrategiesCommand.self, HarnessCommand.self, GateCommand.self, FramesCommand.self,
            ColdStartCommand.self, ResampleCommand.self,
        ]
    )
}
