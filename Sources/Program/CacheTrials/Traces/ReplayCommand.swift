import ArgumentParser
import Dispatch
import Foundation
import Locks
import Reports
import Traces
import TrialModel
import TrialSessions

/// `replay`: replays trace files against eviction policies, as fast as the machine can.
struct ReplayCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Replays traces against eviction policies: hit ratios, and their share of the optimum.",
        discussion: """
            Examples:
              \(ThisProgram.name) replay traffic.csv.gz
              \(ThisProgram.name) replay OLTP.lis.zst --policies lru,arc --capacities 1000,5%
              \(ThisProgram.name) replay w1.oracleGeneral.bin --capacities 64MiB,1GiB
              \(ThisProgram.name) replay w1.oracleGeneral.bin --by cost --origin-time 40ms --bandwidth 10MB/s
              \(ThisProgram.name) replay huge.zst --policies lru,sieve --sample 0.01
              \(ThisProgram.name) replay traffic.keys --curve --policies lru,s3-fifo
              \(ThisProgram.name) replay traffic.keys --policies 's3-fifo(small=1%..20%)'
              \(ThisProgram.name) replay traces/*.zst --shard 2/4 --output results/2
              \(ThisProgram.name) replay a.csv --policies lru --capacities 1000 --misses - |
                \(ThisProgram.name) replay - --policies lru,sieve --capacities 20000

            A size is a number of entries, a share of the trace's keys (5%), or a number
            of bytes (64MiB), which uses the objects' sizes. Every request is a lookup,
            filled on a miss; requests that remove a key remove it, and are not counted. A
            trace that can't be read to its end gives no result. The rows go to replay.csv
            in the result folder; Ctrl-C keeps the rows of finished traces.
            """)

    @OptionGroup var files: TraceArguments

    @Option(
        help: ArgumentHelp(
            "Policies, separated by commas, with parameters such as s3-fifo(small=5%) or s3-fifo(small=1%..20%), or all; 'list policies' shows them. (default: \(ReplayPolicy.defaults.map(\.name).joined(separator: ", ")); without optimal beyond 100 million requests)",
            valueName: "names"),
        completion: .list(ReplayPolicy.all.map(\.name) + ["all"]))
    var policies: String?

    @Option(
        help: ArgumentHelp(
            "Sizes, separated by commas. (default: 1%,5%,10%; with --curve fifty from 0.1% to 100%)", valueName: "sizes"
        ))
    var capacities: String?

    @Option(
        help: ArgumentHelp(
            "The ratio that tables show: hits, bytes (of the hits to all), or cost (that hits save).",
            valueName: "what"))
    var by = ReplayRatio.hits

    @OptionGroup var cost: MissCostArguments

    @Option(
        help: ArgumentHelp(
            "The requests at the beginning that fill the caches and are not counted: a share (20%), a time (1h) or a number (100000). (default: none)",
            valueName: "part"))
    var warmUp: String?

    @Option(
        help: ArgumentHelp(
            "What lifetimes in a trace with times mean: respect (an expired entry is a miss), or ignore.",
            valueName: "what"))
    var lifetimes = LifetimeRule.respect

    @Option(
        help: ArgumentHelp(
            "Write the misses as a trace, which another replay can read: a new file that ends with .csv or .csv.zst, or '-' for standard output. Needs one trace, one policy and one size.",
            valueName: "file"),
        completion: .file())
    var misses: String?

    @Option(
        help: ArgumentHelp(
            "Also count the hits of each such interval of the trace's time, such as 1h, for replay_intervals.csv and the page of 'report'.",
            valueName: "time"),
        transform: TimeArgument.parse)
    var overTime: Duration?

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
            "The time limit of all replays, such as 10min; those left out are listed. (default: no limit)",
            valueName: "time"),
        transform: TimeArgument.parse)
    var budget: Duration?

    @Flag(help: "Continue in the folder of an interrupted replay; needs --output.")
    var resume = false

    @Flag(help: "Report on standard error how long each trace took, from opening the file to the last count.")
    var timing = false

    @OptionGroup var output: OutputArguments

    @OptionGroup var printing: FormatArguments<RunFormat>

    @OptionGroup(title: "Many machines") var shard: ShardArguments

    func validate() throws {
        _ = try chosenPolicies()
        let capacities = try chosenCapacities()
        if try chosenPolicies() == [.optimal], capacities.allSatisfy(\.isBytes) {
            throw ValidationError(
                "The optimum is not known for sizes in bytes; name sizes in entries (1000) or of the keys (5%).")
        }
        _ = try chosenWarmUp()
        try NumberArgument.check(jobs, "jobs", in: 1...256)
        guard sample.isFinite, (0.0001...1).contains(sample) else {
            throw ValidationError("'--sample \(sample)': a number from 0.0001 to 1 is allowed.")
        }
        guard sample == 1 || by == .hits else {
            throw ValidationError(
                "'--by \(by.rawValue)': a sample estimates hits only; leave out --sample, or name --by hits.")
        }
        try OutputArguments.check(output.output, isResumed: resume)
        try shard.check(output)
        try checkStandardInput()
        try checkMisses()
        try checkOverTime()
    }

    func carryOut() async throws -> TrialExitCode {
        try files.requireColumnsToFit()
        // Trapped before there is a folder that an interrupted replay has to remove.
        let signals = TrappedSignals.interruptions
        let whole = try allReplays()
        // Known before the start only where the work depends on it; else traces are hashed beside their replay.
        let digests = shard.shard != nil || resume ? digests() : nil
        let part = try part(of: whole, digests ?? [])
        let own = part?.trials.map(\.identity) ?? whole
        let inputs = digests.map { self.inputs($0, of: whole) }
        let (folder, finished) = try openFolder(own, part, inputs)
        let jobs = try jobs(own.filter { !finished.contains($0.scenario) })
        var description = try await RunDescription.describing([], repetitions: nil, seed: seed, isTimed: false)
        (description.shard, description.inputs) = (part, inputs)
        let hashed = Locked<String?>(inputs)
        var work = try await Work(in: [(folder, nil)], description, at: signals) { [description] in
            try await run(jobs, into: folder) {
                guard hashed.withLock({ $0 }) == nil else { return }
                let inputs = self.inputs(self.digests(), of: whole)
                hashed.withLock { $0 = inputs }
                // A replay that is killed can be continued.
                try folder.writeRun(description.with { $0.inputs = inputs })
            }
        }
        work.description.inputs = hashed.withLock { $0 }
        if case .ended(nil) = work.ending {
            let done = Set(try ResultFolder.rows(of: ReplayRow.self, at: folder.path).map(\.trace))
            work.description.leftOut = own.filter { !done.contains($0.scenario.name) }.map {
                RunDescription.LeftOut(what: $0.label, reason: RunDescription.LeftOut.timeBudget)
            }
        }
        try work.write(nil)
        if case .ended = work.ending { try show(folder, work.description) }
        return work.end(
            at: folder.path, isResumable: true, budgeted: "replays",
            isDiscarded: work.description.partial && discard(folder))
    }

    /// Replays traces, and hashes them meanwhile.
    private func run(
        _ jobs: [ReplayJob], into folder: ResultFolder, hashing: @escaping @Sendable () throws -> Void
    ) async throws -> [ReplayRow]? {
        async let hashed: Void = WorkThread.run(hashing)
        let rows = try await WorkThread.run(within: budget) { try ReplayJob.run(jobs, into: folder) }
        try await hashed
        return rows
    }

    /// Prints what is for programs; tables for people were printed as each trace ended.
    private func show(_ folder: ResultFolder, _ description: RunDescription) throws {
        guard printing.format.peoples == nil else { return }
        let rows = try ResultFolder.rows(of: ReplayRow.self, at: folder.path)
        switch printing.format {
        case .tables(let format): try write(ReplayTable.tidy(rows).rendered(as: format))
        case .figures(let format): try StandardOutput.write(ReplayTable.figures(rows), as: format, of: description)
        }
    }

    /// Writes to standard output, or where that takes the misses, to standard error.
    func write(_ text: String) throws {
        if misses == TraceWriter.standardOutput {
            StandardError.writeAsIs(text)
        } else {
            try StandardOutput.write(text)
        }
    }

    /// Each trace with each policy, in the order in which they are replayed.
    private func allReplays() throws -> [TrialIdentity] {
        let policies = try chosenPolicies()
        return files.names.flatMap { name in
            policies.map {
                TrialIdentity(scenario: ScenarioPoint(named: name), strategy: $0.name, repetition: 1)
            }
        }
    }

    /// This machine's part; `nil` where one machine replays everything.
    ///
    /// A trace with all its policies and sizes is on one machine, since reading it is most of the work; with more
    /// machines than traces, each policy may be on another.
    private func part(of work: [TrialIdentity], _ digests: [String]) throws -> RunDescription.Shard? {
        guard let shard = shard.shard else { return nil }
        let isWhole = shard.count <= files.traces.count
        var bytes: [String: Double] = [:]
        for (path, name) in zip(files.traces, files.names) {
            bytes[name] = ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Double) ?? 0
        }
        return try shard.part(of: work, digests: digests) {
            isWhole ? $0.scenario.name : "\($0.strategy) of \($0.scenario.name)"
        } seconds: {
            (bytes[$0.scenario.name] ?? 0) / 20e6
        }
    }

    /// What all rows depend on.
    private func inputs(_ digests: [String], of whole: [TrialIdentity]) -> String {
        FileDigest.sha256(ofText: (digests + whole.map(\.label)).joined(separator: "\n")) ?? ""
    }

    /// What the rows depend on besides traces' names and policies: the options, and a checksum of each trace. What is
    /// wrong with a trace is for its replay to say. O(bytes of the traces).
    private func digests() -> [String] {
        [
            "replay, \(CacheTrialsCommand.version)", capacities ?? "",
            "\(curve), \(sample), \(seed), \(warmUp ?? ""), \(lifetimes)",
            cost.text,
            files.optionsText,
        ]
            + files.traces.map { path in
                // What a pipe holds can be read once.
                path != TraceReader.standardInput && (try? Files.kind(of: path)) == .file
                    ? (try? FileDigest.sha256(ofFile: path)) ?? "" : ""
            }
    }

    /// The replays, one for each trace.
    private func jobs(_ work: [TrialIdentity]) throws -> [ReplayJob] {
        let (traceFormat, options) = (try files.format(), try files.options())
        let capacities = try chosenCapacities()
        let warmUp = try chosenWarmUp()
        let chosen = try chosenPolicies()
        return zip(files.traces, files.names).compactMap { path, name in
            let own = Set(work.filter { $0.scenario.name == name }.map(\.strategy))
            let policies = chosen.filter { own.contains($0.name) }
            guard !policies.isEmpty else { return nil }
            let replay = TraceReplay(
                policies: policies, capacities: capacities, jobs: jobs, sampleRate: sample, seed: seed,
                optimumRequestCountMax: self.policies == nil ? Self.optimumRequestCountMax : nil,
                warmUp: warmUp, keepsLifetimes: lifetimes == .respect, overTime: overTime.map { $0.nanoseconds })
            return ReplayJob(
                replay: replay, path: path, name: name, traceFormat: traceFormat, options: options, command: self)
        }
    }

    /// The result folder, and the traces whose rows it has already.
    private func openFolder(
        _ own: [TrialIdentity], _ part: RunDescription.Shard?, _ inputs: String?
    ) throws -> (ResultFolder, finished: Set<ScenarioPoint>) {
        let path = output.folder
        guard resume, try ResultFolder.bytes(of: ResultFile.replay.rawValue, in: path) != nil else {
            return (try createFolder(path), [])
        }
        if try ResultFolder.bytes(of: "run.json", in: path) != nil {
            let earlier = try ResultFolder.readRun(at: path)
            if earlier.shard != part { throw Refusal.resuming(path, "it holds another shard, or none") }
            if earlier.seed != seed { throw Refusal.resuming(path, "--seed has changed") }
            if earlier.inputs != inputs { throw Refusal.resuming(path, "the traces, policies or options have changed") }
        }
        for line in try ResultFolder.missingColumns(at: path) { StandardError.write("note: \(line)") }
        // The rows of a trace are written at once.
        let rows = try ResultFolder.rows(of: ReplayRow.self, at: path)
        let finished = Dictionary(grouping: own, by: \.scenario).filter { trace, work in
            work.allSatisfy { one in rows.contains { $0.trace == trace.name && $0.policy == one.strategy } }
        }
        let kept = rows.filter { finished[ScenarioPoint(named: $0.trace)] != nil }
        return (try ResultFolder.reopenReplay(at: path, keeping: kept), Set(finished.keys))
    }

    /// Makes the folder. Replays that are joined by a pipe begin in the same second, and each takes a name of its own.
    private func createFolder(_ path: String) throws -> ResultFolder {
        let files = ResultFile.ofReplay + (overTime == nil ? [] : [.replayIntervals])
        guard output.output == nil else { return try ResultFolder.create(at: path, files: files) }
        for _ in 0..<8 {
            if let folder = try? ResultFolder.create(at: output.folder, files: files) { return folder }
        }
        return try ResultFolder.create(at: output.folder, files: files)
    }

    /// Removes a default folder that has no row, and says whether it did.
    private func discard(_ folder: ResultFolder) -> Bool {
        guard output.output == nil, (try? ResultFolder.rows(of: ReplayRow.self, at: folder.path))?.isEmpty == true
        else { return false }
        try? FileManager.default.removeItem(atPath: folder.path)
        return true
    }

    /// What is done with the lifetimes of a trace.
    enum LifetimeRule: String, ExpressibleByArgument, CaseIterable {
        case respect, ignore
    }

    /// The optimum of a longer trace needs gigabytes, so a command without policies leaves it out.
    private static let optimumRequestCountMax = 100_000_000

    func chosenPolicies() throws -> [ReplayPolicy] {
        guard let policies else { return ReplayPolicy.defaults }
        do {
            return try ReplayPolicy.parse(policies)
        } catch {
            throw ValidationError("'--policies': \(error)")
        }
    }

    func chosenWarmUp() throws -> WarmUp? {
        guard let text = warmUp else { return nil }
        guard let chosen = WarmUp(text) else {
            throw ValidationError(
                "'--warm-up \(text)': write a share below 100% (20%), a time (1h) or a number of requests (100000).")
        }
        return chosen
    }

    private static let defaultCapacities: [ReplayCapacity] = [.share(0.01), .share(0.05), .share(0.1)]

    /// Fifty sizes from a thousandth of the keys to all of them, each larger than the last by the same factor.
    private static let curveCapacities = (0..<50).map { ReplayCapacity.share(pow(1000, Double($0) / 49 - 1)) }

    func chosenCapacities() throws -> [ReplayCapacity] {
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
