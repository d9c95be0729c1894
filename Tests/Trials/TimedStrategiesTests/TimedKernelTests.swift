import CacheStrategies
import Foundation
import Locks
import Origins
import Platform
import StrategyTestSupport
import Testing
import TrialModel

@testable import TimedStrategies

/// The answers of a strategy's kernel, for every operation.
@Suite(.timeLimit(.minutes(1)))
struct TimedKernelTests {
    private struct Failure: Error {}

    /// Returns each key's payload; key 3 fails.
    private struct Source: PayloadSource {
        func fetch(_ key: UInt64) async throws -> Data { try fetchBlocking(key, deadline: nil) }

        func fetchBlocking(_ key: UInt64, deadline: Duration?) throws -> Data {
            if deadline != nil { throw CancellationError() }
            if key == 3 { throw Failure() }
            return try TimedKernelTests.payloads.encoded(key: key, version: 1)
        }
    }

    private static let payloads = PayloadFactory(
        specification: ValueSpecification(kind: .bytes, size: .fixed(128)), seed: 5)

    private static func kernel(_ kind: KeyKind, isSharing: Bool = false) throws -> TimedKernel {
        let plain = Strategy(
            LRUCache<Int, Payload>.self, LRUCache<String, Payload>.self, LRUCache<URL, Payload>.self)
        let lru = isSharing ? plain.sharingLoads : plain
        return try lru.opening(kind, keyCount: 4)(StrategyConfiguration(entryLimit: 10)).kernel(Source())
    }

    @Test func `an answer fits into registers, for hits in every tier`() {
        #expect(MemoryLayout<TimedAnswer>.size <= 32 && MemoryLayout<TimedAnswer.Answer>.size == 8)
    }

    @Test func `a cache with two tiers reports the tier of a hit, and others don't`() async throws {
        let dual = Strategy(
            DualCache<Int, Payload>.self, DualCache<String, Payload>.self, DualCache<URL, Payload>.self)
        let open = try dual.opening(.string, keyCount: 4)(StrategyConfiguration())
        #expect(open.tellsTiers && dual.tellsTiers)
        let blocking = try #require(open.kernel(Source()).blocking)
        #expect(blocking(.read, 1, nil, nil).answer.tier == nil)
        #expect(Self.name(blocking(.load, 1, nil, nil)) == "miss 1")
        #expect(blocking(.load, 1, nil, nil).answer.tier == .decoded)
        await open.respond?(.warning)
        #expect(blocking(.read, 1, nil, nil).answer.tier == .encoded)
        let suspended = await open.kernel(Source()).suspending(.load, 1, nil)
        #expect(suspended.answer.tier == .decoded && suspended.answer.outcome == .hit)
        #expect(Self.name(blocking(.load, 3, nil, nil)) == "failed -")
        #expect(Self.name(blocking(.write, 2, Self.payloads.payload(key: 2, version: 1), nil)) == "done -")
        #expect(Self.name(blocking(.remove, 2, nil, nil)) == "done -")
        let sharing = try dual.sharingLoads.opening(.string, keyCount: 4)(StrategyConfiguration())
        let shared = try #require(sharing.kernel(Source()).blocking)
        #expect(Self.name(shared(.load, 1, nil, nil)) == "miss 1" && shared(.load, 1, nil, nil).answer.tier == .decoded)
        let plain = try Self.kernel(.string)
        _ = plain.blocking?(.load, 1, nil, nil)
        #expect(plain.blocking?(.load, 1, nil, nil).answer.outcome == .hit)
        #expect(plain.blocking?(.load, 1, nil, nil).answer.tier == nil)
    }

    @Test func `memory pressure reaches caches that handle it, and shared loads before them`() async throws {
        let lru = Strategy(
            LRUCache<Int, Payload>.self, LRUCache<String, Payload>.self, LRUCache<URL, Payload>.self)
        for strategy in [lru, lru.sharingLoads] {
            let open = try strategy.opening(.url, keyCount: 4)(StrategyConfiguration(entryLimit: 10))
            await open.insert(1, Self.payloads.payload(key: 1, version: 1))
            #expect(strategy.respondsToMemoryPressure && !strategy.tellsTiers && !open.tellsTiers)
            await open.respond?(.normal)
            #expect(await open.statistics().entryCount == 1)
            await open.respond?(.critical)
            #expect(await open.statistics().entryCount == 0)
        }
        let none = Strategy(NoCache<Int, Payload>.self)
        #expect(!none.respondsToMemoryPressure)
        #expect(try none.opening(.integer, keyCount: 1)(StrategyConfiguration()).respond == nil)
    }

