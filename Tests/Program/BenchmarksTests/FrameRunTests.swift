import BuiltProgram
import Foundation
import Reports
import TestTiers
import Testing
import TrialModel

/// Lists that scroll over caches with known faults, from `benchmarks`.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct FrameRunTests {
    let temporary: TemporaryFolder

    init() throws { temporary = try TemporaryFolder() }

    /// Scrolls a list of small values over a cache.
    private func run(
        _ strategy: String, fault: String = "none", delay: String = "60 ms",
        frames: String = "loaders: 8, scroll: [{ speed: 300 rows/s, for: 0.6 s }, { speed: -300 rows/s, for: 0.4 s }]",
        expect: String = "", verb: String = "run", more: [String] = []
    ) async throws -> (ending: Program.Ending, result: PhaseResult) {
        let scenario = try temporary.write(
            """
            title: A list
            seed: 3
            pools:
              - { name: authors, count: 40, popularity: { zipf: 0.9 }, weight: 1 }
              - { name: photos, count: 1000, popularity: sequential, weight: 2 }
            keys: { kind: integer }
            values: { kind: bytes, size: 1 KiB }
            capacity: { entries: 80 }
            origin: { kind: memory, delay: \(delay) }
            phases: [{ name: list, frames: { \(frames) }\(expect) }]

            """, to: "list.yaml")
        let results = "\(temporary.path)/results-\(strategy)-\(fault)-\(more.joined())"
        let ending = try await Program.start(
            tool: "CACHE_TRIALS_LIST_FAULT=\(fault)",
            [
                Program.benchmarks, verb, scenario, "--strategies", strategy, "--repetitions",
                "1", "--quiet", "--output", results,
            ] + more
        ).ending()
        return (ending, try #require(try ResultFolder.read(at: results).first, "\(ending.errors)"))
    }

    private static let strategies = ["lru", "actor", "none", "disk", "published-actor", "planted-task-list"]

    @Test(arguments: TestTier.isNightly ? strategies : ["actor"])
    func `every row that comes into view is looked up once`(strategy: String) async throws {
        let (ending, result) = try await run(strategy, delay: "2 ms")
        let row = try #require(result.frames)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        // 180 rows down, and the rows up that were no longer visible; a missed frame can't hide rows of a slow list.
        #expect(row.frames == 60 && row.cells > 200 && result.trial.operations == row.cells, "\(row)")
        #expect(result.trial.driver == .main && result.trial.wrongAnswers == 0)
        #expect(row.shownAtOnce + row.shownLater + row.abandonedLoads + row.lateAnswers <= row.cells)
        #expect(result.frameTimes.reduce(0) { $0 + $1.cells } == row.cells)
    }

    @Test(.nightly) func `a filled cache shows its rows at once`() async throws {
        let (_, result) = try await run(
            "unbounded", delay: "0 ms", frames: "scroll: [slow, { speed: -20 rows/s, for: 1 s }]")
        let row = try #require(result.frames)
        // On the way back every row was loaded before.
        #expect(row.shownAtOnce >= 18 && row.shownAtOnce + row.shownLater == row.cells, "\(row)")
    }

    @Test func `an answer for another cell is a wrong answer`() async throws {
        let (ending, result) = try await run("planted-list", fault: "answers-other-cell", delay: "2 ms")
        #expect(ending.exitCode == 3 && (result.trial.wrongAnswers ?? 0) > 0)
    }

    @Test(.nightly) func `a load that is not cancelled is late, and a cancelled one is abandoned`() async throws {
        let deaf = try #require(try await run("planted-task-list", fault: "ignores-cancellation").result.frames)
        #expect(deaf.lateAnswers > 10 && deaf.abandonedLoads == 0, "\(deaf)")
        let sound = try #require(try await run("planted-task-list").result.frames)
        #expect(sound.abandonedLoads > sound.lateAnswers, "\(sound)")
    }

    @Test func `a lookup that waits for a load misses frames, and fails a gate`() async throws {
        let (ending, result) = try await run(
            "planted-list", fault: "waits-for-loads", expect: ", expect: { missed-frames: 0% }")
        #expect((result.frames?.missed ?? 0) > 0)
        #expect(ending.exitCode == 1 && ending.errors.contains("of the frames missed, expected at most"))
    }

    @Test(.nightly) func `a block of 20 ms in a look-up is found in its frame`() async throws {
        let (_, result) = try await run(
            "planted-list", fault: "blocks-once", delay: "0 ms", frames: "scroll: [{ speed: 700 rows/s, for: 1.3 s }]")
        // The machine may hold another frame for longer.
        let ofCache = result.frameTimes.filter { $0.blame == .cache }
        let longest = try #require(ofCache.max { $0.heldNanoseconds < $1.heldNanoseconds })
        let before = result.frameTimes.prefix { $0.frame < longest.frame }.reduce(0) { $0 + $1.cells }
        #expect((before + 1...before + longest.cells).contains(700), "\(longest)")
        #expect(longest.missed > 0, "\(longest)")
    }

    @Test(.nightly) func `shards of a list are merged with their frames`() async throws {
        let folders = (1...2).map { "\(temporary.path)/of-\($0)" }
        for (index, folder) in folders.enumerated() {
            let ended = try await Program.run(
                "run", "Scenarios/scrolling.yaml", "--shard", "\(index + 1)/2", "--strategies", "lru,none",
                "--repetitions", "2", "--smoke", "--output", folder, "--quiet")
            #expect(ended.exitCode == 0, "\(ended.errors)")
        }
        let merged = temporary.path + "/merged"
        let ending = try await Program.start(["merge"] + folders + ["--output", merged]).ending()
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let results = try ResultFolder.read(at: merged)
        #expect(results.count == 4 && results.allSatisfy { $0.frames != nil && !$0.frameTimes.isEmpty })
    }

    @Test(.nightly) func `a list can be checked`() async throws {
        let (ending, result) = try await run("lru", delay: "2 ms", verb: "check")
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(result.frames != nil)
    }

    @Test func `a list can be run as a smoke test`() async throws {
        let smoke = try await run("lru", delay: "2 ms", more: ["--smoke"])
        #expect(smoke.ending.exitCode == 0 && (smoke.result.frames?.frames ?? 99) <= 12)
    }
}
