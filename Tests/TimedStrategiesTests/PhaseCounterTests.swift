import BuiltInStrategies
import CSpans
import CacheStrategies
import Foundation
import Origins
import Testing
import TrialModel

@testable import TimedStrategies

/// The kernel's counter, with a software event that every Linux kernel counts: nanoseconds on a processor.
@Suite(
    .timeLimit(.minutes(1)), .serialized,
    .enabled(if: (try? CounterEvent.taskClock.check()) != nil, "the kernel denies access to its counters"))
struct PhaseCounterTests {
    private static let millisecond: UInt64 = 1_000_000
    /// An event that no kernel has.
    private static let unknown = CounterEvent(type: 1, number: 1 << 40)

    /// Keeps a processor busy for this long; only time on a processor counts.
    private static func spend(milliseconds: Int) {
        let end = clock_gettime_nsec() + UInt64(milliseconds) * millisecond
        while clock_gettime_nsec() < end {}
    }

    private static func clock_gettime_nsec() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Runs a body on a separate thread.
    private static func onThread(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            Thread {
                body()
                continuation.resume()
            }.start()
        }
    }

    private struct SlowSource: PayloadSource {
        func fetch(_ key: UInt64) async throws -> Data { Data() }

        func fetchBlocking(_ key: UInt64, deadline: Duration?) throws -> Data {
            spend(milliseconds: 30)
            return Data()
        }
    }

    /// A cache whose operations take time, and whose loads fetch.
    private static func cache(milliseconds: Int, fetches: Bool) -> OpenStrategy {
        OpenStrategy(
            kernel: { source in
                TimedKernel { kind, number, _, _ in
                    spend(milliseconds: milliseconds)
                    if fetches, kind == .load { _ = try? source.fetchBlocking(UInt64(number), deadline: nil) }
                    return TimedAnswer(0, 0, .done)
                }
            }, insert: { _, _ in }, removeAll: {}, statistics: { CacheStatistics() }, close: {})
    }

    private static func send(_ counter: OperationCounter) throws -> TimedKernel.Blocking {
        let counted = cache(milliseconds: 5, fetches: true).counted(
            beside: cache(milliseconds: 1, fetches: false), by: counter)
        return try #require(counted.kernel(SlowSource()).blocking)
    }

    @Test func `operations are counted by kind, without the work of the origin`() throws {
        let counter = OperationCounter(.taskClock)
        counter.begin()
        let send = try Self.send(counter)
        for _ in 0..<4 { _ = send(.load, 1, nil, nil) }
        for _ in 0..<2 { _ = send(.read, 1, nil, nil) }
        let tally = try #require(counter.end())
        #expect(tally.trouble == nil && tally.method == .hardware && tally.process == nil)
        #expect(tally.operations.mapValues(\.calls) == [.load: 4, .read: 2])
        #expect(tally.bare.mapValues(\.calls) == [.load: 4, .read: 2])
        let load = try #require(tally.operations[.load]).instructions
        // Four fetches take 120 ms.
        #expect(load >= 19 * Self.millisecond && load < 90 * Self.millisecond, "\(load)")
        let bare = try #require(tally.bare[.read]).instructions
        #expect(bare >= 2 * Self.millisecond && bare < 9 * Self.millisecond, "\(bare)")
    }

    @Test func `a client that continues in another thread is counted there`() async throws {
        let counter = OperationCounter(.taskClock)
        counter.begin()
        let send = try Self.send(counter)
        _ = send(.read, 1, nil, nil)
        await Self.onThread { _ = send(.read, 1, nil, nil) }
        let read = try #require(counter.end()?.operations[.read])
        #expect(read.calls == 2 && read.instructions >= 10 * Self.millisecond, "\(read)")
    }

    @Test func `a phase begins at zero`() throws {
        let counter = OperationCounter(.taskClock)
        _ = try Self.send(counter)(.read, 1, nil, nil)
        counter.begin()
        #expect(counter.end()?.operations.isEmpty == true)
    }

    @Test func `counts of a whole process include existing and new threads, and nothing from before`()
        async throws
    {
        let counter = ProcessCounter(.taskClock)
        await Self.onThread { Self.spend(milliseconds: 300) }
        let (signals, signal) = AsyncStream.makeStream(of: Void.self)
        let begun = DispatchSemaphore(value: 0)
        async let early: Void = Self.onThread {
            signal.finish()
            begun.wait()
            Self.spend(milliseconds: 40)
        }
        for await _ in signals {}
        try counter.begin()
        begun.signal()
        await early
        await Self.onThread { Self.spend(milliseconds: 40) }
        let tally = try #require(counter.end())
        #expect(tally.trouble == nil && tally.method == .hardwareProcess && tally.operations.isEmpty)
        let all = try #require(tally.process).instructions
        // Other tests may run in this process, for some of the time.
        #expect(all >= 80 * Self.millisecond, "\(all)")
    }

    @Test func `nothing is counted for an event that the kernel does not count`() throws {
        let counter = OperationCounter(Self.unknown)
        _ = try Self.send(counter)(.read, 1, nil, nil)
        let tally = try #require(counter.end())
        #expect(tally.operations.isEmpty)
        #expect(tally.trouble == "the machine, or its hypervisor, has no counter of instructions")
        #expect(throws: KernelCounterError.self) { try ProcessCounter(Self.unknown).begin() }
    }

    @Test func `a counter that did not count all the time is invalid`() {
        #expect(cache_trials_reading(value: 1, enabled: 10, running: 10).trouble == nil)
        let shared = cache_trials_reading(value: 1, enabled: 10, running: 4).trouble
        #expect(shared?.contains("counted for 4 of 10 ns") == true)
    }

    @Test func `the error of a denied counter says how to allow it`() {
        #expect(
            KernelCounterError.refusal(level: "4\n")
                == "kernel.perf_event_paranoid is 4: 'sysctl kernel.perf_event_paranoid=2' or lower allows it")
        #expect(KernelCounterError.refusal(level: "2\n").contains("seccomp"))
        #expect(KernelCounterError.refusal(level: nil) == "the kernel does not allow perf_event_open")
        #expect(KernelCounterError.refused(errno: EMFILE).description.contains("perf_event_open fails: "))
    }

    @Test func `strategies that suspend or work in the background are counted as a whole`() throws {
        #expect(Strategy.bare.counter(of: .taskClock).spans != nil)
        #expect(Strategy.bare.counter(of: nil).spans != nil)
        let actor = try #require(Self.suspending)
        #expect(actor.counter(of: .taskClock).spans == nil)
        #expect(actor.counter(of: nil).spans == nil)
    }

    private static var suspending: Strategy? { StrategyRegistry.builtIn["actor"] }
}
