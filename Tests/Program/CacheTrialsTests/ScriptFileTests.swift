import BuiltInStrategies
import Foundation
import Testing
import TimedStrategies

@testable import Schedules
@testable import TrialModel
@testable import TrialSessions

/// The files of smallest scripts, and the commands that run them again.
@Suite(.timeLimit(.minutes(1)))
struct ScriptFileTests {
    // Its name was none that a scenario may have, and the command named two words.
    @Test(arguments: ["lru", "shared+lru"], [nil, 0.5])
    func `the file of a script is read again, whatever the script is of`(strategy: String, exponent: Double?)
        async throws
    {
        let folder = try TemporaryFolder()
        var scenario = ScriptedRun.scenario(String(repeating: "long", count: 15))
        scenario.point[.zipf] = exponent
        let registration = try #require(StrategyRegistry.current[strategy])
        let script = ExplorationPlan(of: registration, under: scenario, schedules: 1).script(ofSeed: 1)
        let name = ScriptFile.name("\(scenario.point)-\(strategy)-freshness")
        let file = try folder.write(
            ScriptFile.text(script, strategy: strategy, scenario: scenario, title: "Small", comments: []), to: name)
        var row = ExplorationRow()
        (row.scriptFile, row.scriptSeed) = (name, 1)
        let command = try #require(row.scriptCommand(in: "\(folder.path)/my results/.."))
        #expect(command.contains(" explore '\(folder.path)/my results/../\(name)' --orders 1 --seed 1"))
        let ending = await Program.here(
            "explore", file, "--orders", "1", "--seed", "1", "--quiet", "--output", "\(folder.path)/out",
            trials: ScriptedChildren.completing)
        #expect(!ending.errors.contains("found"), "\(ending.errors)")
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/out/exploration.csv"), "\(ending.errors)")
    }
}
