import ArgumentParser
import CacheTrials
import Comparison
import Foundation
import ReportPage
import Reports
import Statistics
import TrialModel

/// `resample`: how often verdicts are false, and how small a slowdown is found, over thousands of comparisons.
struct ResampleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resample",
        abstract: "Counts verdicts over thousands of comparisons of recorded blocks.",
        discussion: """
            Examples:
              scripts/benchmark resample --record 6 --output Results/rounds
              scripts/benchmark resample Results/rounds --comparisons 1000
              scripts/benchmark resample Results/idle Results/busy --picture gate.svg

            Rounds of a build against itself are recorded, six strategies together. Then
            comparisons are made of them: blocks of five rounds in another order, the
            sides exchanged or not, and the figures of one strategy made slower by a known
            share. Each is judged as `compare --live` judges, with its looks, its family of
            figures, and its time limit.
            """)

    @Argument(help: "Folders of recorded comparisons.", completion: .directory)
    var folders: [String] = []

    @Option(
        help: ArgumentHelp("Record this many comparisons, of up to five minutes each, from 1 to 100.", valueName: "n"))
    var record: Int?

    @Option(help: ArgumentHelp("The folder for the recording; one that exists is continued.", valueName: "folder"))
    var output: String?

    @Option(help: ArgumentHelp("How many comparisons are made for each slowdown, from 10 to 100000.", valueName: "n"))
    var comparisons = 1_000

    @Option(help: ArgumentHelp("The time limit of a comparison, in seconds, from 10 to 3600.", valueName: "seconds"))
    var seconds = 120

    @Option(
        help: ArgumentHelp(
            "The smallest difference of throughput and p50, in per cent, from 0.1 to 10. (default: 2)", valueName: "n"))
    var smallest: Double?

    @Option(help: ArgumentHelp("Compare only these recorded strategies, separated by commas.", valueName: "names"))
    var strategies: String?

    @Option(help: "The seed of the draws.")
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "A file for a picture: how often each slowdown of throughput is found, a curve for each folder.",
            valueName: "file"))
    var picture: String?

    private static let slowdowns = [0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.15]

    func validate() throws {
        try NumberArgument.check(record, "record", in: 1...100)
        try NumberArgument.check(comparisons, "comparisons", in: 10...100_000)
        try NumberArgument.check(seconds, "seconds", in: 10...3_600)
        if let smallest, !(0.1...10).contains(smallest) {
            throw ValidationError("'--smallest': from 0.1 to 10 per cent is allowed.")
        }
        guard (record == nil) != folders.isEmpty, (record == nil) == (output == nil) else {
            throw ValidationError("Name folders of recorded comparisons, or record some with --record and --output.")
        }
    }

    func run() throws {
        if let record, let output, let item = GateCase.all.first(where: { $0.name == "itself" }) {
            return try RecordedRounds.record(record, into: URL(fileURLWithPath: output), item)
        }
        var recorded = try RecordedRounds(in: folders)
        if let strategies { try recorded.keep(Set(strategies.split(separator: ",").map(String.init))) }
        print(
            "\(recorded.count) recorded blocks, \(Set(recorded.figures.map(\.strategy)).count) strategies; "
                + "\(comparisons) comparisons for each row, of up to \(seconds) s, seed \(seed)\n")
        var real = ResampleCount(slowdown: 0)
        for pairs in recorded.asRecorded { real.add(judged(pairs, recorded), slow: nil) }
        print(
            "As recorded, \(real.comparisons) comparisons: \(real.falseFigures) of \(real.equalFigures) equal values are called "
                + "better or worse.\n")
        let counts = Self.slowdowns.map { count(recorded, slowdown: $0) }
        print(Self.table(counts).rendered(as: .markdown))
        if let equal = counts.first { print(equal.figureTable.rendered(as: .markdown), terminator: "") }
        if let picture { try draw(to: picture) }
    }

    private func draw(to picture: String) throws {
        let curves = try folders.map { folder in
            var recorded = try RecordedRounds(in: [folder])
            if let strategies { try recorded.keep(Set(strategies.split(separator: ",").map(String.init))) }
            let points = Self.slowdowns.dropFirst().map { slowdown in
                (x: slowdown, y: count(recorded, slowdown: slowdown).share(.worse, of: "throughput"))
            }
            return (name: URL(fileURLWithPath: folder).lastPathComponent, points: points)
        }
        let text = CurvePicture.svg(
            title: "Slowdowns of throughput that are called worse within \(seconds) s", x: "throughput lower by",
            curves: curves)
        try text.write(toFile: picture, atomically: true, encoding: .utf8)
    }

    private func judged(_ pairs: [SamplePair], _ recorded: RecordedRounds) -> ResampledComparison {
        var settings = ComparisonSettings.live
        settings.metrics = RecordedRounds.metrics
        if let smallest {
            for metric in [Metric.throughput, .p50] {
                settings.smallestDifferences[metric] = SmallestDifference(share: smallest / 100)
            }
        }
        return ResampledComparison(pairs, recorded.secondsPerPlace, limit: Double(seconds), settings)
    }

    private func count(_ recorded: RecordedRounds, slowdown: Double) -> ResampleCount {
        var count = ResampleCount(slowdown: slowdown)
        var random = RandomSource(seed: seed, stream: 1)
        let strategies = recorded.figures.map(\.strategy).distinct
        // One strategy alone has all rounds.
        let most = min(200, Int(Double(seconds) / recorded.secondsPerPlace))
        for index in 0..<comparisons {
            let slow = slowdown > 0 ? strategies[index % strategies.count] : nil
            count.add(judged(recorded.comparison(most, slow: slow, by: slowdown, &random), recorded), slow: slow)
        }
        return count
    }

    private static func table(_ counts: [ResampleCount]) -> Table {
        func percent(_ share: Double) -> TableCell {
            .text(share.isFinite ? DecimalText.fixed(share * 100, places: 1) + " %" : "")
        }
        func part(_ verdict: ComparisonVerdict, _ metric: String) -> (ResampleCount) -> TableCell {
            { percent($0.share(verdict, of: metric)) }
        }
        return Table(
            title: "Verdicts over comparisons of recorded blocks", of: counts,
            [
                TableColumn("throughput lower by", .right) { percent($0.slowdown) },
                TableColumn("throughput: worse", .right, cell: part(.worse, "throughput")),
                TableColumn("same", .right, cell: part(.same, "throughput")),
                TableColumn("p50: worse", .right, cell: part(.worse, "p50")),
                TableColumn("same", .right, cell: part(.same, "p50")),
                TableColumn("median time, s", .right) { .text(DecimalText.fixed($0.medianSeconds, places: 0)) },
                TableColumn("equal values called better or worse", .right) { count in
                    .text("\(count.falseFigures) of \(count.equalFigures)")
                },
                TableColumn("comparisons with one", .right) { count in
                    .text(
                        "\(count.falseComparisons) of \(count.comparisons), at most "
                            + DecimalText.fixed(
                                BinomialLimit.upper(count.falseComparisons, of: count.comparisons) * 100, places: 1)
                            + " %")
                },
            ])
    }
}

