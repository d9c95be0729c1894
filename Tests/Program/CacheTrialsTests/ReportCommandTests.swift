import Foundation
import Testing

/// `report`, as a user runs it.
@Suite(.timeLimit(.minutes(3)))
struct ReportCommandTests {
    @Test func `a run becomes a page and a summary with its figures`() async throws {
        let folder = try TemporaryFolder()
        let text = SmallScenario.text(strategies: "lru, none", mix: "load: 3, write: 1")
        let file = try folder.write(text, to: "small.yaml")
        let results = "\(folder.path)/results"
        let run = await Program.here(
            "run", file, "--smoke", "--strategies", "lru,none", "--output", results, "--quiet")
        #expect(run.exitCode == 0)
        let report = await Program.here("report", results, "--picture", "\(folder.path)/picture.svg")
        #expect(report.exitCode == 0, "\(report.errors)")
        #expect(report.errors.contains("Wrote \(results)/report.html\nWrote \(results)/summary.md\n"))
        let page = try String(contentsOfFile: "\(results)/report.html", encoding: .utf8)
        let latency = try records(of: "\(results)/latency.csv")
        let p99 = latency.filter { $0["strategy"] == "lru" && $0["operation"] == "load" && $0["outcome"] == "all" }
            .compactMap { $0["p99_ns"] }
        #expect(p99.contains { page.contains("data-v=\"\($0)\"") })
        #expect(page.contains("Latency by percentile, "))
        #expect(try String(contentsOfFile: "\(results)/summary.md", encoding: .utf8).contains("| lru |"))
        #expect(try String(contentsOfFile: "\(folder.path)/picture.svg", encoding: .utf8).hasPrefix("<svg "))
    }

    @Test func `the miss ratios of a replay are drawn`() async throws {
        let folder = try TemporaryFolder()
        let keys = (0..<3_000).map { String($0 * $0 % 97) }.joined(separator: "\n") + "\n"
        let trace = try folder.write(keys, to: "t.keys")
        let results = "\(folder.path)/results"
        let replay = await Program.here(
            "replay", trace, "--policies", "lru,fifo", "--curve", "--output", results)
        #expect(replay.exitCode == 0, "\(replay.errors)")
        let report = await Program.here("report", results, "--output", "-")
        #expect(report.exitCode == 0, "\(report.errors)")
        #expect(report.output.contains("Miss ratio by size, t.keys"))
    }

    @Test func `a folder without results exits with 65`() async throws {
        let folder = try TemporaryFolder()
        let report = await Program.here("report", folder.path)
        #expect(report.exitCode == 65)
        #expect(report.errors.contains("holds no trials.csv, races.csv, replay.csv or comparison.csv"))
    }

    @Test func `a damaged file exits with 65 and its line`() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("nonsense\n", to: "trials.csv")
        let report = await Program.here("report", folder.path)
        #expect(report.exitCode == 65)
        #expect(report.errors.contains("trials.csv:1: not the columns of this version"))
    }
}