    /// The kind of an answer, without its value.
    private static func name(_ answer: TimedAnswer) -> String {
        "\(answer.answer.outcome) \(answer.answer.value.map { "\($0.identity.key)" } ?? "-")"
    }

    @Test(arguments: KeyKind.allCases, [false, true])
    func `a synchronous cache answers every operation on the key with the number`(
        kind: KeyKind, isSharing: Bool
    ) throws {
        let perform = try #require(try Self.kernel(kind, isSharing: isSharing).blocking)
        let written = Self.payloads.payload(key: 2, version: 9)
        let answers = [
            perform(.read, 2, nil, nil), perform(.write, 2, written, nil), perform(.read, 2, nil, nil),
            perform(.load, 1, nil, nil), perform(.load, 1, nil, nil), perform(.remove, 2, nil, nil),
            perform(.read, 2, nil, nil), perform(.clear, 0, nil, nil), perform(.read, 1, nil, nil),
            perform(.load, 3, nil, nil),
        ]
        #expect(
            answers.map(Self.name) == [
                "miss -", "done -", "hit 2", "miss 1", "hit 1", "done -", "miss -", "done -", "miss -", "failed -",
            ])
        #expect(answers.last?.answer.error is Failure)
    }

    @Test func `a fetch receives the time after which its caller gives up`() throws {
        let perform = try #require(try Self.kernel(.string).blocking)
        #expect(perform(.load, 1, nil, .seconds(1)).answer.error is CancellationError)
    }

    @Test(arguments: [false, true]) func `a synchronous cache loads in a task`(isSharing: Bool) async throws {
        let kernel = try Self.kernel(.url, isSharing: isSharing)
        #expect(Self.name(await kernel.suspending(.load, 1, nil)) == "miss 1")
        #expect(Self.name(await kernel.suspending(.load, 1, nil)) == "hit 1")
        #expect(await kernel.suspending(.load, 3, nil).answer.error is Failure)
    }

    @Test(arguments: [false, true]) func `a cache that suspends answers every operation`(isSharing: Bool) async throws {
        let lru = Strategy(
            suspending: LRUCache<Int, Payload>.self, LRUCache<String, Payload>.self, LRUCache<URL, Payload>.self)
        let strategy = isSharing ? lru.sharingLoads : Strategy(ActorCache<String, Payload>.self)
        let kernel = try strategy.opening(.string, keyCount: 4)(StrategyConfiguration(entryLimit: 10)).kernel(Source())
        #expect(kernel.blocking == nil)
        let written = Self.payloads.payload(key: 2, version: 9)
        var answers: [TimedAnswer] = []
        for (kind, key, value) in [
            (OperationKind.read, 2, nil), (.write, 2, written), (.read, 2, nil), (.load, 1, nil), (.load, 1, nil),
            (.remove, 2, nil), (.read, 2, nil), (.clear, 0, nil), (.read, 1, nil), (.load, 3, nil),
        ] as [(OperationKind, UInt32, Payload?)] {
            answers.append(await kernel.suspending(kind, key, value))
        }
        #expect(
            answers.map(Self.name) == [
                "miss -", "done -", "hit 2", "miss 1", "hit 1", "done -", "miss -", "done -", "miss -", "failed -",
            ])
    }

    @Test func `an operation ends after its start, and before the next one`() throws {
        let perform = try #require(try Self.kernel(.integer).blocking)
        let spans = (0..<100).map { _ in perform(.read, 1, nil, nil).span }
        #expect(spans.allSatisfy { $0.start <= $0.end })
        #expect(zip(spans, spans.dropFirst()).allSatisfy { $0.end <= $1.start })
    }
}

/// A cache whose every operation keeps its caller busy for a time.
private final class BusyCache: LoadsUnshared {
    typealias Key = Int
    typealias Value = Payload

