import BuiltInStrategies
import CacheStrategies
import Foundation
import Locks
import Measurement
import Origins
import Platform
import StrategyTestSupport
import TestTiers
import Testing
import TimedStrategies
import TrialTestSupport

@testable import TrialLoop
@testable import TrialModel

/// Trials that take turns of a fraction of a millisecond.
@Suite(.timeLimit(.minutes(3)))
struct TurnGateTests {
    /// Clients on threads, clients of a strategy that suspends, and tasks that never suspend.
    private static let names = ["lru", "actor", "none-tasks"]
    private static let settings = TurnSettings(leadIn: 50_000, slice: 150_000)
    private static let operations = TestTier.isNightly ? 12_000 : 3_000

    private static func scenario(
        _ length: PhaseLength = .operations(operations), clients: Int = 3, mix: OperationMix = OperationMix([.load: 1])
    ) -> Scenario {
        Scenario(
            name: "turns", title: "", seed: 11, repetitions: 1,
            keys: KeySpace(kind: .integer, count: 400, popularity: .zipf(exponent: 0.9)),
            values: ValueSpecification(kind: .bytes, size: .fixed(128)), capacity: Capacity(entries: 60),
            origin: OriginSpecification(kind: .memory, delay: .fixed(0)), strategies: nil,
            phases: [
                Phase(
                    name: "warm-up", length: .operations(100), clients: 1, mix: OperationMix([.load: 1]), warmUp: true),
                Phase(name: "main", length: length, clients: clients, mix: mix),
            ])
    }

    private static func run(
        _ name: String, _ scenario: Scenario = scenario(), delay: UInt64 = 0
    ) async throws -> TurnGrants {
        try await TurnGrants.run(try #require(StrategyRegistry.builtIn[name]), scenario, settings, delay: delay)
    }

    @Test(arguments: names)
    func `no operation is lost between turns, those of lead-ins are not timed, and each slice has figures`(
        name: String
    ) async throws {
        let result = try #require(try await Self.run(name).results.last)
        #expect(result.trial.status == .completed, "\(result.trial)")
        #expect(result.trial.operations == UInt64(Self.operations))
        let hitRate = try #require(result.hitRate)
        #expect(hitRate.lookups == UInt64(Self.operations))
        #expect(hitRate.hits + hitRate.misses == hitRate.lookups)
        let timed = try #require(result.latency.asCallersSee(.all)).count
        #expect(timed > 0 && timed < UInt64(Self.operations))
        let inSlices = result.slices.reduce(0) { $0 + $1.operations }
        #expect(inSlices > 0 && inSlices <= timed)
        #expect(result.slices.map(\.slice) == result.slices.indices.map { UInt64($0 + 1) })
        #expect(result.slices.allSatisfy { $0.key == result.trial.key })
        #expect(result.slices.allSatisfy { $0.operations > 0 && $0.throughputPerSecond > 0 && $0.p50Nanoseconds > 0 })
        #expect(result.timeline.isEmpty)
    }

    @Test(arguments: names) func `a trial without turns has no slices, and times every operation`(
        name: String
    ) async throws {
        let result = try #require(try await TrialInTests.run(name, Self.scenario()).last)
        #expect(result.slices.isEmpty && result.shareOutsideTurns == nil)
        #expect(result.trial.operations == UInt64(Self.operations))
        #expect(result.latency.asCallersSee(.all)?.count == UInt64(Self.operations))
    }

    @Test func `a single client hits and loads the same with turns as without`() async throws {
        let scenario = Self.scenario(
            .operations(1_000), clients: 1,
            mix: OperationMix([.read: 3, .load: 6, .write: 1, .remove: 0.5, .clear: 0.01]))
        for name in ["lru", "actor"] {
            let turns = try #require(try await Self.run(name, scenario).results.last)
            let whole = try #require(try await TrialInTests.run(name, scenario).last)
            #expect(!turns.slices.isEmpty)
            #expect(try #require(turns.hitRate) == #require(whole.hitRate), "\(name)")
            #expect(turns.trial.wrongAnswers == 0)
        }
    }

    @Test func `a trial waits before it begins, before each measured phase, and between turns`() async throws {
        var scenario = Self.scenario(.operations(1_000))
        var last = scenario.phases[1]
        last.name = "last"
        scenario.phases.append(last)
        let grants = try await Self.run("lru", scenario)
        guard case .waiting? = grants.messages.first else {
            Issue.record("the first message has another kind")
            return
        }
        let waits = grants.waits
        #expect(waits.allSatisfy { $0.version == TurnSettings.version })
        #expect(waits.map(\.phase) == waits.map(\.phase).sorted())
        #expect(waits.count { $0.phase == 0 } == 1)
        #expect(waits.count { $0.phase == 1 } > 1 && waits.count { $0.phase == 2 } > 1)
        #expect(grants.results.map(\.slices.isEmpty) == [true, false, false])
    }

    @Test(arguments: [false, true])
    func `no client calls the cache while others have their turns`(suspends: Bool) async throws {
        let times = CallTimes()
        let strategy = suspends ? Strategy(asIfItSuspended: NotedCache.self) : Strategy(NotedCache.self)
        let scenario = Self.scenario(.duration(nanoseconds: 10_000_000))
        let grants = try await CallTimes.$current.withValue(times) {
            try await TurnGrants.run(strategy, scenario, Self.settings, delay: 1_000_000)
        }
        let (calls, pauses) = (times.all, grants.pauses)
        #expect(!calls.isEmpty && pauses.count > 1)
        let within = calls.filter { call in pauses.contains { $0.start < call && call < $0.end } }
        #expect(within.isEmpty)
    }

    @Test(arguments: names)
    func `a phase that ends by the clock runs its whole time in its own turns`(name: String) async throws {
        let scenario = Self.scenario(.duration(nanoseconds: 20_000_000), clients: 2)
        let result = try #require(try await Self.run(name, scenario, delay: 1_000_000).results.last)
        #expect(result.trial.status == .completed, "\(result.trial)")
        #expect(try #require(result.trial.elapsedNanoseconds) >= 20_000_000)
    }

    @Test func `work between turns shows in the share of processor time`() async throws {
        let scenario = Self.scenario(.operations(3_000), clients: 1)
        let grants = try await TurnGrants.run(
            Strategy(BurningCache.self), scenario, Self.settings, delay: 1_000_000)
        #expect(try #require(grants.results.last?.shareOutsideTurns) > 0.01)
        #expect(grants.results.first?.shareOutsideTurns == nil)
    }
}

extension Strategy {
    fileprivate init<Cache: CacheStrategy<Int, Payload>>(asIfItSuspended type: Cache.Type) { self.init(type) }
}

/// When a cache was called, in nanoseconds on the machine's clock.
private final class CallTimes: Sendable {
    /// Where caches that are opened now record their calls.
    @TaskLocal static var current: CallTimes?

