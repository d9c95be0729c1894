import CacheStrategies
import Foundation
import Reports
import Testing
import TimedStrategies

@testable import CacheTrials
@testable import TrialModel
@testable import TrialSessions

/// `count` with the kernel's counter, from the plan to the result folder. The event is nanoseconds on a
/// processor, which every Linux kernel counts, because few virtual machines have a counter of instructions.
@Suite(
    .timeLimit(.minutes(5)), .serialized,
    .enabled(if: (try? CounterEvent.taskClock.check()) != nil, "the kernel denies access to its counters"))
struct KernelCountedRunTests {
    private static let scenario = Scenario(
        name: "few", title: "A few operations of each kind.", seed: 1, repetitions: 1,
        keys: KeySpace(kind: .string, count: 40, popularity: .uniform, shift: nil),
        values: ValueSpecification(kind: .bytes, size: .fixed(64)), capacity: Capacity(entries: 20),
        origin: OriginSpecification(kind: .memory, delay: .fixed(0)),
        strategies: ["lru", "actor", "none-tasks"],
        phases: [
            Phase(name: "fill", length: .operations(40), clients: 3, mix: OperationMix([.load: 1]), warmUp: true),
            Phase(
                name: "mixed", length: .operations(600), clients: 1,
                mix: OperationMix([.read: 4, .load: 3, .write: 2, .remove: 1])),
            Phase(name: "crowd", length: .operations(20), clients: 2, mix: OperationMix([.read: 1])),
        ])

    /// The phases of a run, by strategy and phase.
    private func results(_ event: CounterEvent) async throws -> (exitCode: Int32, results: [[String]: PhaseResult]) {
        let folder = try TemporaryFolder()
        let output = "\(folder.path)/out"
        let file = ScenarioArguments.File(path: "few.yaml", scenario: Self.scenario, sha256: "aa")
        let run = RunWork(
            request: RunRequest(files: [file], chosen: nil, isCounted: true), output: output, resume: false,
            quiet: true, budget: nil, deadline: nil, counter: .kernel(event))
        let surroundings = Surroundings(program: Program.path) { _, _ in }
        let exitCode = try await Surroundings.$current.withValue(surroundings) {
            try await TrialExitCode.of { try await run.carryOut(format: .tables(.csv)) }.rawValue
        }
        let pairs = try ResultFolder.read(at: output).map { result in
            ([result.trial.key.trial.strategy, result.trial.key.phase], result)
        }
        return (exitCode, Dictionary(pairs) { first, _ in first })
    }

    @Test func `the kernel counts operations, or the whole process, and nothing is timed`() async throws {
        let (exitCode, results) = try await results(.taskClock)
        #expect(exitCode == 0)
        #expect(results.count == 9)
        #expect(results.values.allSatisfy { $0.trial.status == .completed && $0.trial.elapsedNanoseconds == nil })
        #expect(results.values.flatMap(\.latency).allSatisfy { $0.latency == nil && $0.throughputPerSecond == nil })
        for strategy in ["lru", "actor", "none-tasks"] {
            let rows = try #require(results[[strategy, "mixed"]]).latency.filter { $0.counts != nil }
            let isWhole = strategy == "actor"
            let kinds = isWhole ? ["all"] : ["all", "load", "read", "remove", "write"]
            #expect(rows.map(\.labels.operation.rawValue).sorted() == kinds, "\(strategy)")
            // The operations of `none` take no longer than those of the empty cache, so nothing may be left after the
            // subtraction.
            let method = isWhole ? InstructionCounts.Method.hardwareProcess : .hardware
            #expect(
                rows.allSatisfy { $0.counts?.method == method && ($0.counts?.instructions ?? -1) >= 0 }, "\(strategy)")
            #expect(results[[strategy, "crowd"]]?.latency.allSatisfy { $0.counts == nil } == true)
        }
        let lru = try #require(results[["lru", "mixed"]]).latency.filter { $0.counts != nil }
        let sum = lru.filter { $0.labels.operation != .all }.reduce(0) {
            $0 + Double($1.count) * ($1.counts?.instructions ?? 0)
        }
        let all = try #require(lru.first { $0.labels.operation == .all })
        #expect(abs(sum / (Double(all.count) * (all.counts?.instructions ?? 0)) - 1) < 0.001)
    }

    @Test func `where the kernel does not count, operations are invalid and say so`() async throws {
        let (exitCode, results) = try await results(CounterEvent(type: 1, number: 1 << 40))
        #expect(exitCode == 2)
        let trial = try #require(results[["lru", "mixed"]]).trial
        #expect(trial.status == .invalid)
        #expect(trial.reason.contains("has no counter of instructions"), "\(trial.reason)")
        #expect(results[["lru", "crowd"]]?.trial.status == .completed)
        #expect(results[["actor", "mixed"]]?.trial.status != .completed)
    }
}
