import ArgumentParser
import BuiltInStrategies
import CacheStrategies
import Comparison
import Foundation
import Reports
import TrialModel

/// `compare`: compares two result folders, or the strategies of one, with a verdict for each figure.
struct CompareCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Judges each metric of two runs: better, worse, same or inconclusive.",
        discussion: """
            Examples:
              \(ThisProgram.name) compare --live old/\(ThisProgram.name) new/\(ThisProgram.name) Scenarios/scan.yaml
              \(ThisProgram.name) compare --live --base main Scenarios/scan.yaml
              \(ThisProgram.name) compare Results/before Results/after
              \(ThisProgram.name) compare Results/before Results/after --max-regression p99=15%
              \(ThisProgram.name) compare before after --fail-on inconclusive --output verdict
              \(ThisProgram.name) compare --within Results/monday --baseline-strategy lru
              \(ThisProgram.name) compare Results/count --write-thresholds thresholds.csv
              \(ThisProgram.name) compare Results/count --thresholds thresholds.csv

            better, worse: the whole confidence interval lies beyond the smallest
            difference worth reporting. same: all of it lies within that difference.
            inconclusive: everything else. Intervals come from ranks, from the differences
            of paired blocks (--live) or of paired repetitions (--within, --paired).
            better and worse are corrected for all comparisons together. Ten repetitions
            of each side are a good number.

            --live alternates two programs every few milliseconds, so that noise of the
            machine affects both alike, until every value has a verdict or the --budget is
            spent. It compares throughput, p50, p99 and hit_ratio. Differences below 2 %,
            and below 10 % in p99, count as the same. 5 % less throughput was found in 90 %
            of the comparisons on an idle host, and in fewer on a busy one.

            Exits with 1 when a value is worse, unless --fail-on says otherwise.
            Reference implementations, controls and baselines never fail it. Exits with
            65 when the runs are of different machines, builds, scenarios, seeds or versions.
            """)

    @Argument(
        help: "The baseline's result folder, then the candidate's; with --live their programs, then scenarios.",
        completion: .file())
    var folders: [String] = []

    @Option(
        help: ArgumentHelp("Compare the strategies of one run, with --baseline-strategy.", valueName: "folder"),
        completion: .directory)
    var within: String?

    @Option(
        help: ArgumentHelp("The strategy that the others are compared with; with --within.", valueName: "name"),
        completion: .list(StrategyRegistry.current.declarations.map(\.name)))
    var baselineStrategy: String?

    @Option(
        help: ArgumentHelp(
            "Compare a run with values that are committed with the code: counts and hit ratios, which are the same on every machine.",
            valueName: "file"),
        completion: .file())
    var thresholds: String?

    @Option(
        help: ArgumentHelp(
            "Write a run's values into such a file; others that it holds stay.", valueName: "file"),
        completion: .file())
    var writeThresholds: String?

    @Flag(
        help:
            "Run two programs alternately, the baseline's and the candidate's, on the scenarios that follow, until every metric has a verdict."
    )
    var live = false

    @Option(
        help: ArgumentHelp(
            "Build this program at another commit, in a worktree of its own, as the baseline of this one; with --live, then only scenarios are named.",
            valueName: "ref"))
    var base: String?

    @Option(
        help: ArgumentHelp(
            "What builds it, run in the folder of the package. (default: swift build with the same configuration)",
            valueName: "command"))
    var build: String?

    @Option(
        help: ArgumentHelp(
            "The time limit of the whole comparison, such as 10min; with --live. (default: 3min)", valueName: "time"),
        transform: TimeArgument.parse)
    var budget: Duration?

    @Option(
        help: ArgumentHelp(
            "The time in its own slices without progress after which a trial counts as hung; with --live. (default: as for run)",
            valueName: "time"),
        transform: TimeArgument.parse)
    var deadline: Duration?

    @Flag(help: "Continue in the folder of an interrupted comparison; with --live, needs --output.")
    var resume = false

    @Flag(help: "Print no progress; with --live.")
    var quiet = false

    @Flag(help: "Both runs alternated: repetitions with one number ran one after the other, in either order.")
    var paired = false

    @OptionGroup var judging: ComparisonArguments

    @Option(
        help: ArgumentHelp(
            "Differences to allow, separated by commas: \(RunDifference.Kind.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "kinds"),
        transform: { try CommaList.parse($0, RunDifference.Kind.self, "allow-different") })
    var allowDifferent: [[RunDifference.Kind]] = []

    @Option(
        help: ArgumentHelp(
            "A new folder for comparison.html, comparison.csv, verdict.json, junit.xml and the JSON for github-action-benchmark.",
            valueName: "folder"),
        completion: .directory)
    var output: String?

    @Option(
        help: ArgumentHelp(
            "The kind of machine to compare on, or a part of its name, for folders merged from several machines. (default: the one with the most trials)",
            valueName: "kind"))
    var machine: String?

    @Flag(help: "Also show the values that are the same.")
    var all = false

    @OptionGroup var printing: FormatArguments<ReviewFormat<RunFormat>>

    func validate() throws {
        if live {
            try checkLive()
        } else if within != nil {
            guard thresholds == nil, writeThresholds == nil else {
                throw ValidationError("'--within' compares strategies of one run: leave out the thresholds.")
            }
            guard folders.isEmpty else { throw ValidationError("'--within' compares one folder: name no other.") }
            guard baselineStrategy != nil else {
                throw ValidationError("'--within' needs a baseline: add '--baseline-strategy lru'.")
            }
            if paired { throw ValidationError("'--within' is paired anyway: leave out '--paired'.") }
        } else if thresholds != nil || writeThresholds != nil {
            try checkThresholds()
        } else {
            guard folders.count == 2 else {
                throw ValidationError(
                    "Name two result folders, the baseline's and the candidate's, or '--within FOLDER'.")
            }
            guard baselineStrategy == nil else {
                throw ValidationError("'--baseline-strategy' belongs to '--within'.")
            }
        }
        if !live {
            try Given.refuse(
                ("--budget", budget != nil), ("--deadline", deadline != nil), ("--resume", resume), ("--quiet", quiet),
                ("--base", base != nil), ("--build", build != nil)
            ) { "'\($0)' is for programs that alternate: add '--live'." }
        }
        try OutputArguments.check(output, isResumed: resume)
    }

    private func checkThresholds() throws {
        guard folders.count == 1 else {
            throw ValidationError("Name one result folder, whose values are compared with those of the file.")
        }
        guard thresholds == nil || writeThresholds == nil else {
            throw ValidationError("'--thresholds' judges, and '--write-thresholds' changes the file: leave one out.")
        }
        try Given.refuse(
            ("--baseline-strategy", baselineStrategy != nil), ("--paired", paired),
            ("--allow-different", !allowDifferent.isEmpty), ("--output", writeThresholds != nil && output != nil)
        ) { "'\($0)' is for a comparison of two runs: leave it out." }
    }

    private func checkLive() throws {
        guard base == nil || !folders.isEmpty else {
            throw ValidationError("Name scenarios: compare --live --base \(base ?? "main") Scenarios/scan.yaml")
        }
        guard build == nil || base != nil else { throw ValidationError("'--build' builds the commit of '--base'.") }
        guard base != nil || folders.count >= 3 else {
            throw ValidationError(
                "'--live' needs the baseline's program, the candidate's, and scenarios: compare --live "
                    + "old/\(ThisProgram.name) new/\(ThisProgram.name) Scenarios/scan.yaml")
        }
        try Given.refuse(
            ("--within", within != nil), ("--baseline-strategy", baselineStrategy != nil), ("--paired", paired),
            ("--machine", machine != nil), ("--allow-different", !allowDifferent.isEmpty),
            ("--thresholds", thresholds != nil), ("--write-thresholds", writeThresholds != nil)
        ) { "'\($0)' is for result folders, and '--live' runs programs: leave one of them out." }
    }

    private func liveComparison() async throws -> LiveComparison {
        var scenarios = ScenarioArguments()
        scenarios.scenarios = Array(folders.dropFirst(base == nil ? 2 : 0))
        let files = try scenarios.read(strategies: judging.strategies == nil ? StrategyRegistry.knownNames : nil)
        try ScenarioArguments.refuseChecked(files, for: "--live", because: "records make operations slower")
        let chosen = try judging.strategies.map(StrategyArguments.chosen)
        let programs =
            if let base {
                [try await BaseBuild(reference: base, command: build).program(), try ThisProgram.path()]
            } else { Array(folders.prefix(2)) }
        return LiveComparison(
            baseline: programs[0], candidate: programs[1], files: files,
            chosen: chosen, judging: judging,
            output: output ?? ThisProgram.defaultOutput(), resume: resume, quiet: quiet,
            budget: budget ?? .seconds(180), deadline: deadline, all: all)
    }

    func carryOut() async throws -> TrialExitCode {
        if live { return try await liveComparison().carryOut(format: printing.format) }
        let work = ComparisonWork(
            judging: judging, allowed: Set(allowDifferent.joined()), output: output, format: printing.format, all: all,
            machine: machine)
        if let thresholds { return try work.compare(folders[0], thresholds: thresholds) }
        if let writeThresholds { return try work.write(folders[0], thresholds: writeThresholds) }
        guard let within, let baselineStrategy else {
            return try work.compare(folders[0], folders[1], isPaired: paired)
        }
        return try work.compare(within: within, baselineStrategy: baselineStrategy)
    }
}

