import Foundation
import HistoryChecking
import Testing
import TrialLoop
import TrialTestSupport

@testable import TrialModel

/// Trials whose clients prefetch.
@Suite(.timeLimit(.minutes(3)))
struct PrefetchingTrialTests {
    /// A walk whose clients have a longer think time than a fetch takes.
    private static func scenario(
        _ prefetching: Prefetching = Prefetching(ahead: 6), mix: [OperationKind: Double] = [.load: 3, .prefetch: 1],
        entries: Int = 100, clients: Int = 2
    ) -> Scenario {
        var phase = Phase(
            name: "walk", length: .operations(240), clients: clients, thinkTime: .fixed(1_000_000),
            mix: OperationMix(mix))
        phase.prefetching = prefetching
        return Scenario(
            name: "prefetched", title: "prefetched", seed: 7, repetitions: 1,
            keys: KeySpace(kind: .string, count: 1_000, popularity: .sequential),
            values: ValueSpecification(kind: .bytes, size: .fixed(256)), capacity: Capacity(entries: entries),
            origin: OriginSpecification(kind: .memory, delay: .fixed(300_000)), strategies: nil,
            phases: [phase])
    }

    private static func result(_ name: String, _ scenario: Scenario) async throws -> PhaseResult {
        let result = try #require(try await TrialInTests.run(name, scenario).last)
        #expect(result.trial.status == .completed && result.trial.wrongAnswers == 0, "\(name): \(result.trial.reason)")
        return result
    }

    @Test(arguments: ["lru", "s3-fifo", "shared+lru", "actor", "disk", "expiring", "lock-dual", "published-actor"])
    func `the fates of values add up`(name: String) async throws {
        let result = try await Self.result(name, Self.scenario())
        let row = try #require(result.prefetch)
        #expect(row.isOwn == (name == "disk"))
        #expect(row.calls > 20 && row.keysNamed >= row.calls)
        let values = [row.used, row.joined, row.overtaken, row.evicted, row.unused].compactMap(\.self)
        #expect(values.reduce(0, +) + row.cancelled + row.failed == row.requests, "\(row)")
        #expect(row.requests > 0 && row.failed == 0, "\(row)")
        #expect(row.late == 0, "\(row)")
        let lookups = try #require(result.hitRate).lookups
        #expect(lookups + row.calls == 240)
        // Each fetch is the clients' own or a prefetch's.
        #expect((result.hitRate?.originLoads ?? 0) >= row.requests)
    }

    @Test func `a prefetched walk hits, and one without prefetches misses`() async throws {
        let prefetched = try await Self.result("lru", Self.scenario())
        let plain = try await Self.result("lru", Self.scenario(mix: [.load: 1]))
        #expect(plain.hitRate?.hits == 0 && plain.prefetch?.requests == 0 && plain.prefetch?.calls == 0)
        #expect((prefetched.hitRate?.hits ?? 0) > 20, "\(String(describing: prefetched.prefetch))")
    }

    @Test func `wrong guesses are wasted or cancelled`() async throws {
        let row = try #require(
            try await Self.result("lru", Self.scenario(Prefetching(ahead: 6, accuracy: 0), clients: 1)).prefetch)
        #expect((row.used ?? 1) + (row.joined ?? 1) < row.requests / 4, "\(row)")
        #expect((row.unused ?? 0) + (row.evicted ?? 0) + row.cancelled > row.requests / 2, "\(row)")
    }

    @Test func `a cache smaller than the prefetch loses its prefetched values`() async throws {
        let row = try #require(
            try await Self.result("lru", Self.scenario(Prefetching(ahead: 12), entries: 4, clients: 1)).prefetch)
        #expect((row.evicted ?? 0) > 0, "\(row)")
    }

    @Test func `a race has no row, and a counted run no prefetch`() async throws {
        let race = try await TrialInTests.run("lru", Self.scenario().contended(phaseNanoseconds: 50_000_000), .races)
        #expect(race.last?.prefetch?.requests == 0)
        #expect(try await Self.result("lru", Self.scenario().counted()).prefetch == nil)
    }

    @Test func `a checked trial includes prefetched values`() async throws {
        var scenario = Self.scenario()
        scenario.check = true
        for name in ["lru", "shared+lru", "disk", "actor"] {
            let messages = try await TrialInTests.messages(name, scenario)
            for message in messages {
                guard case .judged(let findings) = message else { continue }
                let values = findings.first { $0.promise == .ownValues }
                #expect(values?.verdict == .consistent && (values?.operationsChecked ?? 0) > 0, "\(name): \(findings)")
                #expect(findings.allSatisfy { $0.violations == 0 }, "\(name): \(findings)")
            }
        }
    }
}
