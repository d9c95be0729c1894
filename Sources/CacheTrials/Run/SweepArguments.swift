import ArgumentParser
import Reports
import TrialModel
import TrialSessions

/// Sweeps besides those of the scenario files.
struct SweepArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Run every scenario once for each value, such as clients=1,2,4; also \(SweepDimension.allCases.dropFirst().map(\.rawValue).joined(separator: ", ")). May be repeated.",
            valueName: "name=values"))
    var sweep: [String] = []

    @Option(help: ArgumentHelp("Refuse a sweep of more trials than this, from 1 to 1000000.", valueName: "n"))
    var trialsAtMost = 1000

    func validate() throws {
        guard (1...1_000_000).contains(trialsAtMost) else {
            throw ValidationError("'--trials-at-most \(trialsAtMost)': a whole number from 1 to 1000000 is allowed.")
        }
    }

    /// Refuses scenarios that are swept.
    ///
    /// - Parameter verb: the verb that takes no sweep, as a user writes it.
    /// - Throws: exit code 64; the reason and the remedy go to standard error.
    static func refuse(_ files: [ScenarioArguments.File], for verb: String, because reason: String) throws {
        guard let file = files.first(where: { $0.scenario.isSwept }) else { return }
        StandardError.error(
            "\(file.path): '\(verb)' takes no sweep, because \(reason): leave out '--sweep', and the scenario's 'sweep'"
        )
        throw ExitCode(TrialExitCode.usage.rawValue)
    }

    /// Reports the size of a sweep on standard error.
    ///
    /// - Throws: exit code 64 when the sweep is larger than the limit.
    func announce(_ plan: RunPlan) throws {
        let swept = plan.entries.filter { !$0.identity.scenario.swept.isEmpty }
        guard !swept.isEmpty else { return }
        let points = Set(swept.map(\.identity.scenario)).count
        let seconds = plan.entries.reduce(0.0) { $0 + $1.scenario.typicalDuration / .seconds(1) }
        let text =
            "\(points) points of a sweep, \(plan.entries.count) trials, about \(Quantity.span(seconds: UInt64(seconds.rounded(.up))))"
        guard plan.entries.count <= trialsAtMost else {
            StandardError.error(
                "\(text): more than '--trials-at-most \(trialsAtMost)'; sweep fewer values, run fewer '--strategies' or "
                    + "'--repetitions', or raise it")
            throw ExitCode(TrialExitCode.usage.rawValue)
        }
        StandardError.write(text)
    }
}
