import CacheTestSupport
import Foundation
import Testing
import Traces
import TrialModel
import WorkloadGeneration

/// A sweep over capacities, compared with the curve that `replay` draws of the same keys.
@Suite(.timeLimit(.minutes(3)))
struct SweptCapacityTests {
    private static let capacities = [5, 20, 60, 150, 300]

    /// One client that loads Zipf-chosen keys.
    private static let scenario = Scenario(
        name: "capacity", title: "", seed: 7, repetitions: 1,
        keys: KeySpace(kind: .integer, count: 400, popularity: .zipf(exponent: 0.8)),
        values: ValueSpecification(kind: .bytes, size: .fixed(64)), capacity: Capacity(entries: 1),
        origin: OriginSpecification(kind: .memory, delay: .fixed(0)), strategies: nil,
        phases: [Phase(name: "loads", length: .operations(3_000), clients: 1, mix: OperationMix([.load: 1]))])

    @Test(arguments: [("lru", ReplayPolicy.lru), ("sieve", .sieve)])
    func `each point of a sweep has the hits of the curve`(name: String, policy: ReplayPolicy) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("swept-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let trace = folder.appendingPathComponent("keys.lirs")
        var stream = OperationStream(scenario: Self.scenario, phaseIndex: 0, client: 0)
        var keys: [String] = []
        while let operation = stream.next() { keys.append("\(operation.key)\n") }
        try Data(keys.joined().utf8).write(to: trace)
        // All sizes at once: for LRU that is the exact curve in one pass.
        let curve = try TraceReplay(policies: [policy], capacities: Self.capacities.map { .entries($0) })
            .run(path: trace.path).results.map(\.counts.hits)

        var hits: [UInt64] = []
        for capacity in Self.capacities {
            var scenario = Self.scenario
            scenario.capacity = Capacity(entries: capacity)
            scenario.point[.capacity] = Double(capacity)
            let result = try #require(try await TrialInTests.run(name, scenario).first)
            #expect(result.trial.key.trial.scenario[.capacity] == Double(capacity))
            #expect(result.hitRate?.lookups == 3_000)
            hits.append(try #require(result.hitRate?.hits))
        }
        #expect(hits == curve)
        #expect(Set(curve).count == Self.capacities.count)
    }
}
