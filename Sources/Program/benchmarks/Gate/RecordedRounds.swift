import CacheTrials
import Comparison
import Foundation
import Reports
import TrialModel

/// The rounds of real comparisons of a build with itself, from which other comparisons are made.
struct RecordedRounds {
    /// The figures of one recorded comparison, in the same order for all.
    private var recordings: [[SamplePair]] = []
    /// The rounds that all figures of a recording have.
    private var rounds: [[Int]] = []
    /// How long a strategy took in a round, in seconds, both sides together.
    private(set) var secondsPerPlace = 0.0

    static let metrics: [Metric] = [.throughput, .p50, .p99]

    /// A block of rounds is drawn together, because noise of a machine lasts for more than one.
    private static let block = 5

    var count: Int { rounds.reduce(0) { $0 + $1.count } }

    /// The figures, in their order.
    var figures: [RowKey] { recordings.first?.map(\.key) ?? [] }

    /// Records comparisons of this program with itself. Differences of nothing are looked for, so that each goes on until
    /// it gives up.
    static func record(_ number: Int, into folder: URL, _ item: GateCase) throws {
        let program = try ChildProgram.own()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let scenario = try ChildProgram.write(item.scenario, item.name, in: folder)
        let differences = metrics.flatMap { ["--smallest-difference", "\($0)=0%"] }
        for index in 1...number {
            let output = folder.appendingPathComponent("\(index)").path
            guard !FileManager.default.fileExists(atPath: output) else { continue }
            try ChildProgram.run(
                program,
                ["compare", "--live", program, program, scenario, "--strategies", item.strategies, "--output", output]
                    + ["--metrics", metrics.map(\.rawValue).joined(separator: ","), "--budget", "5min"]
                    + ["--fail-on", "never", "--quiet"] + differences)
            StandardError.write("recorded \(index) of \(number)")
        }
    }

    /// Reads the comparisons in a folder.
    ///
    /// - Throws: ``HarnessError`` when there are too few rounds, or the comparisons are of different figures.
    init(in folders: [String]) throws {
        var (seconds, places) = (0.0, 0)
        for folder in folders {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            for path in names.map({ "\(folder)/\($0)" })
            where FileManager.default.fileExists(atPath: "\(path)/baseline/trials.csv") {
                let sides = try ["baseline", "candidate"].map { try ResultFolder.read(at: "\(path)/\($0)") }
                let compared = ComparedRuns(baseline: sides[0], candidate: sides[1], metrics: Self.metrics)
                let common = compared.pairs.map { Set($0.baseline.keys).intersection($0.candidate.keys) }
                let whole = common.dropFirst().reduce(common.first ?? []) { $0.intersection($1) }.sorted()
                guard whole.count >= Self.block else { continue }
                guard recordings.isEmpty || figures == compared.pairs.map(\.key) else {
                    throw HarnessError("\(path) has other values than the comparisons before it")
                }
                recordings.append(compared.pairs)
                rounds.append(whole)
                let run = try ResultFolder.readRun(at: "\(path)/candidate")
                guard let end = run.end else { continue }
                seconds += end.timeIntervalSince(run.start)
                // Strategies that were decided ran in fewer rounds.
                places += Set(compared.pairs.map(\.key.strategy)).reduce(0) { sum, strategy in
                    sum + (compared.pairs.first { $0.key.strategy == strategy }?.candidate.count ?? 0)
                }
            }
        }
        guard count >= 4 * Self.block else {
            throw HarnessError("too few recorded blocks,  \(count); record some first, with --record 6 --output FOLDER")
        }
        secondsPerPlace = seconds / Double(max(1, places))
    }

    /// Leaves out the figures of other strategies.
    ///
    /// - Throws: ``HarnessError`` when one was not recorded.
    mutating func keep(_ names: Set<String>) throws {
        let known = Set(figures.map(\.strategy))
        guard !names.isEmpty, names.isSubset(of: known) else {
            throw HarnessError("recorded are \(known.sorted().joined(separator: ", "))")
        }
        recordings = recordings.map { $0.filter { names.contains($0.key.strategy) } }
    }

    /// The recorded comparisons as they were.
    var asRecorded: [[SamplePair]] {
        zip(recordings, rounds).map { pairs, rounds in
            pairs.map { recorded in
                var pair = SamplePair(key: recorded.key, metric: recorded.metric, baseline: [:], candidate: [:])
                for (index, own) in rounds.enumerated() {
                    pair.baseline[index + 1] = recorded.baseline[own]
                    pair.candidate[index + 1] = recorded.candidate[own]
                    pair.sliceDifferences[index + 1] = recorded.sliceDifferences[own]
                }
                pair.sliceCount = pair.sliceDifferences.count
                return pair
            }
        }
    }

    /// Other rounds in the place of the recorded ones: blocks of them, drawn with repetition, and the sides as they were or
    /// exchanged.
    ///
    /// - Parameters:
    ///   - slow: the strategy whose candidate is slower.
    ///   - share: by how much its throughput is lower.
    func comparison(_ number: Int, slow: String?, by share: Double, _ random: inout RandomSource) -> [SamplePair] {
        var pairs = recordings[0].map { SamplePair(key: $0.key, metric: $0.metric, baseline: [:], candidate: [:]) }
        let isExchanged = random.next(below: 2) == 1
        var round = 0
        while round < number {
            let (recording, start) = block(&random)
            for offset in 0..<Self.block where round < number {
                round += 1
                let own = rounds[recording][start + offset]
                for index in pairs.indices {
                    let recorded = recordings[recording][index]
                    let isSlow = pairs[index].key.strategy == slow
                    let factor = !isSlow ? 1 : recorded.metric.higherIsBetter ? 1 - share : 1 / (1 - share)
                    let sides = (recorded.baseline[own] ?? 0, recorded.candidate[own] ?? 0)
                    pairs[index].baseline[round] = isExchanged ? sides.1 : sides.0
                    pairs[index].candidate[round] = (isExchanged ? sides.0 : sides.1) * factor
                    if let difference = recorded.sliceDifferences[own] {
                        pairs[index].sliceDifferences[round] = (isExchanged ? -difference : difference) + log(factor)
                        pairs[index].sliceCount += 1
                    }
                }
            }
        }
        // As with real slices: all rounds have them, or none counts.
        for index in pairs.indices where pairs[index].sliceDifferences.count < number {
            (pairs[index].sliceDifferences, pairs[index].sliceCount) = ([:], 0)
        }
        return pairs
    }

    /// A recording, in proportion to its rounds, and the place of a block's first round in it.
    private func block(_ random: inout RandomSource) -> (recording: Int, start: Int) {
        var place = Int(random.next(below: UInt64(rounds.reduce(0) { $0 + $1.count - Self.block + 1 })))
        for (recording, own) in rounds.enumerated() {
            let starts = own.count - Self.block + 1
            if place < starts { return (recording, place) }
            place -= starts
        }
        return (0, 0)
    }
}
