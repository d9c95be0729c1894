import BuiltInStrategies
import CacheStrategies
import Foundation
import HistoryChecking
import Origins
import Platform
import StrategyTestSupport
import TestTiers
import Testing
import TimedStrategies
import TrialTestSupport
import WorkloadGeneration

@testable import TrialLoop
@testable import TrialModel

/// Trials in which events remove keys while clients use the cache.
@Suite(.timeLimit(.minutes(3)))
struct InvalidatedTrialTests {
    private static func scenario(
        share: Double = 1, delay: UInt64 = 2_000_000, check: Bool = false, mix: OperationMix = OperationMix([.load: 1])
    ) -> Scenario {
        var phase = Phase(name: "events", length: .duration(nanoseconds: 150_000_000), clients: 4, mix: mix)
        phase.invalidation = .defaults.with { ($0.every, $0.share) = (10_000_000, share) }
        return Scenario(
            name: "invalidated", title: "invalidated", seed: 7, repetitions: 1,
            keys: KeySpace(kind: .string, count: 60, popularity: .zipf(exponent: 0.8)),
            values: ValueSpecification(kind: .bytes, size: .fixed(256)), capacity: Capacity(entries: 100),
            origin: OriginSpecification(kind: .memory, delay: .fixed(delay)), strategies: nil, phases: [phase]
        ).with { $0.check = check }
    }

