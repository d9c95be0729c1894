import CacheStrategies
import Foundation
import HistoryChecking
import Testing
import TrialModel

@testable import Schedules

extension ExplorationReport {
    subscript(promise: Promise) -> ExplorationFinding? { findings.first { $0.promise == promise } }
    /// The promises that were broken.
    var broken: [Promise] { findings.filter { $0.verdict == .inconsistent }.map(\.promise) }
}

/// The findings of schedule exploration, and that they are reproducible.
@Suite(.timeLimit(.minutes(5)))
struct ExplorationTests {
    static func plan(
        script: ScheduleScript? = nil, seed: UInt64 = 1, schedules: Int, shrinks: Bool = false
    ) -> ExplorationPlan {
        ExplorationPlan().with {
            ($0.strategy, $0.script, $0.seed, $0.triesLimits) = ("any", script, seed, true)
            ($0.schedules, $0.shrinks) = (schedules, shrinks)
        }
    }

    // Its tables are only looked up and never iterated, so that it runs alike although hashes differ.
    private static let published = StrategyExplorer(
        PublishedActorCache<Int, ScriptedValue>.self, startsThreads: false)

    private static let publishedReport = Result { try published.explore(plan(schedules: 3_000)) }

    @Test func `the actor breaks no promise`() throws {
        let explorer = StrategyExplorer(ActorCache<Int, ScriptedValue>.self)
        let report = try explorer.explore(Self.plan(schedules: 3_000))
        #expect(report.broken == [], "seed 1")
        #expect(report.schedules == 3_000 && report.endlessSeed == nil)
        for finding in report.findings { #expect(finding.verdict == .consistent, "\(finding.promise)") }
    }

    @Test(arguments: [Promise.singleFlight, .cancellation, .newerWritesWin])
    func `the published actor breaks the promises listed in its description`(promise: Promise) throws {
        let report = try Self.publishedReport.get()
        let finding = try #require(report[promise])
        #expect(finding.verdict == .inconsistent, "seed 1")
    }

    @Test func `a schedule with a join that a change overtook is judged as in a check`() throws {
        let promises = Promises(coalescesLoads: true, limit: .none, keepsNewerWrites: true)
        let recorder = ScheduleRecorder()
        recorder.begin(callerCount: 3, entryLimit: nil)
        recorder.call(.load, key: 0, caller: 0)
        let start = recorder.arrive()
        recorder.call(.write, key: 0, caller: 1, version: recorder.nextWrite(caller: 1))
        recorder.finish(caller: 1, outcome: .done)
        recorder.call(.load, key: 0, caller: 2)
        let value = recorder.answer(0, arrivedAt: start, sends: true)
        recorder.finish(caller: 0, outcome: .miss, value: value)
        recorder.finish(caller: 2, outcome: .joined, value: value)
        let explored = try ScheduleJudge(promises).findings(recorder, isNew: true)
        #expect(explored == HistoryCheck(promises: promises, terms: HistoryTerms()).findings(recorder.history))
        #expect(explored.filter { $0.verdict == .inconsistent }.map(\.promise) == [.newerWritesWin])
    }

    @Test func `histories that judges tell apart have different digests`() {
        func digest(_ limit: Int?, _ change: (inout History) -> Void = { _ in }) -> UInt64 {
            var history = History(callers: [[OperationRecord(.load, key: 0, outcome: .cancelled, call: 1, answer: 2)]])
            history.samples = [StatisticsSample(call: 3, answer: 4, entryCount: 1, totalCost: nil, evictions: 0)]
            change(&history)
            var digest = TraceDigest()
            digest.add(history, entryLimit: limit, isClosed: false)
            return digest.value
        }
        let digests = [
            digest(1), digest(2), digest(nil), digest(1) { $0.callers[0][0].mayGiveUp = true },
            digest(1) { $0.callers[0][0].isIntact = false }, digest(1) { $0.samples[0].evictions = 1 },
            digest(1) { $0.samples[0].entryCount = nil }, digest(1) { $0.samples[0].totalCost = 0 },
            digest(1) { $0.losses = [2...2] }, digest(1) { $0.droppedRequests = 1 },
            digest(1) { $0.mayFailUnseen = true },
        ]
        #expect(Set(digests).count == digests.count)
    }

    @Test func `the same seed gives the same order, and another seed another`() throws {
        let first = try Self.published.explore(Self.plan(seed: 40, schedules: 300))
        #expect(try Self.published.explore(Self.plan(seed: 40, schedules: 300)) == first)
        #expect(try Self.published.explore(Self.plan(seed: 41, schedules: 300)).digest != first.digest)
        #expect(first.distinctTraces > 200)
    }

    @Test func `a schedule depends on its own seed alone`() throws {
        let seed = try #require(Self.published.explore(Self.plan(schedules: 2_000))[.singleFlight]?.firstSeed)
        #expect(seed > 1)
        let again = try Self.published.explore(Self.plan(seed: seed, schedules: 1))
        #expect(again.broken.contains(.singleFlight))
    }

    @Test func `the smallest script breaks the promise again, and nothing can be removed from it`() throws {
        let report = try Self.published.explore(Self.plan(schedules: 2_000, shrinks: true))
        let smallest = try #require(report[.singleFlight]?.smallest)
        #expect(smallest.script.operationCount <= 5)
        let again = try Self.published.explore(Self.plan(script: smallest.script, seed: smallest.seed, schedules: 1))
        #expect(again[.singleFlight]?.example == smallest.example)
        #expect(again.broken.contains(.singleFlight))
    }

    @Test func `a script is run as written`() throws {
        let script = ScheduleScript(callers: [[ScriptedOperation(.write), ScriptedOperation(.read)]])
        let report = try Self.published.explore(Self.plan(script: script, schedules: 10))
        #expect(report[.ownValues]?.verdict == .consistent)
        #expect(report.distinctTraces == 1)
        #expect(report[.noLostCaller]?.operationsChecked == 2)
    }

    @Test func `a schedule that does not end is named and is the last`() throws {
        let script = ScheduleScript(callers: [[ScriptedOperation(.read)]])
        let explorer = StrategyExplorer(EndlessCache<Int, ScriptedValue>.self)
        let report = try explorer.explore(Self.plan(script: script, seed: 9, schedules: 5))
        #expect(report.endlessSeed == 9 && report.schedules == 1)
    }

    // In a separate process, because it takes over the process.
    @Test func `a task that sleeps again and again is explored, and time passes between the operations`() async {
        await #expect(processExitsWith: .success) {
            ScheduledRunLoop.takeOverProcess()
            let sound = try StrategyExplorer(SweptActor<Int, ScriptedValue, SweepsAtOnce>.self)
                .explore(ExplorationTests.plan(schedules: 1_000))
            guard sound.broken == [], sound.endlessSeed == nil else { exit(3) }
            let faulty = try StrategyExplorer(SweptActor<Int, ScriptedValue, SweepsAfterLook>.self)
                .explore(ExplorationTests.plan(schedules: 1_000))
            guard faulty.broken.contains(.noResurrection) else { exit(4) }
        }
    }

