import ArgumentParser
import Foundation
import Reports
import Traces
import TrialModel

/// A replay of many traces on its way from arguments to shards.
struct ReplayPlanWork {
    /// What follows `replay` on the command line.
    let arguments: [String]

    /// The shards: a trace with all its policies and sizes is one piece, since reading it is most of the work; with more
    /// shards than traces each policy is.
    ///
    /// - Throws: ``ShardError``; what the parser says of bad arguments.
    func planned(shards: Int) throws -> PlannedShards {
        let command = try ReplayCommand.parse(arguments)
        guard command.output == nil, !command.curve else {
            throw ShardError("'--output' and '--curve' belong to the replay of a shard: leave them out.", .usage)
        }
        let policies = try command.chosenPolicies().map(\.rawValue)
        let traces = try command.files.traces.map { try PlannedShards.trace(at: $0) }
        var jobs = zip(traces, command.files.names).map { (trace: $0, name: $1, policies: policies) }
        if shards > jobs.count {
            jobs = jobs.flatMap { job in policies.map { (trace: job.trace, name: job.name, policies: [$0]) } }
        }
        guard shards <= jobs.count else {
            throw ShardError(
                "'--shards \(shards)': there are \(jobs.count) traces × policies, so a number from 1 to \(jobs.count) is "
                    + "allowed.", .usage)
        }
        let costs = jobs.map { Double(Self.bytes(of: $0.trace.path)) * Double($0.policies.count) / 20e6 }
        let assigned = Balance.assign(costs, to: shards)
        let flags = Self.flags(in: arguments, without: Set(command.files.traces))
        let made = (0..<shards).map { shard in
            let own = jobs.indices.filter { assigned[$0] == shard }
            return Shard(
                number: shard + 1, count: shards, toolVersion: CacheTrialsCommand.version, options: Shard.Options(),
                scenarios: [], trials: [],
                replay: Shard.PlannedReplay(
                    arguments: flags,
                    jobs: own.map {
                        Shard.PlannedReplay.Job(
                            position: $0, name: jobs[$0].name, trace: jobs[$0].trace, policies: jobs[$0].policies)
                    }))
        }
        let seconds = (0..<shards).map { shard in
            zip(costs, assigned).filter { $0.1 == shard }.reduce(0) { $0 + $1.0 }
        }
        return try PlannedShards(made, seconds: seconds, splitsComparisons: false)
    }

    private static func bytes(of path: String) -> Int {
        ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int) ?? 0
    }

    /// The options without the traces, whose places a shard says; a value of an option may look like a trace only when it
    /// is one.
    private static func flags(in arguments: [String], without traces: Set<String>) -> [String] {
        arguments.filter { !traces.contains($0) }
    }
}

/// The replays of a shard.
struct ReplayShardWork {
    let work: ShardWork
    let output: String
    let resume: Bool
    /// When the first replay starts; `nil` for at once.
    let startAt: Date?
    /// The time for all replays; what has no rows when it is over is left out.
    let budget: Duration?

    /// Replays what is not in the folder yet.
    ///
    /// - Throws: ``ShardError``, `ReportsError`, exit codes with the reason on standard error.
    func carryOut() async throws {
        guard let replay = work.shard.replay else { return }
        let (folder, finished) = try openFolder(replay)
        var description = try await RunDescription.describing(
            files: [], scenarios: [], strategies: [], repetitions: nil, seed: nil, smoke: false)
        description.shard = work.shard.reference
        try folder.writeRun(description)
        try folder.write(try ShardFile.text(of: work.shard), as: ShardFile.copyName)
        var prepared: [ReplayWork] = []
        for job in replay.jobs where !finished.contains(job) {
            let path = try work.locate(job.trace)
            let command = try ReplayCommand.parse(
                replay.arguments + ["--policies", job.policies.joined(separator: ","), "--", path])
            prepared.append(try command.work(names: [job.name], output: nil))
        }
        let outcome = await Interruption.cancelling { [prepared, startAt, budget] in
            if let startAt { try await Task.sleep(for: .seconds(max(startAt.timeIntervalSinceNow, 0))) }
            return try await TraceWork.isEnded(within: budget) {
                for work in prepared { try work.carryOut(into: folder) }
            }
        }
        description.end = .now
        if case .ended = outcome { description.partial = false }
        if case .ended(false) = outcome { try noteLeftOut(replay, in: &description) }
        try folder.writeRun(description)
        switch outcome {
        case .ended: StandardError.write("Results: \(output)")
        case .failed(let error): throw error
        case .interrupted(let code): throw ExitCode(code.rawValue)
        }
    }

    /// Says which replays have no rows.
    private func noteLeftOut(_ replay: Shard.PlannedReplay, in description: inout RunDescription) throws {
        let finished = Self.finished(of: replay, try ResultFolder.readReplay(at: output))
        description.leftOut = replay.jobs.filter { !finished.contains($0) }.map {
            RunDescription.LeftOut(what: "\($0.name), \($0.policies.joined(separator: ","))", reason: "time budget")
        }
        guard !description.leftOut.isEmpty else { return }
        StandardError.write(
            "The time budget left out \(description.leftOut.count) of \(replay.jobs.count) replays; run.json names them. "
                + "To run them: the same command with --resume, and without --budget.")
    }

    /// The jobs whose rows are all there: a job's rows are written at once.
    private static func finished(
        of replay: Shard.PlannedReplay, _ rows: [ReplayRow]
    ) -> Set<Shard.PlannedReplay.Job> {
        Set(
            replay.jobs.filter { job in
                job.policies.allSatisfy { policy in rows.contains { $0.trace == job.name && $0.policy == policy } }
            })
    }

    /// The folder, and the jobs that need not run again.
    private func openFolder(
        _ replay: Shard.PlannedReplay
    ) throws -> (ResultFolder, finished: Set<Shard.PlannedReplay.Job>) {
        guard resume, try ResultFolder.bytes(of: ResultFile.replay.rawValue, in: output) != nil else {
            return (try ResultFolder.create(at: output, files: ResultFile.ofReplay), [])
        }
        let earlier = try ResultFolder.bytes(of: "run.json", in: output) == nil ? nil : ResultFolder.readRun(at: output)
        if let earlier, earlier.shard != work.shard.reference {
            throw ShardError("\(output): holds another shard, or none; choose another --output")
        }
        let rows = try ResultFolder.readReplay(at: output)
        let finished = Self.finished(of: replay, rows)
        let folder = try ResultFolder.reopenReplay(
            at: output,
            keeping: rows.filter { row in
                finished.contains { $0.name == row.trace && $0.policies.contains(row.policy) }
            })
        return (folder, finished)
    }
}
