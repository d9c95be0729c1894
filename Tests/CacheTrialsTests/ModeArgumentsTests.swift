import Foundation
import Testing

/// What a run does with its scenarios: its mode.
@Suite(.timeLimit(.minutes(2)))
struct ModeArgumentsTests {
    @Test(arguments: [
        ["--mode", "timed"], ["--mode", "interleaved"], ["--mode", "checked"], ["--mode", "explored"],
        ["--mode", "rate-search", "--objective", "p99 <= 5 ms"],
    ])
    func `a mode is accepted, so that only the scenario is missing`(arguments: [String]) async throws {
        let ending = await Program.here(["run", "no-such.yaml"] + arguments)
        #expect(ending.exitCode == 65, "\(ending.errors)")
        #expect(ending.errors.contains("no-such.yaml"))
    }

    @Test(arguments: [
        ["--mode", "checked", "--check"], ["--mode", "explored", "--explore", "5"],
        ["--mode", "rate-search", "--find-max-rate", "--objective", "p99 <= 5 ms"],
    ])
    func `a mode and the flag with the same meaning go together`(arguments: [String]) async throws {
        let ending = await Program.here(["run", "no-such.yaml"] + arguments)
        #expect(ending.exitCode == 65, "\(ending.errors)")
    }

    @Test(arguments: [
        (["--mode", "timed", "--check"], "'--mode timed' and '--check'"),
        (["--mode", "interleaved", "--check"], "'--mode interleaved' and '--check'"),
        (["--mode", "checked", "--find-max-rate"], "'--mode checked' and '--find-max-rate'"),
        (["--mode", "rate-search", "--explore", "5"], "'--mode rate-search' and '--explore'"),
        (["--check", "--find-max-rate"], "'--check' and '--find-max-rate'"),
        (["--check", "--explore", "5"], "'--check' and '--explore'"),
        (["--find-max-rate", "--explore", "5"], "'--explore' and '--find-max-rate'"),
    ])
    func `two modes are wrong usage, and both are named`(arguments: [String], names: String) async throws {
        let ending = await Program.here(["run", "Scenarios/scan.yaml"] + arguments)
        #expect(ending.exitCode == 64)
        #expect(
            ending.errors.contains("\(names) are two modes of a run: leave one of them out."), "\(ending.errors)")
    }

    @Test func `an unknown mode is wrong usage, and all modes are named`() async throws {
        let ending = await Program.here("run", "Scenarios/scan.yaml", "--mode", "fast")
        #expect(ending.exitCode == 64)
        for mode in ["timed", "interleaved", "checked", "explored", "rate-search"] {
            #expect(ending.errors.contains(mode), "\(ending.errors)")
        }
    }

    @Test func `interleaved runs measure, and a smoke run doesn't`() async throws {
        let ending = await Program.here("run", "Scenarios/scan.yaml", "--mode", "interleaved", "--smoke")
        #expect(ending.exitCode == 64)
        #expect(ending.errors.contains("'--smoke' measures nothing, and '--mode interleaved' is about times"))
    }

    @Test(arguments: ["interleaved", "explored"])
    func `a mode that needs one machine is refused for a plan`(mode: String) async throws {
        let folder = try TemporaryFolder()
        let ending = await Program.here(
            "plan", "Scenarios/scan.yaml", "--shards", "2", "--output", "\(folder.path)/plan", "--mode", mode)
        #expect(ending.exitCode == 64)
        #expect(ending.errors.contains("'--mode \(mode)' needs one machine: use 'run', without a plan."))
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/plan"))
    }

    @Test func `a plan takes a scenario with an unknown strategy when others replace it, as a run does`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            SmallScenario.text(strategies: "lru, theirs", mix: "load: 1", operations: 100), to: "theirs.yaml")
        func plan(_ more: String...) async -> Program.Ending {
            await Program.here(["plan", file, "--shards", "1", "--output", "\(folder.path)/plan"] + more)
        }
        let refused = await plan()
        #expect(refused.exitCode == 65 && refused.errors.contains("theirs"))
        let taken = await plan("--strategies", "lru,sieve")
        #expect(taken.exitCode == 0, "\(taken.errors)")
    }

    @Test func `a plan of a replay refuses a sweep`() async throws {
        let folder = try TemporaryFolder()
        let ending = await Program.here(
            "plan", "--shards", "2", "--output", "\(folder.path)/plan", "--sweep", "clients=1,2", "--", "replay",
            "trace.lirs", "--policies", "lru")
        #expect(ending.exitCode == 64)
        #expect(ending.errors.contains("'--sweep' is not for a replay"))
    }

    @Test func `a shard itself says what to run`() async throws {
        let ending = await Program.here(
            "run", "--shard", "shard-1.json", "--output", "out", "--mode", "interleaved")
        #expect(ending.exitCode == 64)
        #expect(ending.errors.contains("'--shard' says what to run: leave out '--mode', or give it to 'plan'."))
    }
}