    /// The result of the only phase, of the first trial whose row is as needed: on a busy machine, a phase may end before
    /// its first event.
    private static func result(
        of strategy: Strategy, _ scenario: Scenario, where isUsable: (InvalidationRow) -> Bool
    ) async throws -> PhaseResult {
        for _ in 0..<attemptsMax {
            let messages = try await TrialInTests.messages(of: strategy, scenario)
            let results = messages.compactMap { if case .phaseFinished(let result) = $0 { result } else { nil } }
            let result = try #require(results.first)
            if try isUsable(#require(result.invalidation)) { return result }
        }
        throw NeverSeen()
    }

    private static let attemptsMax = 100

    private struct NeverSeen: Error {}

    private static let names =
        StrategyRegistry.builtIn.defaults.map(\.declaration).filter(\.promises.keepsNewerWrites).map(
            \.name) + ["shared+lru", "actor-lru"]

    @Test(arguments: TestTier.isNightly ? names : ["lru", "actor", "disk"], [0.3, 1])
    func `a strategy that keeps newer writes has no stale answer`(name: String, share: Double) async throws {
        let mix = OperationMix([.load: 8, .read: 4, .write: 1, .burst: 1])
        let strategy = try #require(StrategyRegistry.builtIn[name])
        let result = try await Self.result(of: strategy, Self.scenario(share: share, mix: mix)) { $0.events > 0 }
        let row = try #require(result.invalidation)
        #expect(row.events > 0 && (row.keysRemoved == 0) == (share == 1), "\(row)")
        #expect(row.staleAnswers == 0 && row.staleKeys == 0, "\(row)")
        #expect(result.trial.status == .completed && result.trial.wrongAnswers == 0, "\(result.trial)")
    }

    @Test(arguments: [0.5, 1]) func `a load that outlives the removal of its key leaves stale answers`(
        share: Double
    ) async throws {
        let strategy = Strategy(StoresWhatItFetched.self)
        let result = try await Self.result(of: strategy, Self.scenario(share: share)) { $0.staleAnswers ?? 0 > 0 }
        let row = try #require(result.invalidation)
        #expect((row.staleAnswers ?? 0) > 0 && (row.staleKeys ?? 0) > 0 && (row.loadsInFlight ?? 0) > 0, "\(row)")
        #expect(result.trial.wrongAnswers == row.staleAnswers)
        #expect(result.trial.reason.contains("had a value that was requested before the event"))
    }

    /// The findings about a strategy, of the first checked trial in which an event came.
    private static func findings(_ strategy: Strategy) async throws -> [PromiseFinding] {
        for _ in 0..<attemptsMax {
            let messages = try await TrialInTests.messages(of: strategy, scenario(check: true))
            let results = messages.compactMap { if case .phaseFinished(let result) = $0 { result } else { nil } }
            guard results.first?.invalidation?.events ?? 0 > 0 else { continue }
            return Array(messages.compactMap { if case .judged(let found) = $0 { found } else { nil } }.joined())
        }
        throw NeverSeen()
    }

    @Test func `removals belong to the history of a checked trial`() async throws {
        let findings = try await Self.findings(try #require(StrategyRegistry.builtIn["lru"]))
        let complete: [TrialModel.Promise] = [.ownValues, .newerWritesWin, .counts, .noLostCaller]
        #expect(findings.count { complete.contains($0.promise) && $0.verdict == .consistent } == 4, "\(findings)")
        for _ in 0..<Self.attemptsMax {
            let findings = try await Self.findings(Strategy(StoresWhatItFetched.self))
            if findings.contains(where: { $0.promise == .newerWritesWin && $0.verdict == .inconsistent }) { return }
        }
        Issue.record("a cache that stores what it fetched is never found")
    }

    @Test func `a race has events and no row, and counted instructions have neither`() async throws {
        let race = try await TrialInTests.run("lru", Self.scenario().contended(), .races)
        #expect(race.first?.invalidation == nil && race.first?.trial.status == .completed)
        #expect(Self.scenario().counted().phases[0].invalidation == nil)
    }
}

/// Which answers are stale, from the records of clients.
@Suite(.timeLimit(.minutes(1)))
struct InvalidationSummaryTests {
    private static let payloads = PayloadFactory(
        specification: ValueSpecification(kind: .bytes, size: .fixed(64)), seed: 1)
    private static let key = RowKey(trial: TrialIdentity(scenario: "s", strategy: "x", repetition: 1), phase: "p")

    private static func answer(
        _ outcome: Outcome, version: UInt64, _ span: TimeSpan, fetch: UInt64 = 0, lastFetch: UInt64? = nil
    ) -> EndedOperation {
        let value = payloads.payload(key: 3, version: version)
        let answer: TimedAnswer.Answer =
            switch outcome {
            case .hit: .hit(value)
            case .joined: .joined(value)
            default: .loaded(value)
            }
        var ended = EndedOperation(
            operation: WorkloadGeneration.Operation(kind: .load, key: 3),
            answer: TimedAnswer(span.start, span.end, answer), outcome: outcome)
        if fetch > 0 { ended.fetch = FetchTimes(began: fetch, ended: span.end, lastBegan: lastFetch ?? fetch) }
        return ended
    }

    private static func write(version: UInt64, _ span: TimeSpan) -> EndedOperation {
        var ended = EndedOperation(
            operation: WorkloadGeneration.Operation(kind: .write, key: 3),
            answer: TimedAnswer(span.start, span.end, .done), outcome: .done)
        ended.written = payloads.payload(key: 3, version: version)
        return ended
    }

    /// The row of one event from 100 to 110, and of some answers of one client.
    private static func row(_ answers: [EndedOperation], knowsEvent: Bool = true) -> InvalidationRow {
        let log = InvalidationLog()
        let event = InvalidationEvents.Event(began: 100, ended: 110, keysRemoved: 1)
        if knowsEvent { log.append(event) }
        var metrics = InvalidationMetrics(log, keyCount: 8)
        for answer in answers { metrics.record(answer) }
        return InvalidationSummary(invalidation: .defaults, events: [event], metrics: metrics, seed: 1).row(key: key)
            .row
    }

    @Test func `a value requested before the event and found after it is stale`() {
        let row = Self.row([
            Self.answer(.miss, version: 1, TimeSpan(80, 120), fetch: 90),
            Self.answer(.hit, version: 1, TimeSpan(130, 131)), Self.answer(.joined, version: 1, TimeSpan(140, 141)),
        ])
        #expect(row.staleAnswers == 2 && row.staleKeys == 1 && row.loadsInFlight == 1)
    }

    @Test func `a value requested during the event or later is fresh, though its load began before`() {
        let late = Self.row([
            Self.answer(.miss, version: 1, TimeSpan(80, 120), fetch: 101),
            Self.answer(.hit, version: 1, TimeSpan(130, 131)),
        ])
        #expect(late.staleAnswers == 0)
        let next = Self.row([
            Self.answer(.miss, version: 1, TimeSpan(80, 95), fetch: 90),
            Self.answer(.miss, version: 2, TimeSpan(111, 120), fetch: 112),
            Self.answer(.hit, version: 2, TimeSpan(130, 131)),
        ])
        #expect(next.staleAnswers == 0 && next.loadsInFlight == 0)
    }

    @Test func `the value of a load that fetches again during the event is fresh`() {
        let row = Self.row([
            Self.answer(.miss, version: 1, TimeSpan(80, 120), fetch: 90, lastFetch: 112),
            Self.answer(.hit, version: 1, TimeSpan(130, 131)),
        ])
        #expect(row.staleAnswers == 0)
    }

    @Test func `a write that returns after the event is fresh, and one that returned before it is stale`() {
        for (end, stale) in [(95, 1), (105, 0)] as [(UInt64, UInt64)] {
            let row = Self.row([
                Self.write(version: 1, TimeSpan(80, end)), Self.answer(.hit, version: 1, TimeSpan(130, 131)),
            ])
            #expect(row.staleAnswers == stale, "\(end)")
        }
    }

    @Test func `an answer that was requested before the event ended is not stale`() {
        let row = Self.row([
            Self.answer(.miss, version: 1, TimeSpan(80, 95), fetch: 90),
            Self.answer(.hit, version: 1, TimeSpan(109, 130)),
        ])
        #expect(row.staleAnswers == 0)
    }

    @Test func `a version whose request was not seen is stale only if it was found before the event`() {
        let unseen = [
            Self.answer(.miss, version: 1, TimeSpan(80, 95)), Self.answer(.hit, version: 2, TimeSpan(130, 131)),
        ]
        #expect(Self.row(unseen).staleAnswers == 0)
        let seen = [unseen[0], Self.answer(.hit, version: 2, TimeSpan(97, 99)), unseen[1]]
        #expect(Self.row(seen).staleAnswers == 1)
    }

    @Test func `a value of an earlier phase is stale after an event`() {
        #expect(Self.row([Self.answer(.hit, version: 1, TimeSpan(130, 131))]).staleAnswers == 1)
    }

    @Test func `a share of the keys is removed, another one by each event`() {
        let invalidation = Invalidation.defaults.with { $0.share = 0.3 }
        let removed = (0..<4).map { event in
            Set((0..<10_000 as Range<UInt32>).filter { invalidation.removes($0, event: event, seed: 5) })
        }
        #expect(removed.allSatisfy { (2_800...3_200).contains($0.count) })
        #expect((700...1_100).contains(removed[0].intersection(removed[1]).count))
    }

    @Test func `the hit ratio before, after and the time until it is back`() throws {
        let log = InvalidationLog()
        let event = InvalidationEvents.Event(began: 1_000_000, ended: 1_000_010, keysRemoved: 1)
        var metrics = InvalidationMetrics(log, keyCount: 8)
        for index in 0..<3_000 as Range<UInt64> {
            let isHit = index < 1_000 || index >= 2_000
            metrics.record(Self.answer(isHit ? .hit : .miss, version: 1, TimeSpan(index * 1_000, index * 1_000 + 900)))
        }
        let row = InvalidationSummary(invalidation: .defaults, events: [event], metrics: metrics, seed: 1)
            .row(key: Self.key).row
        #expect(row.hitRatioBefore == 1 && row.hitRatioAfter == 0 && row.eventsRecovered == 1)
        // 90 % of 256 lookups are 231 hits; blocks are of 16.
        let recovery = try #require(row.recoveryNanoseconds)
        #expect((1_225_000...1_265_000).contains(recovery), "\(recovery)")
    }
}

/// Puts what it fetched into its entries even if the key was removed meanwhile, though it promises that it doesn't.
private final class StoresWhatItFetched: LoadsUnshared, @unchecked Sendable {
    // Sound although unchecked: `entries` is accessed only while `lock` is held.
    private let lock = NSLock()
    private var entries: [String: Payload] = [:]

    init(configuration: StrategyConfiguration) {}

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "stores-what-it-fetched", summary: "forgets removals during a load",
            promises: Promises(limit: .none, keepsNewerWrites: true))
    }

    func value(forKey key: String) -> Payload? { lock.withLock { entries[key] } }
    func insert(_ value: Payload, forKey key: String, cost: Int) { lock.withLock { entries[key] = value } }
    func removeValue(forKey key: String) { lock.withLock { entries[key] = nil } }
    func removeAll() { lock.withLock { entries = [:] } }

    func loadBlocking(_ key: String, fetch: () throws -> Data) throws -> Loaded<Payload> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        let value = try Payload(encoded: try fetch())
        insert(value, forKey: key, cost: value.cost)
        return Loaded(value, .loaded)
    }
}