    private let times = Locked<[UInt64]>([])

    var all: [UInt64] { times.withLock { $0 } }

    func note() {
        let time = Nanoclock.now()
        times.withLock { $0.append(time) }
    }
}

/// An LRU that records when it is called.
private final class NotedCache: LoadsUnshared {
    typealias Key = Int
    typealias Value = Payload

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "noted", summary: "writes down when it is called")
    }

    private let cache: LRUCache<Int, Payload>
    private let times: CallTimes?

    init(configuration: StrategyConfiguration) {
        cache = LRUCache(configuration: configuration)
        times = CallTimes.current
    }

    func value(forKey key: Int) -> Payload? {
        times?.note()
        return cache.value(forKey: key)
    }

    func insert(_ value: Payload, forKey key: Int, cost: Int) {
        times?.note()
        cache.insert(value, forKey: key, cost: cost)
    }

    func removeValue(forKey key: Int) { cache.removeValue(forKey: key) }
    func removeAll() { cache.removeAll() }
}

/// A cache without entries whose background thread is always busy.
private final class BurningCache: LoadsUnshared {
    typealias Key = Int
    typealias Value = Payload

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "burning", summary: "works all the time")
    }

    private let isOver = Locked(false)

    init(configuration: StrategyConfiguration) {
        let isOver = self.isOver
        DedicatedThreads.start(name: "burning") {
            while !isOver.withLock({ $0 }) {}
        }
    }

    deinit { close() }

    func value(forKey key: Int) -> Payload? { nil }
    func insert(_ value: Payload, forKey key: Int, cost: Int) {}
    func removeValue(forKey key: Int) {}
    func removeAll() {}
    func close() { isOver.withLock { $0 = true } }
}

@Suite(.timeLimit(.minutes(1)))
struct SliceFiguresTests {
    /// A client whose operations all took equally long.
    private static func client(
        _ operations: Int, of latency: UInt64, in nanoseconds: UInt64, _ share: CoreShare? = nil
    ) -> ClientSlice {
        var recorder = IntervalRecorder(measured: true, isCut: true)
        recorder.begin(at: 0)
        for _ in 0..<operations { recorder.record(.read, .hit, nanoseconds: latency, at: 0) }
        return ClientSlice(recorder.cut(), nanoseconds: nanoseconds, share: share)
    }

    @Test func `a client's rate is its operations divided by its own time`() {
        let all = SliceFigures(of: [Self.client(100, of: 10, in: 1_000_000)], processorTime: 0)
        #expect(all.operationsPerSecond == 100_000 && all.waiting == nil)
    }

    @Test func `time in which another program had the core is not the client's`() {
        let share = CoreShare(waiting: 600_000, processorTime: 400_000)
        let all = SliceFigures(of: [Self.client(100, of: 10, in: 1_000_000, share)], processorTime: 400_000)
        #expect(all.operationsPerSecond == 250_000 && all.waiting == 600_000)
    }

    @Test func `time in which another thread of the strategy had the core is the client's`() {
        let share = CoreShare(waiting: 600_000, processorTime: 400_000)
        let all = SliceFigures(of: [Self.client(100, of: 10, in: 1_000_000, share)], processorTime: 900_000)
        #expect(all.operationsPerSecond == 100 * 1e9 / 900_000 && all.waiting == 100_000)
        let alone = SliceFigures(of: [Self.client(100, of: 10, in: 1_000_000, share)], processorTime: 1_500_000)
        #expect(alone.operationsPerSecond == 100_000 && alone.waiting == 0)
    }

