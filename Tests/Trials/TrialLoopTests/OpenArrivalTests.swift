import CacheStrategies
import Foundation
import Locks
import Measurement
import Origins
import Testing
import TimedStrategies
import TrialTestSupport

@testable import TrialLoop
@testable import TrialModel

/// Open-loop arrival on a virtual clock, with the real clients.
@Suite(.timeLimit(.minutes(2)))
struct OpenArrivalTests {
    @Test func `a stall of a second is visible in response times and not in service times`() async throws {
        // 10 s at 1,000 a second; the 5,000th lookup takes a second.
        let outcome = try await run(.constant(1000), stallingLookup: 5000)
        let metrics = try #require(outcome.clientMetrics.first)
        let service = try #require(latency(of: metrics.recorder, .service))
        let response = try #require(latency(of: metrics.responseRecorder, .response))
        #expect(metrics.recorder.operations == 10_000)
        #expect(service.p99_9 ?? 0 < 10_010 && service.max == 1_000_000_000)
        // A tenth of the operations were late, by 0 to 1,000 ms uniformly.
        #expect(isNear(response.p95, 500_000_000) && isNear(response.p99, 900_000_000))
        #expect(isNear(response.max, 1_000_000_000))
        #expect((10_000...10_010).contains(response.p50 ?? 0))
        #expect(outcome.droppedOperations == 0)
        // The client was never late for the operation it waited for.
        #expect(metrics.lateness?.summary()?.max == 0)
    }

    @Test func `a stall of the machine is the lateness of all operations that became due meanwhile`() async throws {
        // 10 s at 5,000 a second; a client that sleeps over a full second wakes 100 ms late.
        let outcome = try await run(.constant(5_000), oversleeping: 100_000_000)
        let lateness = try #require(outcome.clientMetrics.first?.lateness?.summary())
        // Nine stalls: 9 % of the operations are late by 0 to 100 ms uniformly.
        #expect(isNear(lateness.p99, 88_900_000) && isNear(lateness.p95, 44_400_000), "\(lateness)")
        #expect(lateness.p50 ?? 0 < 100_000)
    }

    @Test func `operations beyond what a cache can serve are dropped, and counted`() async throws {
        // 200,000 a second where a lookup takes 10 microseconds: half of them can be sent, and those that a client
        // may send late.
        let outcome = try await run(.constant(200_000), nanoseconds: 1_000_000_000)
        let sent = try #require(outcome.clientMetrics.first).issued
        let dropped = try #require(outcome.droppedOperations)
        #expect(sent + dropped == 200_000)
        #expect((100_999...101_001).contains(sent))
    }

    @Test func `the timeline shows when the stall was`() async throws {
        let outcome = try await run(.constant(1000), stallingLookup: 5000)
        let key = RowKey(trial: TrialIdentity(scenario: "s", strategy: "x", repetition: 1), phase: "open")
        let rows = Timeline(outcome.clientMetrics.flatMap(\.slices)).rows(key: key, interval: 1_000_000_000)
            .filter { $0.operation == .all }
        #expect(rows.map(\.elapsedMilliseconds).first == 0)
        #expect(rows.map(\.count).reduce(0, +) == 10_000)
        // In the sixth second no operations end except those that caught up in its last moment.
        let quiet = rows.filter { ($0.p50 ?? 0) > 100_000 }
        #expect(quiet.count == 1)
        #expect(quiet.first.map { 4000...6000 ~= $0.elapsedMilliseconds } == true)
        #expect(rows.allSatisfy { $0.hits == 0 && $0.misses == $0.count })
    }

