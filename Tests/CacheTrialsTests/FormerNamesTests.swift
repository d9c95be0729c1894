import Foundation
import Testing

/// Names that options and verbs had before.
@Suite(.timeLimit(.minutes(1)))
struct FormerNamesTests {
    @Test(arguments: [
        (["run", "Scenarios", "--check"], "'run --check' is now 'check'."),
        (["run", "Scenarios", "--explore", "5"], "'run --explore' is now 'explore --orders N'."),
        (["run", "Scenarios", "--find-max-rate"], "'run --find-max-rate' is now 'max-rate'."),
        (["run", "Scenarios", "--mode=counted"], "'run --mode' is now 'run --turns', 'count', 'check',"),
        (["run", "Scenarios", "--interleaved"], "'run --interleaved' is now 'run --turns'."),
        (["run", "Scenarios", "--until-stable"], "'run --until-stable' is now 'run --until-decided'."),
        (["run", "Scenarios", "--counter", "auto"], "'run --counter' is now 'count --counter COUNTER'."),
        (["plan", "Scenarios", "--shards", "4"], "'plan' is now 'run --shard 2/4'."),
    ])
    func `an option that became a verb says so`(arguments: [String], answer: String) async throws {
        let ending = await Program.here(arguments)
        #expect(ending.exitCode == 64)
        #expect(ending.errors.contains(answer), "\(ending.errors)")
    }
}
