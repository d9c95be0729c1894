import ArgumentParser
import CacheTrials
import Foundation
import TimedStrategies

/// `cache-trials` with a strategy that has known faults, to test the verdicts of `compare --live`.
@main
enum BenchmarkGate {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "measure" {
            MeasureCommand.main(Array(arguments.dropFirst()))
        } else {
            CacheTrialsCommand.main(adding: [Strategy(PlantedLRU<Int>.self)])
        }
    }
}

/// `measure`: runs comparisons whose verdicts are known beforehand, until the time is over.
struct MeasureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmark-gate measure",
        abstract: "Compares builds that are equal, and builds with a known fault, and counts the verdicts.",
        discussion: """
            Examples:
              scripts/compare-with-itself --seconds 180
              scripts/compare-with-itself --seconds 3600 --output Results/gate

            Every comparison is saved when it ends, so that Ctrl-C loses at most one; the
            same command continues. Ends with 1 when equal builds were called better or
            worse too often, or a fault was called the same.
            """)

    @Option(
        help: ArgumentHelp("The time limit of all comparisons, in seconds, from 10 to 86400.", valueName: "seconds"))
    var seconds = 180

    @Option(help: ArgumentHelp("The folder for the counts.", valueName: "folder"), completion: .directory)
    var output: String

    @Option(help: ArgumentHelp("Only these cases, separated by commas.", valueName: "names"))
    var cases: String?

    func validate() throws {
        guard (10...86_400).contains(seconds) else {
            throw ValidationError("'--seconds \(seconds)': a whole number from 10 to 86400 is allowed.")
        }
        let known = GateCase.all.map(\.name)
        if let name = names.first(where: { !known.contains($0) }) {
            throw ValidationError("'--cases': there is no '\(name)'. There are: \(known.joined(separator: ", ")).")
        }
    }

    private var names: [String] { cases?.split(separator: ",").map(String.init) ?? [] }

    func run() throws {
        let chosen = GateCase.all.filter { names.isEmpty || names.contains($0.name) }
        var measurement = try GateMeasurement(folder: URL(fileURLWithPath: output, isDirectory: true), cases: chosen)
        try measurement.run(for: .seconds(seconds))
        print(measurement.table, terminator: "")
        if !measurement.holds { throw ExitCode(1) }
    }
}
