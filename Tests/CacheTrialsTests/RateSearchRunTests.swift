import CacheStrategies
import Foundation
import HistoryChecking
import Testing
import TrialModel
import TrialSessions

/// Searches for the highest rate, as a user starts them.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct RateSearchRunTests {
    private let folder: TemporaryFolder
    private var output: String { "\(folder.path)/out" }

    init() throws { folder = try TemporaryFolder() }

    /// Every load goes to an origin that takes 10 ms, so that 8 clients sustain no more than 800 a second.
    private static func scenario(_ main: String = "duration: 1 s, clients: 2, mix: { load: 1 }") -> String {
        """
        title: Loads that wait
        keys: { kind: integer, count: 100 }
        values: { kind: bytes, size: 64 B }
        capacity: { entries: 10 }
        origin: { kind: memory, delay: 10 ms }
        phases:
          - { name: warm-up, warm-up: true, operations: 10, clients: 1, mix: { load: 1 } }
          - { name: main, \(main) }
          - { name: after, warm-up: true, operations: 10, clients: 1, mix: { load: 1 } }

        """
    }

    /// Coarse and short: the tests check the search and not its figure.
    private static let quick = [
        "--objective", "p90 <= 300 ms", "--step-duration", "500ms", "--precision", "50%",
        "--clients",
        "8", "--repetitions", "1",
    ]

    /// Runs with real trials, or with scripted ones that keep up with every rate.
    private func run(_ arguments: [String], isScripted: Bool = false) async throws -> Program.Ending {
        await Program.here(["max-rate"] + arguments, trials: isScripted ? ScriptedRates.trials : nil)
    }

    @Test func `the highest rate is in trials.csv, and every step in rate-search.csv`() async throws {
        let file = try folder.write(Self.scenario(), to: "wait.yaml")
        let ending = try await run([file, "--strategies", "none", "--output", output] + Self.quick)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(ending.output.contains("max rate/s"))
        #expect(ending.errors.contains("none, step 1 #1, "))
        let trials = try records(of: "\(output)/trials.csv")
        #expect(trials.map { $0["phase"] } == ["warm-up", "main"])
        let rate = try #require(trials.last?["max_rate_per_second"].flatMap { Double($0) })
        #expect(rate > 20)
        #expect(trials.first?["max_rate_per_second"] == "")
        let steps = try records(of: "\(output)/rate-search.csv")
        #expect(steps.first?["step"] == "0" && steps.first?["rate_per_second"] == "")
        #expect(
            steps.filter { $0["sustained"] == "yes" }.compactMap { $0["rate_per_second"].flatMap { Double($0) } }.max()
                == rate)
        #expect(steps.contains { $0["sustained"] == "no" })
    }

    @Test func `a finished search is not run again, and a different one is refused`() async throws {
        let file = try folder.write(Self.scenario(), to: "wait.yaml")
        let arguments = [file, "--output", output, "--quiet", "--strategies"]
        #expect(try await run(arguments + ["none"] + Self.quick, isScripted: true).exitCode == 0)
        let before = try records(of: "\(output)/trials.csv")
        let more = try await run(arguments + ["none,unbounded", "--resume"] + Self.quick, isScripted: true)
        #expect(more.exitCode == 0, "\(more.errors)")
        let after = try records(of: "\(output)/trials.csv")
        #expect(Array(after.prefix(before.count)) == before)
        #expect(after.map { $0["strategy"] } == ["none", "none", "unbounded", "unbounded"])

        for other in [["run"], ["max-rate"] + Self.quick + ["--phase", "main"]] {
            let refused = await Program.here(
                other.prefix(1) + arguments + ["none", "--resume"] + other.dropFirst(), trials: ScriptedRates.trials)
            #expect(refused.exitCode == 65)
            #expect(refused.errors.contains("the objective or an option of the search has changed"))
        }
        #expect(try records(of: "\(output)/trials.csv") == after)
    }

    @Test func `Ctrl-C drops the search in progress`() async throws {
        let file = try folder.write(Self.scenario(), to: "wait.yaml")
        let signals = ScriptedSignals()
        let ending = await Program.here(
            ["max-rate", file, "--strategies", "none", "--output", output] + Self.quick,
            trials: ScriptedChildren { _ in try await signals.interrupt() }.start, signals: signals.stream)
        #expect(ending.exitCode == 130)
        #expect(try records(of: "\(output)/trials.csv").isEmpty)
        #expect(try records(of: "\(output)/rate-search.csv").isEmpty)
    }

    @Test func `a budget without room leaves searches out`() async throws {
        let file = try folder.write(Self.scenario(), to: "wait.yaml")
        let ending = try await run(
            [file, "--strategies", "none", "--output", "\(folder.path)/out", "--budget", "1s"] + Self.quick)
        #expect(ending.exitCode == 2)
        #expect(ending.errors.contains("The time budget left out 1 searches"))
    }

    @Test func `a strategy that crashes during a search is a row that says so`() async throws {
        let file = try folder.write(Self.scenario(), to: "wait.yaml")
        let ending = await Program.here(
            ["max-rate", file, "--strategies", "none", "--output", output] + Self.quick,
            trials: ScriptedChildren { _ in .crashed }.start)
        #expect(ending.exitCode == 3, "\(ending.errors)")
        #expect(try records(of: "\(output)/trials.csv").contains { $0["status"] == "crashed" })
    }

    @Test(arguments: [
        (["--clients", "9"], "Missing expected argument '--objective <limit>'"),
        (["--objective", "p98 <= 5 ms"], "'p98' is no figure; write a limit such as p99 <= 5 ms"),
        (["--objective", "p99 <= 5"], "'5' is not a time"),
        (["--objective", "p99 <= 5 ms", "--smoke"], "Unknown option '--smoke'"),
        (["--objective", "p99 <= 5 ms", "--precision", "0.5%"], "a share from 1% to 50% is allowed"),
        (["--objective", "p99 <= 5 ms", "--precision", "nan"], "'nan' is not a share"),
        (["--objective", "p99 <= 5 ms", "--clients", "0"], "from 1 to 512 is allowed"),
        (["--objective", "p99 <= 5 ms", "--step-duration", "50ms"], "from 100 ms to 10 min"),
        (["--objective", "p99 <= 5 ms", "--phase", "x"], "there is no phase called 'x'"),
        (["--objective", "p99 of clear <= 5 ms"], "has no clear"),
    ])
    func `an impossible search is wrong usage`(arguments: [String], message: String) async throws {
        let ending = try await run(["Scenarios/steady-zipf.yaml", "--output", "/dev/null/none"] + arguments)
        #expect(ending.exitCode == 64)
        #expect(ending.errors.contains(message), "\(ending.errors)")
    }

    @Test func `a phase that follows a trace in time is refused, and one that follows it in order is searched`()
        async throws
    {
        let trace = "time,key\n" + (0..<200).map { "\($0),\($0 % 20)\n" }.joined()
        _ = try folder.write(trace, to: "requests.csv")
        let head = Self.scenario().replacing("count: 100", with: "trace: requests.csv")
        let ordered = try folder.write(
            head.replacing("clients: 2, mix: { load: 1 }", with: "clients: 2, mix: trace"), to: "ordered.yaml")
        let timed = try folder.write(
            head.replacing("clients: 2, mix", with: "clients: 2, arrival: trace, mix"), to: "timed.yaml")
        let refused = try await run([timed, "--output", "\(folder.path)/timed"] + Self.quick)
        #expect(refused.exitCode == 64, "\(refused.errors)")
        #expect(refused.errors.contains("changes its rate"))
        let searched = try await run(
            [ordered, "--strategies", "none", "--output", "\(folder.path)/out"] + Self.quick, isScripted: true)
        #expect(searched.exitCode == 0, "\(searched.errors)")
    }
}

