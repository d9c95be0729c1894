import CacheStrategies
import Measurement
import Origins
import Testing

@testable import TimedStrategies
@testable import TrialLoop
@testable import TrialModel

/// Whether the cache or the harness was too slow for an open loop, on a virtual clock.
@Suite(.timeLimit(.minutes(2)))
struct GeneratorTroubleTests {
    // Lookups take 10 microseconds of the clock. The time of the whole phase was compared with that of the cache.
    @Test func `operations that a stall of the cache drops at the end are the cache's`() async throws {
        // The 9,900th of 10,000 lookups takes a second.
        let row = try await Self.run(.constant(1_000), VirtualClock(), stallingLookup: 9_900)
        #expect(row.status == .completed && row.dropped > 50, "\(row)")
    }

    @Test func `operations that are dropped in a late overload are the cache's`() async throws {
        let late = ArrivalRate(
            pieces: [
                .init(nanoseconds: 9_000_000_000, first: 1_000, last: 1_000),
                .init(nanoseconds: 1_000_000_000, first: 200_000, last: 200_000),
            ], repeats: false)
        let row = try await Self.run(late, VirtualClock())
        #expect(row.status == .completed && row.dropped > 90_000, "\(row)")
    }

    @Test func `a harness that takes longer than the cache makes the phase invalid, however late it falls behind`()
        async throws
    {
        let late = ArrivalRate(
            pieces: [
                .init(nanoseconds: 2_000_000_000, first: 1_000, last: 1_000),
                .init(nanoseconds: 500_000_000, first: 200_000, last: 200_000),
            ], repeats: false)
        for rate in [late, .constant(200_000)] {
            let row = try await Self.run(rate, VirtualClock(reading: 10_000), nanoseconds: 2_500_000_000)
            #expect(row.status == .invalid && row.dropped > 50_000, "\(row)")
            #expect(row.reason.contains("waited for the cache only 33 % of the time"), "\(row.reason)")
        }
    }

    @Test func `operations that the machine drops, because a client wakes after the end, make the phase invalid`()
        async throws
    {
        let row = try await Self.run(
            .constant(1_000), VirtualClock(oversleeping: 100_000_000), nanoseconds: 1_005_000_000)
        #expect(row.status == .invalid && row.dropped == 4, "\(row)")
    }

    @Test func `a task that waits for a thread which the cache keeps is not late by the harness`() throws {
        let row = try Self.runTask(lookup: 10_000, waking: 50_000_000)
        #expect(row.status == .completed && row.lateness == 0, "\(row)")
    }

    @Test func `operations that tasks drop because lookups keep their threads are the cache's`() throws {
        let row = try Self.runTask(lookup: 50_000_000, yielding: 100_000_000)
        #expect(row.status == .completed && row.dropped > 1_900 && row.lateness == nil, "\(row)")
    }

    // MARK: -

    private struct Row {
        var status: TrialStatus
        var reason: String
        var dropped: UInt64
        var lateness: UInt64?
    }

    private static func work(
        _ rate: ArrivalRate, _ clock: VirtualClock, _ nanoseconds: UInt64, stallingLookup: Int = 0
    ) -> PhaseWork {
        let scenario = Scenario.inTests().with {
            $0.phases = [
                Phase(
                    name: "open", length: .duration(nanoseconds: nanoseconds), clients: 1, arrival: .open(rate, .even),
                    mix: OperationMix([.read: 1]))
            ]
        }
        return .inTests(scenario, strategy: clock.cache(stallingAt: stallingLookup), clock: clock.trialClock)
    }

    private static func run(
        _ rate: ArrivalRate, _ clock: VirtualClock, nanoseconds: UInt64 = 10_000_000_000, stallingLookup: Int = 0
    ) async throws -> Row {
        let work = work(rate, clock, nanoseconds, stallingLookup: stallingLookup)
        return row(work, await ThreadClients.run(work))
    }

    /// Runs a client as a task for two seconds, in which 2,000 operations are due.
    ///
    /// - Parameters:
    ///   - wake: how long it waits for a thread of the pool each time that it was woken.
    ///   - yield: the same each time that it let others run.
    private static func runTask(lookup: UInt64, waking wake: UInt64 = 0, yielding yield: UInt64 = 0) throws -> Row {
        let clock = VirtualClock()
        let work = work(.constant(1_000), clock, 2_000_000_000)
        var client = Client(work, index: 0)
        let released = clock.now
        client.begin(at: released)
        var yieldTime = released + 1
        loop: while true {
            switch client.step(nil, sendsLoads: false, yieldingAt: yieldTime) {
            case .finished: break loop
            case .yield:
                clock.advance(by: yield)
                client.resume()
                yieldTime = client.ended + 500_000
            case .sleep(let time):
                work.clock.sleep(time)
                let seen = clock.now
                clock.advance(by: wake)
                client.wake(at: clock.now, seen: seen)
            case .send(let operation, _):
                let start = clock.now
                clock.advance(by: lookup)
                client.record(operation, TimedAnswer(start, clock.now, .miss))
            case .awaitTurn: Issue.record("an open loop takes no turns")
            }
        }
        client.finish()
        return row(work, EndedPhase([(client, released, clock.now)]))
    }

    private static func row(_ work: PhaseWork, _ outcome: EndedPhase) -> Row {
        var ended = outcome
        ended.droppedOperations = work.arrivals?.drain()
        let (trial, memory) = (TrialIdentity(scenario: "s", strategy: "x", repetition: 1), MemoryMeter.read())
        let summary = PhaseSummary(
            key: RowKey(trial: trial, phase: "open"), work: work, driver: .threads, ended: ended,
            originLog: OriginLog(), statisticsBefore: CacheStatistics(), statisticsAfter: CacheStatistics(),
            memoryBefore: memory, memoryAfter: memory, startSeconds: nil, pressure: nil,
            invalidations: [], hitRatioBefore: nil, promises: Promises())
        let result = summary.result()
        #expect(result.isHarnessLimited == (result.trial.status == .invalid))
        return Row(
            status: result.trial.status, reason: result.trial.reason,
            dropped: result.hitRate?.droppedOperations ?? 0, lateness: ended.lateness?.summary()?.max)
    }
}
