import ArgumentParser
import BuiltInStrategies
import TimedStrategies
import TrialModel
import TrialSessions

/// `validate`: reads scenario files and reports every mistake.
struct ValidateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Checks scenario files; reports every mistake with its line, and what is allowed.",
        discussion: """
            Examples:
              \(ThisProgram.name) validate Scenarios
              \(ThisProgram.name) validate my-scenario.yaml && \(ThisProgram.name) run my-scenario.yaml

            Exits with 65 when a file is bad.
            """)

    @OptionGroup var files: ScenarioArguments

    @Flag(help: "Print nothing about good files.")
    var quiet = false

    func validate() throws {
        try files.requireSome()
    }

    func run() async throws {
        let (good, isBad) = try files.readGood(
            strategies: StrategyRegistry.knownNames, allowsScripts: true, takesSweeps: true)
        let points = Dictionary(grouping: good, by: \.path)
        var seen: Set<String> = []
        for file in good where !quiet && seen.insert(file.path).inserted {
            let scenario = file.scenario
            let sweep = scenario.isSwept ? "a sweep of \(points[file.path]?.count ?? 1) points, " : ""
            let measured = scenario.phases.filter { !$0.warmUp }.count
            let requests = scenario.keys.trace.map { "\($0.requestCount) requests of a trace, " } ?? ""
            let pools = scenario.pools.isEmpty ? "" : " in \(scenario.pools.count) pools"
            try StandardOutput.write(
                "\(file.path): good; \(sweep)\(scenario.phases.count) phases, \(measured) measured, "
                    + "\(requests)\(scenario.keys.count) keys\(pools), seed \(scenario.seed)\n")
        }
        if isBad { throw ExitCode(TrialExitCode.badInput.rawValue) }
    }
}
