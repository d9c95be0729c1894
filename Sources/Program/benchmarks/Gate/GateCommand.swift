import ArgumentParser
import CacheTrials
import Foundation

/// `gate`: runs comparisons whose verdicts are known beforehand, until the time is over.
struct GateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate",
        abstract: "Compares builds that are equal, and builds with an injected bug, and counts the verdicts.",
        discussion: """
            Examples:
              scripts/benchmark gate --seconds 180
              scripts/benchmark gate --seconds 3600 --output Results/gate

            Every comparison is saved when it ends, so that Ctrl-C loses at most one; the
            same command with '--output' continues. Ends with 1 when equal builds were
            called better or worse too often, or a fault was called the same; with 2 when
            no comparison had a value.
            """)

    @Option(
        help: ArgumentHelp("The time limit of all comparisons, in seconds, from 10 to 86400.", valueName: "seconds"))
    var seconds = 180

    @Option(
        help: ArgumentHelp("The folder for the counts. (default: one that is removed)", valueName: "folder"),
        completion: .directory)
    var output: String?

    @OptionGroup var cases: CaseArguments<GateCase>

    func validate() throws {
        try NumberArgument.check(seconds, "seconds", in: 10...86_400)
    }

    func run() async throws {
        if let output { return try measure(in: URL(fileURLWithPath: output, isDirectory: true)) }
        try await ChildProgram.withFolder("gate", measure)
    }

    private func measure(in folder: URL) throws {
        var measurement = try GateMeasurement(folder: folder, cases: cases.chosen)
        try measurement.run(for: .seconds(seconds))
        print(measurement.table, terminator: "")
        guard measurement.isMeasured else {
            StandardError.write("benchmarks: no comparison had a value; \(folder.path)/comparison may say why")
            throw ExitCode(2)
        }
        if !measurement.holds { throw ExitCode(1) }
    }
}