    @Test func `a client that never had its core has no rate`() {
        let share = CoreShare(waiting: 2_000_000, processorTime: 0)
        #expect(
            SliceFigures(of: [Self.client(1, of: 10, in: 1_000_000, share)], processorTime: 0).operationsPerSecond == 0)
    }

    @Test func `the rates of clients add up, also when one of them was late`() {
        let all = SliceFigures(
            of: [Self.client(100, of: 10, in: 1_000_000), Self.client(10, of: 10, in: 10_000_000)], processorTime: 0)
        #expect(all.operations == 110)
        #expect(all.operationsPerSecond == 101_000)
    }

    @Test func `the median is that of the operations of all clients`() throws {
        let clients = [Self.client(3, of: 10, in: 1), Self.client(4, of: 20, in: 1), Self.client(3, of: 30, in: 1)]
        #expect(try abs(#require(SliceFigures(of: clients, processorTime: 0).p50) - 20) < 0.5)
    }

    @Test func `a slice without operations has neither a rate nor a median`() {
        let none = SliceFigures(of: [Self.client(0, of: 10, in: 0)], processorTime: 0)
        #expect(none.operations == 0 && none.operationsPerSecond == 0 && none.p50 == nil)
    }
}

/// Processor time in turns and between them, from made-up readings.
@Suite(.timeLimit(.minutes(1)))
struct ProcessorTimeTests {
    @Test func `time used between turns is a share of the time used in them`() {
        var time = ProcessorTime(at: 1_000)
        time.turnEnds(at: 2_000)
        time.turnBegins(at: 2_000, taker: 7)
        time.turnEnds(at: 3_000)
        time.turnBegins(at: 3_050, taker: 7)
        time.turnEnds(at: 4_050)
        #expect(time.shareOutside == 50.0 / 3_000)
    }

    @Test func `the time of the thread that takes grants is not charged to the trial`() {
        var time = ProcessorTime(at: 0)
        time.turnEnds(at: 1_000)
        time.turnBegins(at: 1_100, taker: 100)
        time.turnEnds(at: 2_100)
        // Of 80 ns, 60 are the taker's.
        time.turnBegins(at: 2_180, taker: 160)
        time.turnEnds(at: 3_180)
        #expect(time.shareOutside == 20.0 / 3_000)
    }

    @Test func `a taker that used more than the process between two turns takes nothing off the others`() {
        var time = ProcessorTime(at: 0)
        time.turnEnds(at: 1_000)
        time.turnBegins(at: 1_010, taker: 5_000)
        time.turnEnds(at: 2_010)
        time.turnBegins(at: 2_040, taker: 5_000)
        time.turnEnds(at: 3_010)
        #expect(time.shareOutside == 30.0 / 2_970)
    }

    @Test func `a phase of one turn has no share`() {
        #expect(ProcessorTime(at: 0).shareOutside == nil)
    }

    @Test func `turns that use no time have no share`() {
        var time = ProcessorTime(at: 5)
        time.turnEnds(at: 5)
        #expect(time.shareOutside == nil)
    }
}

/// The clock of a process that takes turns.
@Suite(.timeLimit(.minutes(1)))
struct TurnClockTests {
    @Test func `time passes in turns and not between them`() {
        let clock = TurnClock()
        let now = clock.cacheClock.now
        let first = now()
        clock.stop()
        let stopped = now()
        #expect(stopped >= first)
        let pause = ContinuousClock.now
        while ContinuousClock.now - pause < .milliseconds(5) { #expect(now() == stopped) }
        // A second end of the turn, as before a phase, is none.
        clock.stop()
        clock.goOn()
        let next = now()
        #expect(next >= stopped)
        clock.goOn()
        #expect(now() >= next)
        let left = CacheClock.system.now() - now()
        #expect(left >= .milliseconds(5))
    }

    @Test func `the date leaves out the same time`() {
        let clock = TurnClock()
        clock.stop()
        let pause = ContinuousClock.now
        while ContinuousClock.now - pause < .milliseconds(5) {}
        clock.goOn()
        #expect(Date().timeIntervalSince(clock.cacheClock.date()) >= 0.0049)
    }

    @Test func `a call of the timer is made once it is due, unless it is dropped before`() async {
        let timer = DueTimer()
        defer { timer.stop() }
        let (times, calls) = AsyncStream.makeStream(of: String.self)
        let dropped = timer.call(at: .max) { _ in calls.yield("dropped") }
        // The timer's thread waits for the farthest of all times here.
        await timer.sleep(until: Nanoclock.now() &+ 2_000_000)
        timer.forget(dropped)
        timer.call(at: 2) { _ in calls.yield("second") }
        await timer.sleep(until: 1)
        timer.call(at: 3) { _ in calls.finish() }
        var made: [String] = []
        for await call in times { made.append(call) }
        #expect(made == ["second"])
    }
}
