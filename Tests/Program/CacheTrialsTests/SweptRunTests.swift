import BuiltInStrategies
import Foundation
import Testing
import TimedStrategies
import TrialModel

@testable import CacheTrials
@testable import TrialSessions

/// The output of a run of a swept scenario.
@Suite(.timeLimit(.minutes(5)))
struct SweptRunTests {
    @Test func `a swept run ends with a table for each figure, and not for each point`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(SmallScenario.text(strategies: "lru, sieve", mix: "load: 1"), to: "small.yaml")
        let output = folder.path + "/out"
        let ending = await Program.here(
            "run", file, "--sweep", "capacity=10,50,100", "--smoke", "--quiet", "--output", output,
            trials: ScriptedChildren.completing)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(ending.output.hasPrefix("small: hit ratio by capacity\nHits per lookup.\n"))
        #expect(ending.output.contains("small: throughput by capacity\n"))
        #expect(!ending.output.contains("small capacity=10"))
        #expect(ending.output.hasSuffix("\nA smoke run measures nothing, so no strategy is called best.\n"))
        let page = try String(contentsOfFile: output + "/report.html", encoding: .utf8)
        #expect(page.contains("<h2 id=\"sweep-0\">small</h2>"))
    }
}
