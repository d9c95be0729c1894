import BuiltInStrategies
import CacheStrategies
import Foundation
import Reports
import Testing
import TrialModel

@testable import CacheTrials
@testable import TimedStrategies

/// `run --sweep`, from arguments to rows.
@Suite(.timeLimit(.minutes(3)))
struct SweepRunTests {
    private static let scenario = """
        title: A few lookups
        keys: { kind: integer, count: 100 }
        values: { kind: bytes, size: 64 B }
        capacity: { entries: 20 }
        origin: { kind: memory }
        sweep: { capacity: [10%, 50%] }
        phases:
          - { name: main, operations: 200, mix: { load: 1 } }

        """

    private func run(_ folder: TemporaryFolder, _ arguments: String...) async throws -> Program.Ending {
        let file = try folder.write(Self.scenario, to: "few.yaml")
        return await Program.here(
            ["run", file, "--quiet", "--strategies", "lru", "--repetitions", "1", "--output", "\(folder.path)/out"]
                + arguments, trials: ScriptedChildren.completing)
    }

    @Test func `each point has rows of its own, and the bounds are beside the strategies`() async throws {
        let folder = try TemporaryFolder()
        let ending = try await run(folder, "--sweep", "clients=1,2")
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(ending.errors.contains("4 points of a sweep, 16 trials"), "\(ending.errors)")
        let results = try ResultFolder.read(at: "\(folder.path)/out")
        let points = Dictionary(grouping: results, by: \.trial.key.scenario)
        #expect(
            Set(points.keys.map(\.description)) == [
                "few clients=1 capacity=10", "few clients=1 capacity=50", "few clients=2 capacity=10",
                "few clients=2 capacity=50",
            ])
        for (point, own) in points {
            #expect(Set(own.map(\.trial.key.strategy)) == ["lru", "none", "unbounded", "ceiling"])
            let lru = try #require(own.first { $0.trial.key.strategy == "lru" }?.hitRate)
            #expect(lru.capacity.entries.map(Double.init) == point[.capacity])
        }
    }

    // It was refused: the file was there twice, as two scenarios of one name.
    @Test func `a swept scenario in a folder is run when it is also named`() async throws {
        let folder = try TemporaryFolder()
        let scenarios = "\(folder.path)/scenarios"
        try FileManager.default.createDirectory(atPath: scenarios, withIntermediateDirectories: true)
        let file = try folder.write(Self.scenario, to: "scenarios/few.yaml")
        _ = try folder.write(SmallScenario.text(strategies: "lru", mix: "load: 1"), to: "scenarios/small.yaml")
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/link", withDestinationPath: scenarios)
        let words = ["--quiet", "--strategies", "lru", "--repetitions", "1", "--output", "\(folder.path)/out"]
        for named in [file, "\(scenarios)/../scenarios/few.yaml", "\(folder.path)/link/few.yaml"] {
            for paths in [[scenarios, named], [named, "\(scenarios)/"]] {
                let ending = await Program.here(["run"] + paths + words, trials: ScriptedChildren.completing)
                #expect(ending.exitCode == 0, "\(ending.errors)")
                let points = try ResultFolder.read(at: "\(folder.path)/out").filter { $0.trial.key.strategy == "lru" }
                    .map { "\($0.trial.key.scenario) \($0.trial.key.phase)" }
                #expect(
                    points.sorted() == ["few capacity=10 main", "few capacity=50 main", "small main", "small warm-up"])
                try FileManager.default.removeItem(atPath: "\(folder.path)/out")
            }
            #expect(await Program.here("validate", scenarios, named).exitCode == 0)
        }
    }

    // It was refused by the repetitions that may follow, if these tell more.
    @Test(arguments: [["--budget", "1h"], ["--until-decided"]])
    func `repetitions that are not certain do not count as trials of a sweep`(options: [String]) async throws {
        let folder = try TemporaryFolder()
        let files = [
            try folder.write(Self.scenario, to: "few.yaml"),
            try folder.write(SmallScenario.text(strategies: "lru", mix: "load: 1"), to: "small.yaml"),
        ]
        let words = ["--quiet", "--strategies", "lru", "--output", "\(folder.path)/out"] + options
        // Two points with four strategies three times, and one trial.
        let ending = await Program.here(
            ["run"] + files + words + ["--trials-at-most", "25"], trials: ScriptedChildren.completing)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(ending.errors.contains("2 points of a sweep, 25 trials"), "\(ending.errors)")
        let refused = await Program.here(["run"] + files + words + ["--trials-at-most", "24"])
        #expect(refused.exitCode == 64, "\(refused.errors)")
    }

    @Test func `what no point of a sweep can run is named once`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.scenario, to: "few.yaml")
        let ending = await Program.here(
            "run", file, "--quiet", "--strategies", "lru,redis", "--repetitions", "1", "--output",
            "\(folder.path)/out", trials: ScriptedChildren.completing)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let left = ending.errors.split(separator: "\n").filter { $0.hasPrefix("Left out of ") }
        #expect(left == ["Left out of few, because it does not have the limit that the sweep varies: redis"])
    }

    @Test func `what only some points can't run is named with them`() throws {
        var lru = try #require(StrategyRegistry.builtIn["lru"])
        lru.declaration.promises.limitRules = LimitRules(smallest: 4)
        let points = [1, 2, 10].flatMap { entries in
            [1, 3].map { clients in
                var point = ScriptedRun.scenario("few")
                point.capacity.entries = entries
                point.point[.clients] = Double(clients)
                point.point[.capacity] = Double(entries)
                return point
            }
        }
        #expect(
            ApplicableStrategies(chosen: [lru]).leftOut(of: points).lines == [
                "Left out of few at clients=1 capacity=1, clients=3 capacity=1, because a limit of 1 entries is below its "
                    + "smallest limit, 4: lru",
                "Left out of few at clients=1 capacity=2, clients=3 capacity=2, because a limit of 2 entries is below its "
                    + "smallest limit, 4: lru",
            ])
    }

    @Test func `more trials than are allowed are refused before anything starts`() async throws {
        let folder = try TemporaryFolder()
        let ending = try await run(folder, "--trials-at-most", "7")
        #expect(ending.exitCode == 64)
        #expect(ending.errors.contains("more than '--trials-at-most 7'"), "\(ending.errors)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/out"))
    }

    @Test func `shards of a sweep merge to all of its points`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.scenario, to: "few.yaml")
        for number in 1...2 {
            let ending = await Program.here(
                "run", file, "--strategies", "lru", "--repetitions", "1", "--sweep", "keys=100,200", "--quiet",
                "--shard",
                "\(number)/2", "--output", "\(folder.path)/shard-\(number)", trials: ScriptedChildren.completing)
            #expect(ending.exitCode == 0, "\(ending.errors)")
        }
        let merged = await Program.here([
            "merge", "\(folder.path)/shard-1", "\(folder.path)/shard-2", "--output", "\(folder.path)/merged",
        ])
        #expect(merged.exitCode == 0, "\(merged.errors)")
        let points = Set(try ResultFolder.read(at: "\(folder.path)/merged").map(\.trial.key.scenario))
        #expect(points.count == 4)
    }
}
