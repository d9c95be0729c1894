import Foundation
import Origins
import Testing
import Traces
import TrialLoop
import TrialTestSupport
import WorkloadGeneration

@testable import TrialModel
@testable import TrialSessions

/// Trials whose keys come from a trace, compared with the replay of the same trace.
@Suite(.timeLimit(.minutes(3)))
struct TracedTrialTests {
    @Test(arguments: ["lru", "disk", "unbounded", "none"])
    func `a single client has exactly the hits of a replay`(name: String) async throws {
        let file = try TraceFile(Self.keysOnly(), "keys.lirs")
        let scenario = try file.scenario(entries: 40, format: .lirs)
        let result = try #require(try await TrialInTests.run(name, scenario).first)
        #expect(result.trial.status == .completed, "\(result.trial)")
        #expect(result.trial.wrongAnswers == 0)
        let policy: ReplayPolicy =
            switch name {
            case "unbounded": .unbounded
            case "none": .none
            default: .lru
            }
        let replayed = try file.replay(policy, .entries(40), format: .lirs)
        #expect(result.hitRate?.lookups == replayed.requests)
        #expect(result.hitRate?.hits == replayed.hits)
        #expect(result.hitRate?.originLoads == replayed.misses)
    }

    @Test func `the bytes of a single client are those of a replay with sizes and removals`() async throws {
        let file = try TraceFile(Self.withSizes(), "sized.csv")
        var scenario = try file.scenario(entries: 40, format: .csv)
        scenario.phases[0].mix = .traced
        var tables = KeyTableFiles(folder: file.folder.path)
        scenario.values.traced = TracedValues(sizes: true, lifetimes: false)
        scenario = try tables.prepare(scenario)
        let result = try #require(try await TrialInTests.run("lru", scenario).first)
        #expect(result.trial.status == .completed, "\(result.trial)")
        let replayed = try file.replay(.lru, .entries(40), format: .csv)
        #expect(result.hitRate?.hits == replayed.hits)
        #expect(result.hitRate?.lookups == replayed.requests)
        #expect(result.hitRate?.bytesLookedUp == replayed.bytesRequested)
        #expect(result.hitRate?.bytesHit == replayed.bytesHit)
        #expect((result.hitRate?.removals ?? 0) > 0)
    }

    @Test func `several clients replay every request once`() async throws {
        let file = try TraceFile(Self.keysOnly(), "keys.lirs")
        var scenario = try file.scenario(entries: 10_000, format: .lirs)
        scenario.phases[0].clients = 3
        let result = try #require(try await TrialInTests.run("actor", scenario).first)
        #expect(result.trial.status == .completed, "\(result.trial)")
        #expect(result.hitRate?.lookups == 2_000)
        // Nothing is evicted and loads are shared: each key is loaded once.
        #expect(result.hitRate?.originLoads == UInt64(scenario.keys.count))
    }

    @Test(arguments: [TrialPurpose.times, .races])
    func `a contended trial draws from the trace as well`(purpose: TrialPurpose) async throws {
        let file = try TraceFile(Self.withSizes(), "sized.csv")
        var scenario = try file.scenario(entries: 40, format: .csv)
        var tables = KeyTableFiles(folder: file.folder.path)
        scenario.values.traced = TracedValues(sizes: true, lifetimes: false)
        scenario.values.size = .uniform(min: 64, max: 8192)
        scenario = try tables.prepare(scenario).contended(phaseNanoseconds: 50_000_000)
        #expect(scenario.values.traced?.sizeScale == 0.5)
        let result = try #require(try await TrialInTests.run("lru", scenario, purpose).first)
        #expect(result.trial.status == .completed, "\(result.trial)")
        #expect((result.hitRate?.lookups ?? 0) > 0)
    }

    @Test func `a trace that has changed since it was checked ends the trial`() async throws {
        let file = try TraceFile(Self.keysOnly(), "keys.lirs")
        let scenario = try file.scenario(entries: 40, format: .lirs)
        try Data("1\n2\n".utf8).write(to: file.url)
        await #expect(throws: TraceWorkloadError.changed(file.url.path)) {
            _ = try await TrialInTests.run("lru", scenario)
        }
    }

    @Test func `the bounds of a trace's sizes are those of a payload`() {
        #expect(Int(KeyTrace.sizeRange.lowerBound) == PayloadLimits.byteCountMin)
        #expect(Int(KeyTrace.sizeRange.upperBound) == PayloadLimits.byteCountMax)
    }

    // MARK: - Traces

    /// 2,000 requests for up to 200 keys, the low ones more often.
    private static func keysOnly() -> String {
        var random = RandomSource(seed: 5, stream: 1)
        return (0..<2_000).map { _ in "\(1_000 + random.next(below: 1 + random.next(below: 200)))\n" }.joined()
    }

    /// The same with a size for each key and occasional removals.
    private static func withSizes() -> String {
        var random = RandomSource(seed: 6, stream: 1)
        let lines = (0..<2_000).map { _ in
            let key = random.next(below: 1 + random.next(below: 200))
            return "\(key),\(100 + key * 7),\(random.next(below: 20) == 0 ? "delete" : "get")\n"
        }
        return "key,size,operation\n" + lines.joined()
    }
}

/// A trace in its own folder, which is removed with it.
private final class TraceFile {
    let folder: URL
    let url: URL

    init(_ text: String, _ name: String) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("traced-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: url)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// One client that loads every request once.
    func scenario(entries: Int, format: TraceFormat) throws -> Scenario {
        var trace = KeyTrace(path: url.path, format: format)
        let facts = try TraceWorkload(trace).facts
        trace.requestCount = facts.requestCount
        return Scenario(
            name: "traced", title: "", seed: 3, repetitions: 1,
            keys: KeySpace(kind: .string, count: facts.keyCount, popularity: .uniform, trace: trace),
            values: ValueSpecification(kind: .bytes, size: .fixed(100)), capacity: Capacity(entries: entries),
            origin: OriginSpecification(kind: .memory, delay: .fixed(0)), strategies: nil,
            phases: [
                Phase(
                    name: "replay", length: .operations(facts.requestCount), clients: 1, mix: OperationMix([.load: 1]))
            ])
    }

    func replay(_ policy: ReplayPolicy, _ capacity: ReplayCapacity, format: TraceFormat) throws -> ReplayCounts {
        let outcome = try TraceReplay(policies: [policy], capacities: [capacity], jobs: 1)
            .run(path: url.path, format: format)
        return try #require(outcome.results.first).counts
    }
}
