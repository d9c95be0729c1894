import ArgumentParser
import Foundation
import Reports
import TrialModel

extension LocalShard {
    /// Replays what is not in the folder yet.
    ///
    /// - Parameters:
    ///   - startAt: when the first replay starts; `nil` for at once.
    ///   - budget: the time limit of all replays; those without rows at its end are left out.
    /// - Throws: ``ShardError``, `ReportsError`, and the parser's error for bad arguments.
    func carryOut(
        _ replay: Shard.PlannedReplay, output: String, resume: Bool, startAt: Date?, budget: Duration?
    ) async throws -> TrialExitCode {
        let (folder, finished) = try openFolder(replay, output, resume: resume)
        var description = try await RunDescription.describing(
            files: [], scenarios: [], strategies: [], repetitions: nil, seed: nil, smoke: false)
        description.shard = shard.reference
        try folder.write(try ShardFile.text(of: shard), as: ShardFile.copyName)
        let replays = try replay.jobs.filter { !finished.contains($0) }.flatMap { job in
            let path = try locate(job.trace)
            return try ReplayCommand.parse(
                replay.arguments + ["--policies", job.policies.joined(separator: ","), "--", path]
            ).replays(names: [job.name])
        }
        var pipeline = Pipeline(folder: folder, description: description) {
            if let startAt { try await Task.sleep(for: .seconds(max(startAt.timeIntervalSinceNow, 0))) }
            return try await WorkThread.run(within: budget) { try ReplayJob.run(replays, into: folder) }
        }
        return try await pipeline.carryOut { ending, description in
            guard case .ended(let rows) = ending else { return nil }
            description?.partial = false
            if rows == nil { description?.leftOut = try leftOut(of: replay, output) }
            return nil
        } show: { _, description, ending in
            guard case .ended = ending else { return }
            if let leftOut = description?.leftOut, !leftOut.isEmpty {
                StandardError.write(
                    "The time budget left out \(leftOut.count) of \(replay.jobs.count) replays; run.json names them. "
                        + "To run them: the same command with --resume, and without --budget.")
            }
            StandardError.write("Results: \(output)")
        }
    }

    /// The replays that have no rows.
    private func leftOut(of replay: Shard.PlannedReplay, _ output: String) throws -> [RunDescription.LeftOut] {
        let finished = Self.finished(of: replay, try ResultFolder.rows(of: ReplayRow.self, at: output))
        return replay.jobs.filter { !finished.contains($0) }.map {
            RunDescription.LeftOut(what: "\($0.name), \($0.policies.joined(separator: ","))", reason: "time budget")
        }
    }

    /// The jobs that have all their rows: a job's rows are written at once.
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
        _ replay: Shard.PlannedReplay, _ output: String, resume: Bool
    ) throws -> (ResultFolder, finished: Set<Shard.PlannedReplay.Job>) {
        guard resume, try ResultFolder.bytes(of: ResultFile.replay.rawValue, in: output) != nil else {
            return (try ResultFolder.create(at: output, files: ResultFile.ofReplay), [])
        }
        let earlier = try ResultFolder.bytes(of: "run.json", in: output) == nil ? nil : ResultFolder.readRun(at: output)
        if let earlier, earlier.shard != shard.reference {
            throw ShardError("\(output): holds another shard, or none; choose another --output")
        }
        let rows = try ResultFolder.rows(of: ReplayRow.self, at: output)
        let finished = Self.finished(of: replay, rows)
        let folder = try ResultFolder.reopenReplay(
            at: output,
            keeping: rows.filter { row in
                finished.contains { $0.name == row.trace && $0.policies.contains(row.policy) }
            })
        return (folder, finished)
    }
}
