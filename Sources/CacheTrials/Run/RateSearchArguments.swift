import ArgumentParser
import ScenarioFiles
import TrialModel
import TrialSessions

/// The options of `run` that belong to a search for the highest rate.
struct RateSearchArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The objective that a rate must meet, such as 'p99 <= 5 ms'; with --find-max-rate.", valueName: "limit"),
        transform: RateSearchArguments.objective)
    var objective: LatencyObjective?

    @Option(
        help: ArgumentHelp(
            "The phase whose rate is searched; with --find-max-rate. (default: the last one that is measured)",
            valueName: "name"))
    var phase: String?

    @Option(
        help: ArgumentHelp(
            "How long a trial sends at its rate, from 100ms to 10min; with --find-max-rate. (default: 5s)",
            valueName: "time"),
        transform: TimeArgument.parse)
    var stepDuration: Duration?

    @Option(
        help: ArgumentHelp(
            "How close the nearest failing rate must be, from 1% to 50%; with --find-max-rate. (default: 5%)",
            valueName: "share"),
        transform: RateSearchArguments.share)
    var precision: Double?

    @Option(
        help: ArgumentHelp(
            "The most operations in flight at once, from 1 to 512; with --find-max-rate. (default: the phase's, and at least 64)",
            valueName: "n"))
    var clients: Int?

    /// - Parameter isSearch: whether the highest rate is searched.
    /// - Throws: `ValidationError`.
    func check(isSearch: Bool) throws {
        guard isSearch else {
            let given = [
                ("objective", objective != nil), ("phase", phase != nil), ("step-duration", stepDuration != nil),
                ("precision", precision != nil), ("clients", clients != nil),
            ]
            if let name = given.first(where: \.1)?.0 {
                throw ValidationError("'--\(name)' belongs to a search for the highest rate: add '--find-max-rate'.")
            }
            return
        }
        guard objective != nil else {
            throw ValidationError(
                "'--find-max-rate' needs an objective: add '--objective', such as --objective 'p99 <= 5 ms'.")
        }
        if let stepDuration, !(.milliseconds(100) ... .seconds(600)).contains(stepDuration) {
            throw ValidationError("'--step-duration': a time from 100 ms to 10 min is allowed.")
        }
        if let clients, !(1...512).contains(clients) {
            throw ValidationError("'--clients \(clients)': a whole number from 1 to 512 is allowed.")
        }
    }

    /// The settings of the search; `nil` when there is none.
    func settings(isSearch: Bool, repetitions: Int?) -> RateSearchSettings? {
        guard isSearch, let objective else { return nil }
        var settings = RateSearchSettings(objective: objective)
        (settings.phase, settings.clients) = (phase, clients)
        if let stepDuration {
            let (seconds, attoseconds) = stepDuration.components
            settings.stepNanoseconds = UInt64(clamping: seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
        }
        if let precision { settings.precision = precision }
        if let repetitions { settings.repetitions = repetitions }
        return settings
    }

    private static func objective(_ text: String) throws -> LatencyObjective {
        do throws(ObjectiveError) {
            return try LatencyObjective(text: text)
        } catch {
            throw ValidationError("\(error).")
        }
    }

    private static func share(_ text: String) throws -> Double {
        let compact = text.filter { $0 != " " }
        let isPercent = compact.hasSuffix("%")
        let digits = isPercent ? compact.dropLast() : compact[...]
        if let number = Double(digits), number.isFinite {
            let share = isPercent ? number / 100 : number
            if (0.01...0.5).contains(share) { return share }
        }
        throw ValidationError("'\(text)' is not a precision; write a share from 1% to 50%, such as 5% or 0.05.")
    }
}
