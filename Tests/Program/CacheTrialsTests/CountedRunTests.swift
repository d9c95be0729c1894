import Foundation
import Reports
import TestTiers
import Testing
import TimedStrategies
import TrialModel

/// `count`, with Valgrind where it is installed.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct CountedRunTests {
    private static let hasValgrind = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/valgrind")
    }

    /// Small, because a debug build on a simulated processor takes a second for a few hundred operations.
    private static let scenario = """
        title: A few operations of each kind
        keys: { kind: string, count: 40 }
        values: { kind: bytes, size: 64 B }
        capacity: { entries: 20 }
        origin: { kind: memory }
        phases:
          - { name: fill, warm-up: true, operations: 40, clients: 3, mix: { load: 1 } }
          - { name: mixed, operations: 60, mix: { read: 4, load: 3, write: 2, remove: 1 } }
          - { name: crowd, operations: 20, clients: 2, mix: { read: 1 } }

        """

    private func run(
        _ arguments: String..., in folder: TemporaryFolder, exitCode: Int32 = 0
    ) async throws -> (results: [PhaseResult], output: String, errors: String) {
        let file = try folder.write(Self.scenario, to: "few.yaml")
        let output = "\(folder.path)/out"
        let command = ["count", file, "--quiet", "--output", output] + arguments
        // The program itself where something is counted: its main is what Valgrind needs.
        let ending = exitCode == 0 ? try await Program.start(command).ending() : await Program.here(command)
        #expect(ending.exitCode == exitCode, "\(ending.errors)")
        let results = exitCode == 0 ? try ResultFolder.read(at: output) : []
        return (results, ending.output, ending.errors)
    }

    private func counts(_ results: [PhaseResult], _ phase: String) -> [Selection<OperationKind>: InstructionCounts] {
        var counts: [Selection<OperationKind>: InstructionCounts] = [:]
        let rows = results.first { $0.trial.key.phase == phase }?.latency ?? []
        for row in rows where row.labels.outcome == .all { counts[row.labels.operation] = row.counts }
        return counts
    }

    @Test(.enabled(if: hasValgrind, "valgrind is not installed"), .timeLimit(.minutes(3)))
    func `the main queue is served, so a strategy of the main actor is counted`() async throws {
        let results = try await run("--strategies", "published-actor", in: try TemporaryFolder()).results
        let statuses = results.filter { $0.trial.key.phase != "crowd" }.map(\.trial.status)
        #expect(!statuses.isEmpty && statuses.allSatisfy { $0 == .completed }, "\(results.map(\.trial.reason))")
    }

    @Test(.nightly, .enabled(if: hasValgrind, "valgrind is not installed"))
    func `two runs count nearly the same`() async throws {
        let (first, second) = (try TemporaryFolder(), try TemporaryFolder())
        let one = counts(try await run("--strategies", "lru", in: first).results, "mixed")
        let two = counts(try await run("--strategies", "lru", "--cache-sim", in: second).results, "mixed")
        let all = try #require(two[.all])
        #expect((all.firstLevelMisses ?? -1) >= (all.lastLevelMisses ?? 0))
        #expect(Set(one.keys) == [.all, .only(.read), .only(.load), .only(.write), .only(.remove)])
        for (operation, count) in one {
            #expect(count.method == .callgrind)
            #expect(count.instructions > 1)
            let other = try #require(two[operation]).instructions
            // In a debug build each operation uses the runtime's caches, whose instruction counts depend on
            // addresses: a few operations were seen to differ by 1 %. `benchmarks gate` measures the differences of a
            // release build.
            #expect(abs(count.instructions / other - 1) < 0.05, "\(operation): \(count.instructions), \(other)")
        }
    }

    @Test(.nightly, .enabled(if: hasValgrind, "valgrind is not installed"))
    func `phases of several clients are not counted, and nothing is timed`() async throws {
        let folder = try TemporaryFolder()
        let results = try await run("--strategies", "lru", in: folder).results
        #expect(counts(results, "crowd").isEmpty)
        #expect(counts(results, "mixed")[.all]?.method == .callgrind)
        #expect(results.flatMap(\.latency).allSatisfy { $0.latency == nil && $0.throughputPerSecond == nil })
        #expect(results.allSatisfy { $0.trial.status == .completed && $0.trial.elapsedNanoseconds == nil })
    }

    @Test(.nightly, .enabled(if: hasValgrind, "valgrind is not installed"))
    func `a strategy with its own tasks is counted as a whole, and its row says so`() async throws {
        let folder = try TemporaryFolder()
        let run = try await run("--strategies", "actor", "--profile", in: folder)
        let all = try #require(counts(run.results, "mixed")[.all])
        #expect(all.method == .callgrindProcess)
        #expect(run.output.contains("callgrind-process"), "\(run.output)")
        let functions = run.results.flatMap(\.functions)
        #expect(functions.count == 20)
        #expect(functions.map(\.instructionsPerOperation) == functions.map(\.instructionsPerOperation).sorted(by: >))
    }

    @Test(.nightly, .enabled(if: hasValgrind, "valgrind is not installed"))
    func `a counted run can be resumed, but not as a timed one`() async throws {
        let folder = try TemporaryFolder()
        let first = try await run("--strategies", "lru", in: folder).results
        let both = try await run("--strategies", "lru,fifo", "--resume", in: folder).results
        #expect(Array(both.prefix(first.count)) == first)
        #expect(both.count == 2 * first.count)
        let timed = try await Program.start([
            "run", "\(folder.path)/few.yaml", "--quiet", "--resume", "--output", "\(folder.path)/out",
        ]).ending()
        #expect(timed.exitCode == 65)
        #expect(timed.errors.contains("it is of another verb"), "\(timed.errors)")
    }

    @Test func `without Valgrind the run says how to get it`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.scenario, to: "few.yaml")
        let ending = try await Program.start(
            ["count", file, "--output", "\(folder.path)/out"],
            shell: "PATH=/nowhere exec \"$@\""
        ).ending()
        #expect(ending.exitCode == 2)
        #expect(ending.errors.contains("apt-get install valgrind"), "\(ending.errors)")
    }

    @Test(arguments: [["--smoke"], ["--until-decided"], ["--redis", "localhost:6379"], ["--shard", "1/2"]])
    func `flags about times or promises are refused`(flags: [String]) async throws {
        let ending = await Program.here(["count", "Scenarios"] + flags)
        #expect(ending.exitCode == 64, "\(ending.errors)")
    }
}
