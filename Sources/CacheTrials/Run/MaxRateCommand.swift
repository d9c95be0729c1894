import ArgumentParser
import Reports
import ScenarioFiles
import TrialModel

/// `max-rate`: the highest rate that meets an objective.
struct MaxRateCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "max-rate",
        abstract: "Finds the highest rate that each strategy sustains under an objective.",
        discussion: """
            Examples:
              \(ThisProgram.name) max-rate Scenarios/steady-zipf.yaml --objective 'p99 <= 5 ms'
              \(ThisProgram.name) max-rate Scenarios/steady-zipf.yaml --objective 'p99 of load <= 20 ms' --precision 2%

            The last measured phase runs at rates of the search's choice, until it finds
            the highest one that meets the objective in most repetitions. All phases before
            it run unchanged. rate-search.csv has every step. --repetitions is the most at each
            rate, and 3 by default.
            """)

    @OptionGroup var trials: TrialArguments

    @OptionGroup var printing: FormatArguments<TableFormat>

    @Option(
        help: ArgumentHelp("The objective that a rate must meet, such as 'p99 <= 5 ms'.", valueName: "limit"),
        transform: MaxRateCommand.objective)
    var objective: LatencyObjective

    @Option(
        help: ArgumentHelp(
            "The phase whose rate is searched. (default: the last one that is measured)", valueName: "name"))
    var phase: String?

    @Option(
        help: ArgumentHelp("How long a trial sends at its rate, from 100ms to 10min. (default: 5s)", valueName: "time"),
        transform: TimeArgument.parse)
    var stepDuration: Duration?

    @Option(
        help: ArgumentHelp(
            "How close the nearest failing rate must be, from 1% to 50%. (default: 5%)", valueName: "share"),
        transform: ShareArgument.parse)
    var precision: Double?

    @Option(
        help: ArgumentHelp(
            "The most operations in flight at once, from 1 to 512. (default: the phase's, and at least 64)",
            valueName: "n"))
    var clients: Int?

    @OptionGroup(title: "Servers that already run") var servers: ServerArguments

    func validate() throws {
        if let stepDuration, !(.milliseconds(100) ... .seconds(600)).contains(stepDuration) {
            throw ValidationError("'--step-duration': a time from 100 ms to 10 min is allowed.")
        }
        try NumberArgument.check(clients, "clients", in: 1...512)
        if let precision, !(0.01...0.5).contains(precision) {
            throw ValidationError("'--precision': a share from 1% to 50% is allowed.")
        }
    }

    func carryOut() async throws -> TrialExitCode {
        let read = try trials.read()
        try ScenarioArguments.refuseSwept(read, for: "max-rate", because: "it chooses rates and clients itself")
        try ScenarioArguments.refuse(read) { scenario in
            guard let phase = scenario.phases.first(where: { $0.reasonForOneProcess != nil }) else { return nil }
            return
                ": 'max-rate' does not support \(phase.reasonForOneProcess ?? ""): use another scenario, or one without "
                + "'\(phase.name)'"
        }
        try ScenarioArguments.refuseChecked(read, for: "max-rate", because: "records make operations slower")
        var request = try trials.request(read)
        request.search = settings
        return try await trials.work(request, servers: servers).carryOut(format: .tables(printing.format))
    }

    private var settings: RateSearchSettings {
        var settings = RateSearchSettings(objective: objective)
        (settings.phase, settings.clients) = (phase, clients)
        if let stepDuration { settings.stepNanoseconds = stepDuration.nanoseconds }
        if let precision { settings.precision = precision }
        if let repetitions = trials.repetitions { settings.repetitions = repetitions }
        return settings
    }

    private static func objective(_ text: String) throws -> LatencyObjective {
        do throws(ObjectiveError) {
            return try LatencyObjective(text: text)
        } catch {
            throw ValidationError("\(error).")
        }
    }
}