    @Test func `every seed is reported before its schedule runs`() throws {
        var told: [UInt64] = []
        _ = try Self.published.explore(Self.plan(seed: 7, schedules: 3)) { seed in
            if let seed { told.append(seed) }
        }
        #expect(told.suffix(3) == [7, 8, 9] && Set(told) == [7, 8, 9])
    }
}

private protocol Sweeps: Sendable { static var atOnce: Bool { get } }
private enum SweepsAtOnce: Sweeps { static let atOnce = true }
private enum SweepsAfterLook: Sweeps { static let atOnce = false }

/// A cache whose task moves entries to a second table every second, at once or a while after it looked at them.
private actor SweptActor<Key: Hashable & Sendable, Value: CacheableValue, How: Sweeps>: CacheStrategy {
    static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "swept", summary: "sweeps every second", role: .control, promises: Promises(limit: .none))
    }

    private var recent: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private var sweeper: Task<Void, Never>?

    init(configuration: StrategyConfiguration) {
        Task { await self.start() }
    }

    private func start() {
        sweeper = Task { [weak self] in
            while (try? await Task.sleep(for: .seconds(1))) != nil { await self?.sweep() }
        }
    }

    private func sweep() async {
        let found = recent
        if !How.atOnce { await Task.yield() }
        for (key, value) in found { (recent[key], old[key]) = (nil, value) }
    }

    func value(forKey key: Key) -> Value? { recent[key] ?? old[key] }

    func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadUnshared(key, fetch: fetch)
    }

    func insert(_ value: Value, forKey key: Key, cost: Int) { recent[key] = value }
    func removeValue(forKey key: Key) { (recent[key], old[key]) = (nil, nil) }
    func removeAll() { (recent, old) = ([:], [:]) }
    func statistics() -> CacheStatistics { CacheStatistics() }
    func close() { sweeper?.cancel() }
}

/// A cache whose lookups never end and never wait.
private actor EndlessCache<Key: Hashable & Sendable, Value: CacheableValue>: CacheStrategy {
    static var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "endless", summary: "never answers", role: .control)
    }

    init(configuration: StrategyConfiguration) {}

    func value(forKey key: Key) async -> Value? {
        while true { await Task {}.value }
    }

    func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadUnshared(key, fetch: fetch)
    }

    func insert(_ value: Value, forKey key: Key, cost: Int) {}
    func removeValue(forKey key: Key) {}
    func removeAll() {}
    func statistics() -> CacheStatistics { CacheStatistics() }
    func close() {}
}
