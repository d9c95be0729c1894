import CacheServers
import Foundation
import Reports
import TestTiers
import Testing
import TrialModel

/// The line of figures that Apache Otava reads, in a file with a line for each commit.
@Suite(.timeLimit(.minutes(10)))
struct OtavaTests {
    private let folder: TemporaryFolder
    private var file: String { "\(folder.path)/figures.csv" }

    init() throws { folder = try TemporaryFolder() }

    /// Replays a small trace with its output at the end of a file, as a shell does it.
    private func append(_ policies: String = "lru,fifo") async throws -> Program.Ending {
        try await Program.start(
            ["replay", "x.keys", "--capacities", "10", "--format", "otava", "--policies", policies],
            in: folder.path, shell: #"exec "$@" >> figures.csv"#
        ).ending()
    }

    @Test func `a new file gets the names of the columns, later lines none, and other columns are refused`()
        async throws
    {
        _ = try folder.write((0..<300).map { "\($0 * $0 % 37)\n" }.joined(), to: "x.keys")
        for _ in 1...2 { #expect(try await append().exitCode == 0) }
        // Policies in another order are the same columns.
        #expect(try await append("fifo,lru").exitCode == 0)
        let records = try records(of: file)
        #expect(records.count == 3 && Set(records.map { $0["x.keys/lru/10/hit_ratio"] }).count == 1)
        #expect(records.allSatisfy { $0["time"]?.hasSuffix("Z") == true && $0["commit"]?.isEmpty == false })
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.hasPrefix("time,commit,x.keys/lru/10/hit_ratio,x.keys/fifo/10/hit_ratio\r\n"))
        let refused = try await append("lru,sieve")
        #expect(refused.exitCode == 65)
        let names = "missing: x.keys/sieve/10/hit_ratio, unknown: x.keys/fifo/10/hit_ratio; no line was added"
        #expect(refused.errors.contains("/figures.csv:1: not the columns of this run's metrics, \(names)"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
    }

    @Test func `a run prints its figures with their columns where there is no file`() async throws {
        let scenario = try folder.write(
            SmallScenario.text(strategies: "lru", mix: "load: 1", operations: 500), to: "small.yaml")
        let ending = await Program.here(
            "run", scenario, "--format", "otava", "--output", "\(folder.path)/out", "--quiet")
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let lines = ending.output.split(whereSeparator: \.isNewline)
        #expect(lines.count == 2 && lines[0].hasPrefix("time,commit,small/lru/") && lines[0].contains("/p50,"))
    }

    /// The figures of 60 commits: from the fortieth on one of them is a tenth larger.
    private func lines(_ names: [String]) throws {
        var random = RandomSource(seed: 1, stream: 1)
        let made = try ResultFolder.readRun(at: try MadeRun().write(to: "\(folder.path)/made"))
        var held = AppendedFile()
        for commit in 0..<60 {
            var run = made
            run.start = .now.addingTimeInterval(Double(commit - 60) * 3_600)
            run.gitCommit = String(format: "%040x", commit)
            let figures = names.enumerated().compactMap { index, name in
                let level = index == 0 && commit >= 40 ? 110.0 : 100
                let noise = Double(random.next(below: 200)) / 100
                let parts = name.split(separator: "/")
                return Metric(rawValue: String(parts[3])).flatMap {
                    PublishedFigure(
                        name: parts.dropLast().joined(separator: "/"), metric: $0, repetitions: [level + noise])
                }
            }
            held.bytes += Array(try FigureFormat.otava.text(figures, of: run, after: held).utf8)
        }
        try Data(held.bytes).write(to: URL(fileURLWithPath: file))
    }

    private struct Change: Decodable {
        struct Figure: Decodable {
            let metric: String
        }

        let attributes: [String: String]
        let changes: [Figure]
    }

    @Test(.nightly, .enabled(if: LocalServer.path(of: "python3") != nil, "python3 is not installed"))
    func `Otava finds the commit at which a figure changed, with the configuration of the page`() async throws {
        let page = "\(Program.root)/Sources/Program/CacheTrials/CacheTrials.docc/Commands.md"
        let text = try String(contentsOfFile: page, encoding: .utf8)
        let configuration = try #require(text.firstMatch(of: #/```yaml\n(tests:\n[^`]*)```/#)?.1)
        let names = configuration.matches(of: #/ +(\S+\/\S+): \{/#).map { String($0.1) }
        #expect(names.count == 3)
        _ = try folder.write(String(configuration), to: "otava.yaml")
        try lines(names)
        let install = try await Program.start(
            tool: "sh", ["-c", "python3 -m venv otava && otava/bin/pip install --quiet apache-otava"], in: folder.path
        ).ending()
        try #require(install.exitCode == 0, "\(install.errors)")
        let ending = try await Program.start(
            tool: "OTAVA_CONFIG=otava.yaml", ["otava/bin/otava", "analyze", "caches", "--output", "json"],
            in: folder.path
        ).ending()
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let found = try JSONDecoder().decode([String: [Change]].self, from: Data(ending.output.utf8))["caches"] ?? []
        #expect(found.map { $0.attributes["commit"] } == [String(format: "%040x", 40)])
        #expect(found.flatMap(\.changes).map(\.metric) == [names[0]])
    }
}
