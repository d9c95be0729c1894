import Reports
import Testing
import TrialModel

@testable import CacheTrials

@Suite(.timeLimit(.minutes(1))) struct ShardTests {
    /// Two scenarios, three strategies, four repetitions, in the order of a run.
    static let work: [TrialIdentity] = (1...4).flatMap { repetition in
        ["scan", "steady"].flatMap { (scenario: ScenarioPoint) in
            ["lru", "fifo", "none"].map { TrialIdentity(scenario: scenario, strategy: $0, repetition: repetition) }
        }
    }

    static func parts(_ count: Int, digests: [String] = []) throws -> [RunDescription.Shard] {
        try (1...count).map { number in
            try #require(Shard(argument: "\(number)/\(count)")).part(of: work, digests: digests) {
                "\($0.scenario), repetition \($0.repetition)"
            } seconds: {
                $0.scenario == "scan" ? 2 : 7
            }
        }
    }

    @Test(arguments: 1...8) func `every trial is in one shard, and no shard is empty`(shards: Int) throws {
        let parts = try Self.parts(shards)
        #expect(parts.flatMap(\.trials).map(\.position).sorted() == Array(Self.work.indices))
        #expect(
            parts.allSatisfy { !$0.trials.isEmpty && $0.trials.map(\.position) == $0.trials.map(\.position).sorted() })
        for trial in parts.flatMap(\.trials) { #expect(trial.identity == Self.work[trial.position]) }
    }

    @Test(arguments: 1...8) func `the strategies of a repetition stay together`(shards: Int) throws {
        for part in try Self.parts(shards) {
            let units = Dictionary(grouping: part.trials) { "\($0.scenario) \($0.repetition)" }
            #expect(units.values.allSatisfy { $0.count == 3 })
        }
    }

    @Test func `all parts have one plan, and other files or another number of parts have another`() throws {
        let plans = Set(try Self.parts(3).map(\.plan))
        #expect(plans.count == 1)
        #expect(try Set(Self.parts(3, digests: ["x"]).map(\.plan)).isDisjoint(with: plans))
        #expect(try Set(Self.parts(4).map(\.plan)).isDisjoint(with: plans))
    }

    @Test func `expected costs are spread evenly`() throws {
        let seconds = try Self.parts(4).map { $0.trials.reduce(0) { $0 + ($1.scenario == "scan" ? 2 : 7) } }
        #expect(seconds == [27, 27, 27, 27])
    }

    @Test func `pieces that cost nothing are spread as well`() {
        #expect(Shard.assign([0, 0, 0, 0], to: 2) == [0, 1, 0, 1])
    }
}
