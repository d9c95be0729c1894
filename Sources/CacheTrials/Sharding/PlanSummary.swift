import Foundation
import Reports
import TrialModel

/// `plan.json`: the content of a plan, so that a missing shard can be named with its file.
struct PlanSummary: Codable, Hashable, Sendable {
    static let format = "cache-trials plan"
    /// The file's name.
    static let fileName = "plan.json"

    var format = PlanSummary.format
    var version = Shard.currentVersion
    var plan: String
    var toolVersion: String
    /// Whether strategies of one scenario and repetition run on different machines.
    var splitsComparisons: Bool
    var shards: [Entry]

    /// A shard of the plan.
    struct Entry: Codable, Hashable, Sendable {
        var file: String
        var number: Int
        var generator: Int?
        var digest: String
        var trials: Int
        /// The longest time that the shard is expected to take, in seconds.
        var expectedSeconds: Double

        init(_ shard: Shard, digest: String, expectedSeconds: Double) {
            file = shard.fileName
            number = shard.number
            generator = shard.generator?.number
            self.digest = digest
            trials = shard.trials.count + (shard.replay?.jobs.count ?? 0)
            self.expectedSeconds = (expectedSeconds * 1000).rounded() / 1000
        }
    }

    /// Reads the file in a plan's folder.
    static func read(folder: String) throws(ShardError) -> PlanSummary {
        let path = "\(folder)/\(fileName)"
        guard let data = FileManager.default.contents(atPath: path),
            let summary = try? ResultJSON.decode(PlanSummary.self, from: data), summary.format == format,
            summary.version == Shard.currentVersion
        else { throw ShardError("\(path): is not a plan; name the folder that '\(ProgramName.current) plan' wrote") }
        return summary
    }
}

extension [Shard] {
    /// Derives the plan's name from its content: the same plan has the same name on every machine, and no other plan
    /// has it.
    mutating func nameThePlan() throws {
        for index in indices { self[index].plan = "" }
        let text = try map { String(decoding: try ResultJSON.encode($0), as: UTF8.self) }.joined()
        guard let digest = FileDigest.sha256(ofText: text) else {
            throw ShardError("no checksum can be made: out of memory", .harnessTrouble)
        }
        for index in indices { self[index].plan = String(digest.prefix(16)) }
    }
}