    @Test func `operations are taken in the order in which they are due, and the rest is drained`() throws {
        let queue = try #require(
            ArrivalQueue(scenario: Self.scenario(.constant(1000), 1_000_000_000, clients: 8), phaseIndex: 0, trace: nil)
        )
        let dues = (0..<400).compactMap { _ in queue.next()?.due }
        #expect(dues.count == 400 && dues == dues.sorted())
        #expect(queue.drain() == 600)
        #expect(queue.next() == nil)
    }

    // Clients drew their operations under a lock that all share, within the response time of a backlog.
    @Test func `operations are drawn before the clients start, and ahead of them in a long phase`() throws {
        func queue(_ seconds: UInt64) throws -> ArrivalQueue {
            let scenario = Self.scenario(.constant(1000), seconds * 1_000_000_000, clients: 8)
            return try #require(ArrivalQueue(scenario: scenario, phaseIndex: 0, trace: nil))
        }
        let short = try queue(5)
        #expect(short.readyCount == 5_000)
        let long = try queue(1_000)
        #expect(long.readyCount == ArrivalQueue.room)
        let dues = (0..<999_000).compactMap { _ in long.next()?.due }
        #expect(dues.count == 999_000 && dues == dues.sorted() && isNear(dues.last, 998_999_000_000))
        #expect((999...1_001).contains(long.drain()) && long.next() == nil)
    }

    @Test(arguments: ["lru", "none-tasks", "actor"])
    func `clients of every driver send due operations, on the real clock`(
        name: String
    ) async throws {
        var scenario = Self.scenario(.constant(2000), 200_000_000, clients: 3)
        scenario.phases[0].mix = OperationMix([.load: 3, .write: 1])
        let result = try #require(try await TrialInTests.run(name, scenario).first)
        #expect(result.trial.operations.map { $0 + (result.hitRate?.droppedOperations ?? 0) } == 400, "\(result.trial)")
        let all = result.latency.filter { $0.labels.operation == .all && $0.labels.outcome == .all }
        #expect(Set(all.map(\.labels.basis)) == [.service, .response])
        #expect(Set(all.map(\.count)).count == 1)
        let (service, response) = (all[LatencyLabels()], all[LatencyLabels(basis: .response)])
        #expect(try #require(response?.latency?.p50) >= #require(service?.latency?.min))
    }

    // MARK: -

    private func run(
        _ rate: ArrivalRate, nanoseconds: UInt64 = 10_000_000_000, stallingLookup: Int = 0,
        oversleeping: UInt64 = 0
    ) async throws -> EndedPhase {
        let scenario = Self.scenario(rate, nanoseconds, clients: 1)
        let clock = VirtualClock(oversleeping: oversleeping)
        let work = PhaseWork.inTests(
            scenario, strategy: clock.cache(stallingAt: stallingLookup), clock: clock.trialClock)
        var outcome = await ThreadClients.run(work)
        outcome.droppedOperations = work.arrivals?.drain()
        return outcome
    }

    private static func scenario(_ rate: ArrivalRate, _ nanoseconds: UInt64, clients: Int) -> Scenario {
        Scenario.inTests().with {
            $0.phases = [
                Phase(
                    name: "open", length: .duration(nanoseconds: nanoseconds), clients: clients,
                    arrival: .open(rate, .even), mix: OperationMix([.read: 1]))
            ]
        }
    }

    private func latency(of recorder: ClientRecorder, _ basis: LatencyBasis) -> LatencySummary? {
        recorder.latencies(basis: basis).last?.histogram.summary()
    }

    private func isNear(_ value: UInt64?, _ goal: UInt64) -> Bool {
        abs(Double(value ?? 0) - Double(goal)) <= Double(goal) * 0.05
    }
}

/// Think times of a closed loop, on the virtual clock.
@Suite(.timeLimit(.minutes(1)))
struct ThinkTimeTests {
    /// Lookups take 10 microseconds each.
    private static func run(_ length: PhaseLength, thinking pause: UInt64) async -> EndedPhase {
        let scenario = Scenario.inTests().with {
            $0.phases = [
                Phase(
                    name: "closed", length: length, clients: 1, thinkTime: .fixed(pause), mix: OperationMix([.read: 1]))
            ]
        }
        let clock = VirtualClock()
        return await ThreadClients.run(.inTests(scenario, strategy: clock.cache(), clock: clock.trialClock))
    }

    @Test func `a client thinks after each operation but the last one`() async {
        let outcome = await Self.run(.operations(10), thinking: 1_000_000)
        #expect(outcome.clientMetrics.first?.issued == 10)
        #expect(outcome.elapsedNanoseconds == 10 * 10_000 + 9 * 1_000_000)
    }

    @Test func `no pause lasts beyond the end of the phase`() async {
        let outcome = await Self.run(.duration(nanoseconds: 2_500_000), thinking: 1_000_000)
        #expect(outcome.clientMetrics.first?.issued == 3)
        #expect(outcome.elapsedNanoseconds == 2_500_000)
    }

    @Test func `without think time operations follow each other until the phase ends`() async {
        let outcome = await Self.run(.duration(nanoseconds: 100_000), thinking: 0)
        #expect(outcome.clientMetrics.first?.issued == 10)
        #expect(outcome.elapsedNanoseconds == 100_000)
    }
}
