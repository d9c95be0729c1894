import ArgumentParser
import Foundation
import Reports
import TraceFiles
import TraceReplay
import TrialModel

/// `replay`: trace files against eviction policies, as fast as the machine can.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Replays traces against eviction policies: hit ratios, and their share of the optimum.",
        discussion: """
            Examples:
              cache-trials replay traffic.csv.gz
              cache-trials replay OLTP.lis.zst --policies lru,arc --capacities 1000,5%
              cache-trials replay w1.oracleGeneral.bin --capacities 64MiB,1GiB
              cache-trials replay huge.zst --policies lru,sieve --sample 0.01
              cache-trials replay traffic.keys --curve --policies lru,s3-fifo

            A size is a number of entries, a share of the trace's keys (5%), or a number
            of bytes (64MiB), which honours the objects' sizes. Every request is a lookup,
            filled on a miss; requests that remove a key remove it. A trace that can't be
            read to its end gives no result. The rows go to replay.csv in the result folder.
            """)

    @OptionGroup var files: TraceArguments

    @Option(
        help: ArgumentHelp(
            "Policies, separated by commas: \(ReplayPolicy.allCases.map(\.rawValue).joined(separator: ", ")), or all. (default: all but random, none and unbounded)",
            valueName: "names"),
        completion: .list(ReplayPolicy.allCases.map(\.rawValue) + ["all"]))
    var policies: String?

    @Option(
        help: ArgumentHelp(
            "Sizes, separated by commas. (default: 1%,5%,10%; with --curve fifty from 0.1% to 100%)",
            valueName: "sizes"))
    var capacities: String?

    @Flag(help: "Print a miss-ratio curve: a row for each size, a column for each policy.")
    var curve = false

    @Option(
        help: ArgumentHelp(
            "Replay a share of the keys only, from 0.0001 to 1, and say how far off that may be (SHARDS).",
            valueName: "share"))
    var sample = 1.0

    @Option(help: ArgumentHelp("How many threads replay at once, from 1 to 256.", valueName: "n"))
    var jobs = 1

    @Option(
        help: ArgumentHelp(
            "The folder for the results. (default: Results/<UTC time>)", valueName: "folder"), completion: .directory)
    var output: String?

    @Flag(help: "Say on standard error how long each trace took, from opening the file to the last count.")
    var timing = false

    @Option(help: ArgumentHelp("The form of what is printed.", valueName: "form"))
    var format = TableFormat.table

    func validate() throws {
        _ = try chosenPolicies()
        _ = try chosenCapacities()
        guard (1...256).contains(jobs) else {
            throw ValidationError("'--jobs \(jobs)': a whole number from 1 to 256 is allowed.")
        }
        guard sample.isFinite, (0.0001...1).contains(sample) else {
            throw ValidationError("'--sample \(sample)': a number from 0.0001 to 1 is allowed.")
        }
        if output?.isEmpty == true { throw ValidationError("'--output' needs the name of a folder.") }
    }

    func run() async throws {
        let replay = TraceReplay(
            policies: try chosenPolicies(), capacities: try chosenCapacities(), jobs: jobs, sampleRate: sample)
        var rows: [ReplayRow] = []
        var results: ResultFolder?
        do {
            let folder = try makeFolder()
            results = folder
            for path in files.traces {
                let start = ContinuousClock.now
                let outcome = try replay.run(path: path, format: try files.format(), options: try files.options())
                if timing { StandardError.write("\(path) seconds: \((ContinuousClock.now - start) / .seconds(1))") }
                let name = URL(fileURLWithPath: path).lastPathComponent
                let found = outcome.results.map {
                    ReplayRow($0, trace: name, hasSizes: outcome.summary.hasSizes, sampleRate: sample)
                }
                try folder.append(found)
                rows += found
                if format == .table || format == .markdown {
                    let caption = Self.caption(outcome)
                    let table =
                        curve
                        ? ReplayTable.curve(found, trace: name, caption: caption, notes: outcome.notes)
                        : ReplayTable.table(found, trace: name, caption: caption, notes: outcome.notes)
                    try StandardOutput.write(
                        table.rendered(as: format, width: Terminal.standardOutput().width)
                            + (path == files.traces.last ? "" : "\n"))
                }
            }
        } catch let error as TraceError {
            StandardError.error("\(error)")
            if let results { breakOff(results, isEmpty: rows.isEmpty) }
            throw ExitCode(TrialExitCode.badInput.rawValue)
        } catch let error as ReportsError {
            StandardError.error("\(error)")
            throw ExitCode(error.exitCode.rawValue)
        }
        if let results { StandardError.write("Results: \(results.path)") }
        if format == .csv || format == .json {
            try StandardOutput.write(ReplayTable.tidy(rows).rendered(as: format))
        }
    }

    /// The result folder, made before anything runs. A replay may take less than the second that a folder's name tells
    /// apart; the next one then has a number behind its name.
    private func makeFolder() throws(ReportsError) -> ResultFolder {
        if let output { return try ResultFolder.create(at: output, files: ResultFile.ofReplay) }
        let name = ThisProgram.defaultOutput()
        var number = 1
        while true {
            do throws(ReportsError) {
                let path = number == 1 ? name : "\(name)-\(number)"
                return try ResultFolder.create(at: path, files: ResultFile.ofReplay)
            } catch .alreadyHoldsResults where number < 100 {
                number += 1
            }
        }
    }

    /// Says where the traces before a bad one are; a folder that nobody asked for and that has no row goes again.
    private func breakOff(_ results: ResultFolder, isEmpty: Bool) {
        if output == nil, isEmpty {
            try? FileManager.default.removeItem(atPath: results.path)
        } else {
            StandardError.write("Broke off; what was finished is in \(results.path)")
        }
    }

    private static func caption(_ outcome: TraceReplay.Outcome) -> String {
        let summary = outcome.summary
        let seconds = Double(outcome.readingNanoseconds) / 1e9
        let rate = seconds > 0 ? ", read at \(Quantity.rate(Double(summary.requests) / seconds)) requests/s" : ""
        return "\(summary.requests) requests, \(summary.keys) keys, format "
            + "\(summary.format?.rawValue ?? "unknown")\(rate)."
    }

    private func chosenPolicies() throws -> [ReplayPolicy] {
        guard let policies else { return ReplayPolicy.defaults }
        var chosen: [ReplayPolicy] = []
        for name in policies.split(separator: ",").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            if name == "all" {
                chosen += ReplayPolicy.allCases
            } else if let policy = ReplayPolicy(rawValue: name) {
                chosen.append(policy)
            } else {
                throw ValidationError(
                    "There is no policy called '\(name)'. There are: "
                        + "\(ReplayPolicy.allCases.map(\.rawValue).joined(separator: ", ")), and all.")
            }
        }
        guard !chosen.isEmpty else { throw ValidationError("'--policies' names no policy.") }
        var seen: Set<ReplayPolicy> = []
        return chosen.filter { seen.insert($0).inserted }
    }

    private static let defaultCapacities: [ReplayCapacity] = [.share(0.01), .share(0.05), .share(0.1)]

    /// Fifty sizes from a thousandth of the keys to all of them, each larger than the last by the same factor.
    private static let curveCapacities = (0..<50).map { ReplayCapacity.share(pow(1000, Double($0) / 49 - 1)) }

    private func chosenCapacities() throws -> [ReplayCapacity] {
        guard let capacities else { return curve ? Self.curveCapacities : Self.defaultCapacities }
        let chosen = try capacities.split(separator: ",").map { text in
            guard let capacity = ReplayCapacity(String(text)) else {
                throw ValidationError(
                    "'--capacities': '\(text)' is no size; write entries (1000), a share of the keys (5%) or bytes (64MiB)."
                )
            }
            return capacity
        }
        guard (1...10_000).contains(chosen.count) else {
            throw ValidationError("'--capacities' needs from 1 to 10000 sizes.")
        }
        return chosen
    }
}

extension ReplayRow {
    /// The row of a result.
    init(_ result: TraceReplay.Result, trace: String, hasSizes: Bool, sampleRate: Double) {
        let seconds = Double(result.nanoseconds) / 1e9
        self.init(
            trace: trace, policy: result.policy.rawValue,
            capacity: Capacity(
                entries: result.capacityEntries, bytes: result.capacityBytes.map { Int(clamping: $0) }),
            requests: result.counts.requests, hits: result.counts.hits, misses: result.counts.misses,
            hitRatio: result.hitRatio, byteHitRatio: hasSizes ? result.counts.byteHitRatio : nil,
            sampleRate: sampleRate, hitRatioError: result.hitRatioError,
            requestsPerSecond: seconds > 0 ? Double(result.counts.requests) / seconds : nil)
    }
}
