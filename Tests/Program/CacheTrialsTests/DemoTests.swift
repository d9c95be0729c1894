import Foundation
import Reports
import TestTiers
import Testing
import TrialModel

@testable import CacheTrials

@Suite(.timeLimit(.minutes(5)))
struct DemoTests {
    /// A measured phase of the demo.
    private static func result(_ strategy: String, hits: UInt64, of lookups: UInt64, requests: UInt64) -> PhaseResult {
        let trial = TrialIdentity(scenario: ScenarioPoint(named: "demo"), strategy: strategy, repetition: 1)
        let key = RowKey(trial: trial, phase: "moving")
        let row = HitRateRow(key: key).with {
            ($0.lookups, $0.hits, $0.misses, $0.originLoads) = (lookups, hits, lookups - hits, requests)
        }
        let timeline = [(100, 0), (0, 100), (50, 50)].enumerated().map { index, counts in
            TimelineRow(key: key).with {
                ($0.elapsedMilliseconds, $0.hits, $0.misses) = (UInt64(index) * 200, UInt64(counts.0), UInt64(counts.1))
            }
        }
        return PhaseResult(
            trial: TrialRow(key: key).with { $0.status = .completed }, timeline: timeline, hitRate: row)
    }

    @Test func `a line has a block for each interval, the hit ratio and the requests`() {
        let line = DemoNarration().line(of: Self.result("lru", hits: 870, of: 1000, requests: 2680))
        #expect(line.hasPrefix("in memory   lru              █▁▅"))
        #expect(line.hasSuffix("     87 %                   2.68k\n"))
    }

    @Test func `the closing sentences have the figures of the results`() {
        let closing = DemoNarration().closing([
            Self.result("barrier-nscache", hits: 160, of: 1000, requests: 17_100),
            Self.result("lru", hits: 870, of: 1000, requests: 2680),
            Self.result("shared+lru", hits: 870, of: 1000, requests: 1590),
        ])
        #expect(closing.contains("it hits in 16 % of the lookups, lru in 87 %."))
        #expect(closing.contains("shared+lru: it sends 1.59k requests to the origin, lru 2.68k."))
    }

    @Test func `nothing is claimed that the results don't show`() {
        let closing = DemoNarration().closing([
            Self.result("barrier-nscache", hits: 850, of: 1000, requests: 1000),
            Self.result("lru", hits: 870, of: 1000, requests: 1000),
            Self.result("shared+lru", hits: 870, of: 1000, requests: 1000),
        ])
        #expect(closing == "\nbarrier-nscache hits in 85 % of the lookups, lru in 87 %.\n")
        #expect(DemoNarration().closing([]) == "")
    }

    @Test func `an interrupted demo advises no option that it lacks`() async throws {
        let folder = try TemporaryFolder()
        let program = try Program.start(["demo", "--output", "\(folder.path)/out"])
        await eventually { !program.children(running: "trial").isEmpty }
        program.send(signal: SIGINT)
        let ending = await program.ending()
        #expect(ending.exitCode == 130 && ending.errors.contains("Interrupted; "), "\(ending.errors)")
        #expect(!ending.errors.contains("--resume"), "\(ending.errors)")
    }

    @Test func `a folder that can't be used is refused before anything is shown`() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("x", to: "run.json")
        let ending = await Program.here("demo", "--output", folder.path)
        #expect(ending.exitCode == 2 && ending.output.isEmpty, "\(ending.output)")
        #expect(ending.errors.contains("choose an empty folder with --output"), "\(ending.errors)")
    }

    @Test(.nightly) func `a demo needs no file, and leaves its scenario, figures and a page`() async throws {
        let folder = try TemporaryFolder()
        let ending = try await Program.run("demo", "--output", "\(folder.path)/out", in: folder.path)
        #expect(ending.exitCode == (ending.isOfBusyMachine ? 2 : 0), "\(ending.errors)")
        #expect(ending.output.contains("over HTTP   shared+lru"), "\(ending.output)")
        for name in ["demo.yaml", "hit-rate.csv", "report.html"] {
            #expect(FileManager.default.fileExists(atPath: "\(folder.path)/out/\(name)"), "\(name)")
        }
        let again = try await Program.run("validate", "\(folder.path)/out/demo.yaml")
        #expect(again.exitCode == 0, "\(again.errors)")
    }
}