/// The options of `compare` that say what is judged, and when it fails.
struct ComparisonArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What exits with 1: never anything, a regression, or an inconclusive value as well. (default: regression; never with --within)",
            valueName: "level"))
    var failOn: FailOn?

    @Option(
        help: ArgumentHelp(
            "A value fails only when its whole interval is worse by more than this share of the baseline, such as p99=10%; hit ratios in percentage points (pp).",
            valueName: "metric=share"),
        transform: { text in
            let limit = try MetricShare.parse(text, "max-regression")
            guard limit.metric.higherIsBetter, limit.difference.share ?? 0 >= 1 else { return limit }
            throw ValidationError(
                "'--max-regression \(text)': \(limit.metric) can't lose 100% or more; write less, such as 50%.")
        })
    var maxRegression: [MetricShare] = []

    @Option(
        help: ArgumentHelp(
            "The smallest difference worth reporting, such as p99=10%; hit ratios in percentage points (pp).",
            valueName: "metric=share"
        ),
        transform: { try MetricShare.parse($0, "smallest-difference") })
    var smallestDifference: [MetricShare] = []

    @Option(
        help: ArgumentHelp(
            "The metrics to compare, separated by commas: \(Metric.compared.map(\.rawValue).joined(separator: ", ")). (default: all)",
            valueName: "names"),
        transform: { text in
            let metrics = try CommaList.parse(text, Metric.self, "metrics")
            guard let other = metrics.first(where: { !Metric.compared.contains($0) }) else { return metrics }
            throw ValidationError("'--metrics \(other.rawValue)' is not compared; see --help for those that are.")
        })
    var metrics: [[Metric]] = []

    @Option(
        help: ArgumentHelp(
            "Compare only these strategies, separated by commas; fewer of them need fewer repetitions. (default: all)",
            valueName: "names"))
    var strategies: String?

    /// The settings for the verdicts.
    var settings: ComparisonSettings {
        var settings = ComparisonSettings()
        let chosen = Set(metrics.joined())
        if !chosen.isEmpty { settings.metrics = Metric.compared.filter(chosen.contains) }
        for item in smallestDifference { settings.smallestDifferences[item.metric] = item.difference }
        return settings
    }

    /// The smallest differences that only the gate uses. A regression is a share of the baseline, and a smallest difference
    /// one of the smaller side: of the candidate, where higher is better.
    var regressions: [Metric: SmallestDifference] {
        let limits = maxRegression.map { limit in
            var difference = limit.difference
            if limit.metric.higherIsBetter { difference.share = difference.share.map { $0 / (1 - $0) } }
            return (limit.metric, difference)
        }
        return Dictionary(limits) { _, last in last }
    }

    /// The names of the strategies; `nil` means all.
    var names: Set<String>? {
        strategies.map { Set($0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }) }
    }
}

