import Foundation
import Reports
import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1))) struct RunDescriptionTests {
    let run = RunDescription(
        toolVersion: "0.1.0", buildConfiguration: "release", gitCommit: "abc", gitDirty: true,
        commandLine: ["cache-trials", "run", "Scenarios/steady.yaml"],
        host: .init(
            name: "host", cpu: "CPU", cores: 2, memoryBytes: 8, kernel: "Linux 6.1", operatingSystem: "Debian 12"),
        swiftVersion: "6.3.1", seed: nil,
        scenarios: [
            .init(
                name: "steady", path: "Scenarios/steady.yaml", sha256: "00ff", seed: .max, repetitions: 3,
                traceSha256: "ff00")
        ],
        strategies: ["lru"], overhead: .init(clockNanoseconds: 30.5, recordNanoseconds: .nan), loadBefore: 0.25,
        start: Date(timeIntervalSince1970: 0), leftOut: [.init(what: "disk", reason: "over budget; --all runs it")])

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
