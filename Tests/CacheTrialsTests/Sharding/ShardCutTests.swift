import Testing
import TrialModel

@testable import CacheTrials

@Suite(.timeLimit(.minutes(1))) struct ShardCutTests {
    /// Two scenarios, three strategies, four repetitions, in the order of a run.
    static let work: [ShardCut.Work] = (1...4).flatMap { repetition in
        [("scan", 2.0), ("steady", 7.0)].flatMap { (scenario: ScenarioPoint, seconds) in
            ["lru", "fifo", "none"].map { strategy in
                ShardCut.Work(
                    identity: TrialIdentity(scenario: scenario, strategy: strategy, repetition: repetition),
                    seconds: seconds)
            }
        }
    }

    @Test(arguments: 1...24) func `every trial is in one shard, and no shard is empty`(shards: Int) throws {
        let plan = try ShardCut(Self.work, shards: shards)
        #expect(plan.parts.joined().sorted() == Array(Self.work.indices))
        #expect(plan.parts.allSatisfy { !$0.isEmpty && $0 == $0.sorted() })
        #expect(plan.parts.count == shards)
    }

    @Test(arguments: 1...8) func `the strategies of a repetition stay together`(shards: Int) throws {
        let plan = try ShardCut(Self.work, shards: shards)
        #expect(!plan.isSplit)
        for part in plan.parts {
            let units = Dictionary(grouping: part) {
                "\(Self.work[$0].identity.scenario) \(Self.work[$0].identity.repetition)"
            }
            #expect(units.values.allSatisfy { $0.count == 3 })
        }
    }

    @Test func `with more shards than repetitions of scenarios, strategies part, and the plan says so`() throws {
        #expect(try ShardCut(Self.work, shards: 9).isSplit)
    }

    @Test func `expected costs are spread evenly`() throws {
        let plan = try ShardCut(Self.work, shards: 4)
        #expect(plan.seconds == [27, 27, 27, 27])
    }

    @Test func `more shards than trials are refused with the allowed number`() throws {
        let error = #expect(throws: ShardError.self) { try ShardCut(Self.work, shards: 25) }
        #expect(error?.exitCode == .usage)
        #expect(
            error?.description == "'--shards 25': there are 24 trials, so a number from 1 to 24 is allowed.")
    }

    @Test func `pieces that cost nothing are spread as well`() {
        #expect(Balance.assign([0, 0, 0, 0], to: 2) == [0, 1, 0, 1])
    }
}
