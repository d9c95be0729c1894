import Foundation
import Reports
import TrialModel

/// The shards of a plan, and their files.
struct PlannedShards {
    private(set) var shards: [Shard]
    /// The longest time that each is expected to take, in seconds.
    let seconds: [Double]
    let splitsComparisons: Bool

    init(_ shards: [Shard], seconds: [Double], splitsComparisons: Bool) throws {
        self.shards = shards
        self.seconds = seconds
        self.splitsComparisons = splitsComparisons
        try self.shards.nameThePlan()
    }

    /// A trace with its digest, which every machine checks.
    static func trace(at path: String) throws -> Shard.PlannedTrace {
        let whole = URL(fileURLWithPath: path).standardizedFileURL.path
        do {
            return Shard.PlannedTrace(path: whole, sha256: try FileDigest.sha256(ofFile: whole))
        } catch {
            throw ShardError("\(error)")
        }
    }

    /// Writes the plan, its shards, and the files of engines.
    ///
    /// - Throws: ``ShardError`` when the folder is not empty, or can't be written.
    func write(to folder: String, engines: [Engine]) throws {
        let whole = URL(fileURLWithPath: folder).standardizedFileURL.path
        let files = FileManager.default
        if let found = try? files.contentsOfDirectory(atPath: whole), let first = found.first {
            throw ShardError("\(folder): holds \(first); name a new or empty folder with --output", .harnessTrouble)
        }
        do {
            try files.createDirectory(atPath: whole, withIntermediateDirectories: true)
            var entries: [PlanSummary.Entry] = []
            for (shard, seconds) in zip(shards, seconds) {
                let text = try ShardFile.text(of: shard)
                try write(text, to: "\(whole)/\(shard.fileName)")
                let digest = try ShardFile.read(Data(text.utf8), path: shard.fileName).digest
                entries.append(PlanSummary.Entry(shard, digest: digest, expectedSeconds: seconds))
            }
            for engine in engines {
                for file in try EngineFiles.files(for: engine, shards: shards, folder: whole) {
                    try write(file.text, to: "\(whole)/\(file.name)")
                    guard file.isProgram else { continue }
                    try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(whole)/\(file.name)")
                }
            }
            // Written last: a folder with this file holds the whole plan.
            let summary = PlanSummary(
                plan: shards.first?.plan ?? "", toolVersion: CacheTrialsCommand.version,
                splitsComparisons: splitsComparisons, shards: entries)
            try write(
                String(decoding: try ResultJSON.encode(summary), as: UTF8.self), to: "\(whole)/\(PlanSummary.fileName)")
        } catch let error as ShardError {
            throw error
        } catch {
            throw ShardError("\(folder): can't be written: \(error.localizedDescription)", .harnessTrouble)
        }
        say(folder)
    }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    private func say(_ folder: String) {
        let counts = shards.map { $0.trials.count + ($0.replay?.jobs.count ?? 0) }
        let least = counts.min() ?? 0
        let most = counts.max() ?? 0
        let range = (least == most ? "\(most)" : "\(least) to \(most)") + (most == 1 ? " trial" : " trials")
        if splitsComparisons {
            StandardError.write(
                "warning: there are more shards than scenarios × repetitions, so strategies of one repetition run on "
                    + "different machines; so differences between machines add to theirs")
        }
        StandardError.write(
            "Plan \(shards.first?.plan ?? ""): \(shards.count) shards of \(range) in \(folder); the longest takes "
                + "\(Quantity.duration(nanoseconds: UInt64((seconds.max() ?? 0) * 1e9))) at most, as far as phases can tell"
        )
    }
}
