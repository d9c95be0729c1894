import Foundation
import Testing

/// `history` as a user runs it, over folders with made-up figures.
@Suite(.timeLimit(.minutes(5)))
struct HistoryCommandTests {
    let folder: TemporaryFolder
    private let results: String
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        results = try MadeRun(strategies: ["lru", "none"], repetitions: 3).write(to: "\(folder.path)/results")
        file = "\(folder.path)/history.csv"
    }

    private func add(_ commit: String, _ more: String..., results: String? = nil) async throws -> Program.Ending {
        await Program.here(
            ["history", "add", results ?? self.results, "--file", file, "--commit", commit] + more
        )
    }

    /// A history of repeated results of one run, slower from the given commit on.
    private func makeHistory(commits: Int, slowerFrom: Int) async throws {
        #expect(try await add("c0ffee0000").exitCode == 0)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let header = try #require(text.split(separator: "\r\n").first)
        let rows = text.split(separator: "\r\n").dropFirst().filter { $0.contains(",p50,") }
        var lines = [String(header)]
        for index in 0..<commits {
            for row in rows {
                let time = "2030-01-01T12:\(10 + index):00Z"
                let value = index < slowerFrom ? 100_000 + index % 5 : 110_000 + index % 5
                let fields = String(row).replacing("1970-01-01T00:00:00Z", with: time)
                    .replacing("c0ffee0000", with: String(format: "c0ffee%04d", index))
                // Not acknowledged, and not swept.
                let figures = "\(value).000000,\(value).000000,\(value).000000,3" + String(repeating: ",", count: 9)
                lines.append(fields.replacing(/,p50,ns,.*$/, with: ",p50,ns,\(figures)"))
            }
        }
        _ = try folder.write(lines.map { $0 + "\r\n" }.joined(), to: "history.csv")
    }

    @Test func `a run is added once, and replaced on request`() async throws {
        let first = try await add("C0FFEE1", "--time", "2030-01-31T14:00:00+02:00")
        #expect(first.exitCode == 0, "\(first.errors)")
        #expect(first.errors.contains("Added 12 figures of c0ffee1 to \(file)"))
        let row = try #require(
            try String(contentsOfFile: file, encoding: .utf8).split(separator: "\r\n").dropFirst().first)
        #expect(row.hasPrefix("2030-01-31T12:00:00Z,c0ffee1,"))
        let again = try await add("c0ffee1")
        #expect(again.exitCode == 65 && again.errors.contains("--replace replaces them"))
        #expect(try await add("c0ffee1", "--replace").exitCode == 0)
    }

    @Test func `a slower commit fails until it is acknowledged`() async throws {
        try await makeHistory(commits: 30, slowerFrom: 20)
        let shown = await Program.here("history", "show", "--file", file, "--format", "csv")
        #expect(shown.exitCode == 0, "\(shown.errors)")
        #expect(
            shown.output.contains("worse,steady,lru,main,p50,") && shown.output.contains(",c0ffee0019,c0ffee0020,"))
        let failed = await Program.here("history", "show", "--file", file, "--fail-on", "worse")
        #expect(failed.exitCode == 1)
        #expect(failed.errors.contains("error: worse: 1 of 2 series changed: lru in steady, main: p50 +10.0%"))
        let known = await Program.here(
            "history", "acknowledge", "--file", file, "--commit", "c0ffee0020", "--strategy", "lru", "--reason",
            "checks")
        #expect(known.exitCode == 0, "\(known.errors)")
        let passed = await Program.here("history", "show", "--file", file, "--fail-on", "worse")
        #expect(passed.exitCode == 0 && passed.output.contains("none (bound)"))
        let page = try String(contentsOfFile: "\(folder.path)/history.html", encoding: .utf8)
        #expect(page.contains("p50 of lru in steady, main") && page.contains("checks"))
    }

    @Test func `two histories become one`() async throws {
        #expect(try await add("c0ffee1").exitCode == 0)
        let other = "\(folder.path)/other.csv"
        let second = await Program.here("history", "add", results, "--file", other, "--commit", "c0ffee2")
        #expect(second.exitCode == 0)
        let merged = await Program.here("history", "merge", file, other, "--output", "\(folder.path)/all.csv")
        #expect(merged.exitCode == 0 && merged.errors.contains("Wrote 24 figures"))
        let back = await Program.here("history", "merge", other, file, "--output", "\(folder.path)/back.csv")
        #expect(back.exitCode == 0)
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/all.csv"))
                == Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/back.csv")))
    }

    @Test func `every verb names a damaged file, and leaves it unchanged`() async throws {
        #expect(try await add("c0ffee1").exitCode == 0)
        let sound = try String(contentsOfFile: file, encoding: .utf8)
        let damaged = sound.replacing(",p50,ns,", with: ",p50,ns,nan", maxReplacements: 1)
        _ = try folder.write(damaged, to: "history.csv")
        for arguments in [
            ["add", results, "--commit", "c0ffee2"], ["show"], ["acknowledge", "--commit", "c0ffee1"],
        ] {
            let ending = await Program.here(["history"] + arguments + ["--file", file])
            #expect(ending.exitCode == 65, "\(arguments): \(ending.errors)")
            #expect(ending.errors.contains("history.csv:3: value: \"nan"), "\(ending.errors)")
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == damaged)
    }

    @Test func `a missing history is reported, and not created by a verb that only reads`() async throws {
        let shown = await Program.here("history", "show", "--file", file)
        #expect(shown.exitCode == 65 && shown.errors.contains("begins one"))
        let known = await Program.here("history", "acknowledge", "--file", file, "--commit", "c0ffee1")
        #expect(known.exitCode == 65)
        #expect(!FileManager.default.fileExists(atPath: file))
        let nowhere = await Program.here(
            "history", "add", results, "--file", "\(folder.path)/none/history.csv", "--commit", "c0ffee1")
        #expect(nowhere.exitCode == 65 && nowhere.errors.contains("no such folder; make it"))
    }

    @Test(arguments: [
        ["add", "out", "--file", "h.csv"], ["add", "out", "--file", "h.csv", "--commit", "main"],
        ["add", "out", "--file", "h.csv", "--commit", "c0ffee1", "--time", "today"], ["show", "--file", ""],
        ["show", "--file", "h.csv", "--window", "0"], ["show", "--file", "h.csv", "--fail-on", "same"],
        ["show", "--file", "h.csv", "--smallest-difference", "p99"], ["merge", "one.csv", "--output", "h.csv"],
        ["acknowledge", "--file", "h.csv", "--commit", "c0ffee1", "--metric", "speed"],
    ])
    func `wrong usage exits with 64`(arguments: [String]) async throws {
        #expect(await Program.here(["history"] + arguments).exitCode == 64)
    }
}