    static let nanoseconds: UInt64 = 300_000
    static var declaration: StrategyDeclaration { StrategyDeclaration(name: "busy", summary: "takes its time") }

    init(configuration: StrategyConfiguration) {}

    static func work() {
        let start = Nanoclock.now()
        while Nanoclock.elapsed(from: start, to: Nanoclock.now()) < nanoseconds {}
    }

    func value(forKey key: Int) -> Payload? {
        Self.work()
        return nil
    }

    func insert(_ value: Payload, forKey key: Int, cost: Int) { Self.work() }
    func removeValue(forKey key: Int) { Self.work() }
    func removeAll() { Self.work() }
}

/// The interval between the two clock readings.
@Suite(.timeLimit(.minutes(1)))
struct TimedSpanTests {
    /// A source that fails after a time.
    private struct Broken: PayloadSource {
        struct Failure: Error {}

        func fetch(_ key: UInt64) async throws -> Data { try fetchBlocking(key, deadline: nil) }

        func fetchBlocking(_ key: UInt64, deadline: Duration?) throws -> Data {
            BusyCache.work()
            throw Failure()
        }
    }

    private static let kinds = OperationKind.allCases.filter { $0 != .burst && $0 != .prefetch }

    private static func kernel(_ strategy: Strategy) throws -> TimedKernel {
        try strategy.opening(.integer, keyCount: 2)(StrategyConfiguration()).kernel(Broken())
    }

    /// A load looks up, and then fetches.
    private static func least(_ kind: OperationKind) -> UInt64 { BusyCache.nanoseconds * (kind == .load ? 2 : 1) }

    private static let value = PayloadFactory(
        specification: ValueSpecification(kind: .bytes, size: .fixed(64)), seed: 1
    ).payload(key: 1, version: 1)

    @Test(arguments: kinds)
    func `the span of a synchronous operation holds the whole call`(kind: OperationKind) throws {
        let perform = try #require(try Self.kernel(Strategy(BusyCache.self)).blocking)
        #expect(perform(kind, 1, Self.value, nil).span.nanoseconds >= Self.least(kind))
    }

    @Test(arguments: kinds)
    func `the span of an operation that may suspend holds the whole call`(kind: OperationKind) async throws {
        let kernel = try Self.kernel(Strategy(asIfItSuspended: BusyCache.self))
        #expect(kernel.blocking == nil)
        #expect(await kernel.suspending(kind, 1, Self.value).span.nanoseconds >= Self.least(kind))
    }
}

extension Strategy {
    fileprivate init<Cache: CacheStrategy<Int, Payload>>(asIfItSuspended type: Cache.Type) { self.init(type) }
}

/// Keys that clients borrow.
@Suite(.timeLimit(.minutes(1)))
struct TrialKeysTests {
    /// A key on the heap that reports its release.
    private final class Tracked: Sendable {
        let number: Int
        let released: Locked<[Int]>

        init(_ number: Int, _ released: Locked<[Int]>) {
            self.number = number
            self.released = released
        }

        deinit { released.withLock { $0.append(number) } }
    }

    @Test func `a borrowed key is neither kept nor released`() {
        let released = Locked<[Int]>([])
        do {
            let table = TrialKeys(count: 3) { Tracked($0, released) }
            let clients = [LentKeys(table), LentKeys(table)]
            for _ in 0..<1000 {
                for client in clients {
                    let key = client.lend(1)
                    #expect(key.number == 1)
                    client.giveBack(key)
                }
            }
            #expect(released.withLock { $0 } == [])
            #expect(table[2].number == 2)
        }
        #expect(released.withLock { $0 }.sorted() == [0, 1, 2])
    }

    @Test func `a cache that keeps a borrowed key keeps it alive`() {
        let released = Locked<[Int]>([])
        var kept: Tracked?
        do {
            let table = TrialKeys(count: 2) { Tracked($0, released) }
            let client = LentKeys(table)
            let key = client.lend(0)
            kept = key
            client.giveBack(key)
        }
        #expect(released.withLock { $0 } == [1])
        kept = nil
        #expect(released.withLock { $0 } == [1, 0])
        #expect(kept == nil)
    }
}