/// A comparison that goes on, look by look, until everything is decided or given up, or the time is over.
struct ResampledComparison {
    /// The last verdict of each figure.
    private(set) var rows: [ComparisonRow]
    /// When each figure was decided, in seconds; `nil` where it never was.
    private(set) var decidedAfter: [Double?]

    /// - Parameters:
    ///   - secondsPerPlace: how long a strategy takes in a round.
    ///   - limit: the time limit in seconds.
    init(_ pairs: [SamplePair], _ secondsPerPlace: Double, limit: Double, _ settings: ComparisonSettings) {
        var lengths = Dictionary(pairs.map { ($0.key.strategy, 0) }) { first, _ in first }
        var open = Set(lengths.keys)
        var seconds = 0.0
        var round = 0
        rows = []
        decidedAfter = pairs.map { _ in nil }
        let most = pairs.map(\.baseline.count).min() ?? 0
        while !open.isEmpty, round < most {
            seconds += secondsPerPlace * Double(open.count)
            guard seconds <= limit else { break }
            round += 1
            for strategy in open { lengths[strategy] = round }
            guard ErrorSpending.look(after: round) != nil else { continue }
            rows = Judgement(settings).rows(pairs.map { $0.first(lengths[$0.key.strategy] ?? 0) })
            for (index, row) in rows.enumerated() where row.verdict != .inconclusive {
                decidedAfter[index] = decidedAfter[index] ?? seconds
            }
            open = open.intersection(rows.filter { $0.verdict == .inconclusive && $0.goesOn }.map(\.strategy))
        }
    }
}

extension SamplePair {
    /// The pair after so many rounds.
    fileprivate func first(_ rounds: Int) -> SamplePair {
        with { pair in
            pair.baseline = baseline.filter { $0.key <= rounds }
            pair.candidate = candidate.filter { $0.key <= rounds }
            pair.sliceDifferences = sliceDifferences.filter { $0.key <= rounds }
        }
    }
}

/// The verdicts of many comparisons with one slowdown.
struct ResampleCount {
    let slowdown: Double
    private(set) var comparisons = 0
    private(set) var falseComparisons = 0
    private(set) var falseFigures = 0
    private(set) var equalFigures = 0
    private var slow: [String: [ComparisonVerdict: Int]] = [:]
    private var times: [Double] = []
    private var figures: [String: [ComparisonVerdict: Int]] = [:]

    init(slowdown: Double) { self.slowdown = slowdown }

    mutating func add(_ comparison: ResampledComparison, slow name: String?) {
        comparisons += 1
        var isFalse = false
        for (row, time) in zip(comparison.rows, comparison.decidedAfter) {
            guard row.strategy != name else {
                slow[row.metric, default: [:]][row.verdict, default: 0] += 1
                if row.metric == "throughput", row.verdict == .worse, let time { times.append(time) }
                continue
            }
            equalFigures += 1
            figures["\(row.strategy), \(row.metric)", default: [:]][row.verdict, default: 0] += 1
            if row.verdict == .worse || row.verdict == .better {
                falseFigures += 1
                isFalse = true
            }
        }
        if isFalse { falseComparisons += 1 }
    }

    /// The share of the slow strategy's figures with a verdict; of all strategies' without a slow one.
    func share(_ verdict: ComparisonVerdict, of metric: String) -> Double {
        let counts =
            slowdown > 0
            ? slow[metric] ?? [:]
            : figures.filter { $0.key.hasSuffix(", \(metric)") }.values.reduce(into: [:]) {
                $0.merge($1, uniquingKeysWith: +)
            }
        let all = counts.values.reduce(0, +)
        return all == 0 ? .nan : Double(counts[verdict] ?? 0) / Double(all)
    }

    var medianSeconds: Double { times.median ?? .nan }

    /// How often each equal figure is decided.
    var figureTable: Table {
        Table(
            title: "Equal values", of: figures.sorted { $0.key < $1.key },
            [TableColumn("value") { .text($0.key) }]
                + [ComparisonVerdict.same, .inconclusive, .better, .worse].map { verdict in
                    TableColumn(verdict.rawValue, .right) { figure in
                        let all = figure.value.values.reduce(0, +)
                        return .text(
                            DecimalText.fixed(Double(figure.value[verdict] ?? 0) / Double(max(all, 1)) * 100, places: 1)
                                + " %")
                    }
                })
    }
}