/// What fails a comparison.
enum FailOn: String, ExpressibleByArgument, CaseIterable {
    case never, regression, inconclusive

    /// The verdicts that exit with 1.
    var verdicts: Set<ComparisonVerdict> {
        switch self {
        case .never: []
        case .regression: [.worse]
        case .inconclusive: [.worse, .inconclusive]
        }
    }
}

/// A metric and a share of it.
struct MetricShare: Sendable {
    let metric: Metric
    let share: Double

    var difference: SmallestDifference { metric.smallestDifference(share) }

    /// Reads `p99=10%`.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    static func parse(_ text: String, _ option: String) throws -> MetricShare {
        let parts = text.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw ValidationError("'--\(option) \(text)': write a metric and a share, such as p99=10%.")
        }
        let metrics = try CommaList.parse(String(parts[0]), Metric.self, option)
        let share = try ShareArgument.parse(String(parts[1]))
        guard let metric = metrics.first, metrics.count == 1 else {
            throw ValidationError("'--\(option) \(text)': write one metric and a share, such as p99=10%.")
        }
        guard share <= 1 || (parts[1].hasSuffix("%") && share <= 100 && !metric.isCount) else {
            let limit = metric.isCount ? "100%" : "10000%"
            throw ValidationError(
                "'--\(option) \(text)': write the share in per cent, from 0% to \(limit), such as 10%.")
        }
        return MetricShare(metric: metric, share: share)
    }
}

/// Words separated by commas.
enum CommaList {
    /// Reads words that have a fixed meaning.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    static func parse<Word: RawRepresentable & CaseIterable>(
        _ text: String, _ type: Word.Type, _ option: String
    ) throws -> [Word] where Word.RawValue == String {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            let name = part.trimmingCharacters(in: .whitespaces)
            guard let word = Word(rawValue: name) else {
                let allowed = Word.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("'--\(option)': there is no '\(name)'. There are: \(allowed).")
            }
            return word
        }
    }
}
