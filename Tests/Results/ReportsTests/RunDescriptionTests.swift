import Foundation
import Reports
import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1))) struct RunDescriptionTests {
    let run = RunDescription().with { run in
        (run.toolVersion, run.gitCommit, run.gitDirty, run.host.memoryBytes) = ("0.1.0", "abc", true, 8)
        run.commandLine = ["cache-trials", "run", "Scenarios/steady.yaml"]
        run.scenarios = [
            RunDescription.ScenarioReference().with {
                ($0.name, $0.path, $0.sha256) = ("steady", "Scenarios/steady.yaml", "00ff")
                ($0.seed, $0.traceSha256) = (.max, "ff00")
            }
        ]
        (run.overhead.clockNanoseconds, run.overhead.recordNanoseconds, run.loadBefore) = (30.5, .nan, 0.25)
        run.leftOut = [.init(what: "disk", reason: "over budget; --all runs it")]
    }

    @Test func `keys are those of the columns, times are UTC, and unknown values are left out`() throws {
        let text = String(decoding: try ResultJSON.encode(run), as: UTF8.self)
        #expect(text.contains("\"schema_version\" : 1,\n"))
        #expect(text.contains("\"start\" : \"1970-01-01T00:00:00Z\""))
        #expect(text.contains("\"clock_nanoseconds\" : 30.5,\n"))
        #expect(text.contains("\"path\" : \"Scenarios/steady.yaml\""))
        #expect(text.contains("\"sha256\" : \"00ff\""))
        #expect(text.contains("\"seed\" : 18446744073709551615"))
        #expect(text.contains("\"trace_sha256\" : \"ff00\""))
        #expect(!text.contains("load_after"))
        #expect(text.hasSuffix("}\n"))
    }

    @Test func `a description is read back unchanged, except for a figure that is not a number`() throws {
        var read = try ResultJSON.decode(RunDescription.self, from: try ResultJSON.encode(run))
        #expect(read.overhead.recordNanoseconds?.isNaN == true)
        var expected = run
        expected.overhead.recordNanoseconds = nil
        read.overhead.recordNanoseconds = nil
        #expect(read == expected)
    }
}