/// Trials of a cache that keeps up with 100 operations a second.
private enum ScriptedRates {
    static let trials = ScriptedChildren(script: { _ in .completed }, result: { result(of: $0, $1.identity) }).start

    private static func result(of phase: Phase, _ trial: TrialIdentity) -> PhaseResult {
        let key = RowKey(trial: trial, phase: phase.name)
        var result = PhaseResult(
            trial: TrialRow(
                key: key, driver: .threads, status: .completed, operations: 1_000, elapsedNanoseconds: 10_000_000_000,
                wrongAnswers: 0))
        guard !phase.warmUp else { return result }
        var rate = 0.0
        if case .open(let course, _) = phase.arrival { rate = course.highest }
        result.trial.latenessP99Nanoseconds = 0
        result.memory = MemoryRow(key: key).with { $0.allocatedBytesBefore = 1 }
        let time: UInt64 = rate > 100 ? 1_000_000_000 : 1_000_000
        let figures = LatencySummary(
            min: 1, mean: time, p50: time, p90: time, p95: time, p99: time, p99_9: time, p99_99: time, max: time)
        result.latency = [LatencyBasis.service, .response].map { basis in
            LatencyRow(
                key: key, labels: LatencyLabels(basis: basis), count: 1_000, throughputPerSecond: 100, latency: figures)
        }
        result.hitRate = HitRateRow(
            key: key, capacity: Capacity(entries: 1), lookups: 1_000, hits: 0, misses: 1_000
        ).with {
            ($0.bytesLookedUp, $0.bytesHit, $0.droppedOperations) = (0, 0, 0)
        }
        return result
    }
}
