import CacheTrials
import Foundation
import Reports
import Testing
import TrialModel

@testable import CacheTrials

@Suite(.timeLimit(.minutes(1))) struct ShardFileTests {
    static func shard(_ number: Int = 1, of count: Int = 2) throws -> Shard {
        let text = "title: One\n"
        return Shard(
            plan: "0123456789abcdef", number: number, count: count, toolVersion: "0.1.0", options: Shard.Options(),
            scenarios: [
                Shard.PlannedScenario(
                    name: "steady", path: "/a/steady.yaml", sha256: try #require(FileDigest.sha256(ofText: text)),
                    text: text)
            ],
            trials: [1, 2].map {
                Shard.PlannedTrial(position: $0 * 2 - number % 2, scenario: "steady", strategy: "lru", repetition: $0)
            })
    }

    private func read(_ text: String) throws -> Shard { try ShardFile.read(Data(text.utf8), path: "s.json") }

    @Test func `a written file is read back unchanged`() throws {
        let shard = try Self.shard()
        var read = try read(try ShardFile.text(of: shard))
        #expect(read.digest.count == 64)
        read.digest = ""
        #expect(read == shard)
    }

    @Test func `the same shard is the same text`() throws {
        #expect(try ShardFile.text(of: try Self.shard()) == ShardFile.text(of: try Self.shard()))
    }

    @Test(arguments: [
        ("\"repetition\" : 2", "\"repetition\" : 3"), ("title: One", "title: Two"), ("\"lru\"", "\"fifo\""),
    ]) func `a modified shard is refused`(old: String, new: String) throws {
        let text = try ShardFile.text(of: try Self.shard())
        let changed = text.replacingOccurrences(of: old, with: new)
        try #require(changed != text)
        let error = #expect(throws: ShardError.self) { try read(changed) }
        #expect(
            error?.description == "s.json: was changed or cut off since it was written; copy it from the plan again")
        #expect(error?.exitCode == .badInput)
    }

    @Test(arguments: ["", "{}", "[1]", "{\"format\": \"cache-trials plan\", \"version\": 1}"])
    func `a file that is not a shard is refused`(text: String) {
        let error = #expect(throws: ShardError.self) { try read(text) }
        #expect(error?.description == "s.json: is not a shard; name a file that '\(ProgramName.current) plan' wrote")
    }

    @Test func `a shard of a later version is refused`() throws {
        var shard = try Self.shard()
        shard.version = 2
        let text = try ShardFile.text(of: shard)
        let error = #expect(throws: ShardError.self) { try read(text) }
        #expect(
            error?.description
                == "s.json: is a shard of version 2, and this program reads 1; make the plan again")
    }

    @Test(arguments: [0, 3]) func `a number that no shard of the plan has is refused`(number: Int) throws {
        let text = try ShardFile.text(of: try Self.shard(number))
        #expect(throws: ShardError("s.json: contradicts itself; make the plan again")) { try read(text) }
    }

    /// The digest of a shard is no protection: anyone can recompute it.
    static let hostile: [@Sendable (inout Shard) -> Void] = [
        { $0.count = .max },
        { $0.generator = Shard.Generator(number: .min, count: 2) },
        { $0.generator = Shard.Generator(number: 1, count: .max) },
        { $0.options.repetitions = -5 },
        { $0.trials[0].startSeconds = 1e300 },
        { $0.trials[0].repetition = .max },
    ]

    @Test(arguments: hostile.indices) func `numbers out of their range are refused`(index: Int) throws {
        var shard = try Self.shard()
        Self.hostile[index](&shard)
        let text = try ShardFile.text(of: shard)
        #expect(throws: ShardError("s.json: contradicts itself; make the plan again")) { try read(text) }
    }

    @Test func `the plan's name is derived from what it runs`() throws {
        var first = [try Self.shard(1), try Self.shard(2)]
        var second = first
        try first.nameThePlan()
        try second.nameThePlan()
        #expect(first == second)
        #expect(Set(first.map(\.plan)).count == 1)
        second[1].options.seed = 7
        try second.nameThePlan()
        #expect(first[0].plan != second[0].plan)
    }
}
