import ArgumentParser
import Foundation
import Reports
import Traces
import TrialModel

/// `replay`: replays trace files against eviction policies, as fast as the machine can.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Replays traces against eviction policies: hit ratios, and their share of the optimum.",
        discussion: """
            Examples:
              \(ThisProgram.name) replay traffic.csv.gz
              \(ThisProgram.name) replay OLTP.lis.zst --policies lru,arc --capacities 1000,5%
              \(ThisProgram.name) replay w1.oracleGeneral.bin --capacities 64MiB,1GiB
              \(ThisProgram.name) replay huge.zst --policies lru,sieve --sample 0.01
              \(ThisProgram.name) replay traffic.keys --curve --policies lru,s3-fifo

            A size is a number of entries, a share of the trace's keys (5%), or a number
            of bytes (64MiB), which uses the objects' sizes. Every request is a lookup,
            filled on a miss; requests that remove a key remove it, and are not counted. A
            trace that can't be read to its end gives no result. The rows go to replay.csv
            in the result folder; Ctrl-C keeps the rows of finished traces.
            """)

    @OptionGroup var files: TraceArguments

    @Option(
        help: ArgumentHelp(
            "Policies, separated by commas: \(ReplayPolicy.allCases.map(\.rawValue).joined(separator: ", ")), or all. (default: all but random, none and unbounded, and without optimal beyond 100 million requests)",
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
            "Replay a share of the keys only, from 0.0001 to 1, and report the standard error of the estimate (SHARDS).",
            valueName: "share"))
    var sample = 1.0

    @Option(help: ArgumentHelp("The seed that draws the keys of a sample.", valueName: "n"))
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("How many threads replay at once, from 1 to 256.", valueName: "n"))
    var jobs = 1

    @Option(
        help: ArgumentHelp(
            "The folder for the results. (default: Results/<UTC time>)", valueName: "folder"), completion: .directory)
    var output: String?

    @Flag(help: "Report on standard error how long each trace took, from opening the file to the last count.")
    var timing = false

    @Option(help: ArgumentHelp("The format of the output.", valueName: "form"))
    var format = TableFormat.table

    func validate() throws {
        _ = try chosenPolicies()
        let capacities = try chosenCapacities()
        if try chosenPolicies() == [.optimal], capacities.allSatisfy(\.isBytes) {
            throw ValidationError(
                "The optimum is not known for sizes in bytes; name sizes in entries (1000) or of the keys (5%).")
        }
        guard (1...256).contains(jobs) else {
            throw ValidationError("'--jobs \(jobs)': a whole number from 1 to 256 is allowed.")
        }
        guard sample.isFinite, (0.0001...1).contains(sample) else {
            throw ValidationError("'--sample \(sample)': a number from 0.0001 to 1 is allowed.")
        }
        if output?.isEmpty == true { throw ValidationError("'--output' needs the name of a folder.") }
    }

    func run() async throws {
        try files.requireColumnsToFit()
        let replays = try replays(names: files.names)
        try await TrialExitCode.of { try await carryOut(replays) }.leave()
    }

    /// The replays.
    ///
    /// - Parameter names: the names of the traces in the results.
    func replays(names: [String]) throws -> [ReplayJob] {
        let replay = TraceReplay(
            policies: try chosenPolicies(), capacities: try chosenCapacities(), jobs: jobs, sampleRate: sample,
            seed: seed, optimumRequestCountMax: policies == nil ? Self.optimumRequestCountMax : nil)
        let (traceFormat, options) = (try files.format(), try files.options())
        return zip(files.traces, names).map { path, name in
            ReplayJob(
                replay: replay, path: path, name: name, traceFormat: traceFormat, options: options, sampleRate: sample,
                format: format, curve: curve, timing: timing)
        }
    }

    private func carryOut(_ replays: [ReplayJob]) async throws -> TrialExitCode {
        // Trapped before there is a folder that an interrupted replay has to remove.
        let signals = TrappedSignals.interruptions
        let folder = try makeFolder()
        var pipeline = Pipeline(folder: folder) {
            try await WorkThread.run { try ReplayJob.run(replays, into: folder) }
        }
        pipeline.signals = signals
        return try await pipeline.carryOut { _, _ in
            nil
        } show: { _, _, ending in
            switch ending {
            case .ended(let rows):
                StandardError.write("Results: \(folder.path)")
                guard format == .csv || format == .json else { return }
                try StandardOutput.write(ReplayTable.tidy(rows).rendered(as: format))
            case .failed(is TraceError): breakOff(folder, "Stopped early")
            case .failed: break
            case .interrupted: breakOff(folder, "Interrupted")
            }
        }
    }

    /// The result folder, made before anything runs. Names of folders differ by seconds, and a replay may take less;
    /// the next folder then has a number at the end of its name.
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

    /// Reports where the rows of the traces before a bad one are; removes a default folder that has no row.
    private func breakOff(_ results: ResultFolder, _ word: String) {
        if output == nil, (try? ResultFolder.rows(of: ReplayRow.self, at: results.path))?.isEmpty == true {
            try? FileManager.default.removeItem(atPath: results.path)
            if word == "Interrupted" { StandardError.write("Interrupted; nothing was finished") }
        } else {
            StandardError.write("\(word); finished results are in \(results.path)")
        }
    }

    /// The optimum of a longer trace needs gigabytes, so a command without policies leaves it out.
    private static let optimumRequestCountMax = 100_000_000

    func chosenPolicies() throws -> [ReplayPolicy] {
        guard let policies else { return ReplayPolicy.defaults }
        var chosen: [ReplayPolicy] = []
        for name in policies.split(separator: ",").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            if name == "all" {
                chosen += ReplayPolicy.allCases
            } else if let policy = ReplayPolicy(rawValue: name) {
                chosen.append(policy)
            } else {
                let known = ReplayPolicy.allCases.map(\.rawValue) + ["all"]
                throw ValidationError("There is no policy called '\(name)'; \(NearestName.hint(for: name, in: known))")
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
        let chosen = try capacities.split(separator: ",", omittingEmptySubsequences: false).map { text in
            guard let capacity = ReplayCapacity(String(text)) else {
                throw ValidationError(
                    "'--capacities': '\(text)' is not a size; write entries (1000), a share of the keys (5%) or bytes (64MiB)."
                )
            }
            return capacity
        }
        guard (1...10_000).contains(chosen.count) else {
            throw ValidationError("'--capacities' needs from 1 to 10000 sizes.")
        }
        var seen: Set<ReplayCapacity> = []
        return chosen.filter { seen.insert($0).inserted }
    }
}
