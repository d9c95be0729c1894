import Foundation
import Reports
import TrialModel

/// Shards as files.
enum ShardFile {
    /// The most bytes of a shard; a shard of 100,000 trials has about 15 MB.
    static let byteCountMax = 256 << 20
    /// A copy of the shard in the folder of its results.
    static let copyName = "shard.json"

    /// A shard as the text of a file.
    static func text(of shard: Shard) throws -> String {
        var shard = shard
        shard.digest = try digest(of: shard)
        return String(decoding: try ResultJSON.encode(shard), as: UTF8.self)
    }

    /// The digest of everything except the digest itself.
    static func digest(of shard: Shard) throws -> String {
        var shard = shard
        shard.digest = ""
        let text = String(decoding: try ResultJSON.encode(shard), as: UTF8.self)
        guard let digest = FileDigest.sha256(ofText: text) else {
            throw ShardError("no checksum can be made: out of memory", .harnessTrouble)
        }
        return digest
    }

    /// Reads a file.
    ///
    /// - Throws: ``ShardError`` when it is not a shard, is of another version, or was changed.
    static func read(path: String) throws(ShardError) -> Shard {
        guard let handle = FileHandle(forReadingAtPath: path),
            let data = try? handle.read(upToCount: byteCountMax + 1)
        else { throw ShardError("\(path): can't be read; name a file that '\(ProgramName.current) plan' wrote") }
        guard data.count <= byteCountMax else {
            throw ShardError("\(path): has more than \(byteCountMax) bytes; no plan has such shards")
        }
        return try read(data, path: path)
    }

    /// Reads the bytes of a file; messages name its path.
    static func read(_ data: Data, path: String) throws(ShardError) -> Shard {
        guard let head = try? ResultJSON.decode(Head.self, from: data), head.format == Shard.format else {
            throw ShardError("\(path): is not a shard; name a file that '\(ProgramName.current) plan' wrote")
        }
        guard head.version == Shard.currentVersion else {
            throw ShardError(
                "\(path): is a shard of version \(head.version), and this program reads \(Shard.currentVersion); make "
                    + "the plan again")
        }
        guard let shard = try? ResultJSON.decode(Shard.self, from: data), (try? digest(of: shard)) == shard.digest
        else {
            throw ShardError("\(path): was changed or cut off since it was written; copy it from the plan again")
        }
        try check(shard, path)
        return shard
    }

    private struct Head: Decodable {
        var format: String
        var version: Int
    }

    /// Refuses a file that has the right digest and still can't be run.
    private static func check(_ shard: Shard, _ path: String) throws(ShardError) {
        let known = Set(shard.scenarios.map(\.name))
        guard (1...Shard.countMax).contains(shard.count), (1...shard.count).contains(shard.number),
            shard.generator.map({ (1...1000).contains($0.count) && (1...$0.count).contains($0.number) }) ?? true,
            shard.options.repetitions.map((1...1000).contains) ?? true,
            shard.trials.allSatisfy({
                known.contains($0.scenario.name) && (1...1000).contains($0.repetition) && $0.position >= 0
                    && (0...1e8).contains($0.startSeconds ?? 0)
            }),
            Set(shard.trials.map(\.identity)).count == shard.trials.count, known.count == shard.scenarios.count
        else { throw ShardError("\(path): contradicts itself; make the plan again") }
        for scenario in shard.scenarios where FileDigest.sha256(ofText: scenario.text) != scenario.sha256 {
            throw ShardError(
                "\(path): the scenario \(scenario.name) is not the one that was planned; make the plan again")
        }
    }
}
