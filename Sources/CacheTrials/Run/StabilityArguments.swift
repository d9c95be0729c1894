import ArgumentParser
import Comparison
import Reports
import TrialModel

/// The options for runs that repeat until their figures are stable.
struct StabilityArguments: ParsableArguments {
    @Flag(help: "Add repetitions until throughput, p50 and p99 of every strategy are precise enough.")
    var untilStable = false

    @Option(
        help: ArgumentHelp(
            "How precise throughput and p50 must be, from 0.5% to 50%, with twice that for p99; with --until-stable. (default: 2.5%)",
            valueName: "share"),
        transform: ShareArgument.parse)
    var stableWithin: Double?

    @Option(
        help: ArgumentHelp(
            "The most repetitions, from 6 to 1000; with --until-stable. (default: 30)", valueName: "n"))
    var maxRepetitions: Int?

    func validate() throws {
        if !untilStable {
            let given = [("stable-within", stableWithin != nil), ("max-repetitions", maxRepetitions != nil)]
            if let name = given.first(where: \.1)?.0 {
                throw ValidationError(
                    "'--\(name)' needs a run until its figures are stable: add '--until-stable'.")
            }
        }
        if let stableWithin, !(0.005...0.5).contains(stableWithin) {
            throw ValidationError("'--stable-within': a share from 0.5% to 50% is allowed.")
        }
        if let maxRepetitions, !(6...1000).contains(maxRepetitions) {
            throw ValidationError("'--max-repetitions \(maxRepetitions)': a whole number from 6 to 1000 is allowed.")
        }
    }

    /// The precision that the run must reach; `nil` for a fixed number of repetitions.
    ///
    /// It is half of the smallest difference that `compare` reports, so that two such runs can show that difference.
    var wanted: RunDescription.Stability? {
        untilStable
            ? RunDescription.Stability(within: stableWithin ?? 0.025, repetitionsMax: maxRepetitions ?? 30) : nil
    }
}

extension RunDescription.Stability {
    /// The figures that are still open, a line each.
    func open(_ results: [PhaseResult]) -> [String] {
        Stability(within: within).open(results).map { open in
            let seen = open.halfWidth.map { "known to ±\(Quantity.percent($0))" } ?? "too few repetitions"
            return "\(open.strategy) in \(open.scenario), \(open.phase): \(open.metric.rawValue) \(seen), "
                + "wanted ±\(Quantity.percent(open.wanted))"
        }
    }
}

/// A share on the command line.
enum ShareArgument {
    /// Reads `5%` or `0.05`.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    static func parse(_ text: String) throws -> Double {
        let isPercent = text.hasSuffix("%")
        guard let number = Double(isPercent ? String(text.dropLast()) : text), number.isFinite, number >= 0 else {
            throw ValidationError("'\(text)' is not a share; write it in per cent, such as 5%.")
        }
        return isPercent ? number / 100 : number
    }
}
