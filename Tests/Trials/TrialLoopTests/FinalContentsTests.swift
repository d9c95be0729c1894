import CacheStrategies
import HistoryChecking
import Origins
import Synchronization
import Testing

@testable import TimedStrategies
@testable import TrialLoop
@testable import TrialModel

/// The contents of a strategy at the end, compared with its limits and its own statistics.
@Suite(.timeLimit(.minutes(1)))
struct FinalContentsTests {
    /// 128 bytes each.
    private static let payloads = PayloadFactory(
        specification: ValueSpecification(kind: .bytes, size: .fixed(128)), seed: 5)

    /// A made-up cache of ten keys.
    ///
    /// - Parameter value: the value of a key in a pass; passes are counted from 0.
    private static func contents(
        _ promises: Promises = Promises(), capacity: Capacity = Capacity(entries: 6, bytes: 1_000),
        bounds: Bounds = [.entries, .cost], values: ValueSpecification? = nil,
        statistics: CacheStatistics = CacheStatistics(),
        value: @escaping @Sendable (_ key: UInt64, _ pass: Int) -> Payload?
    ) -> FinalContents {
        let keyCount = 10
        let values = values ?? ValueSpecification(kind: .bytes, size: .fixed(128))
        let lookups = Counter()
        let strategy = OpenStrategy(statistics: { statistics }) { _, key, _, _ in
            TimedAnswer(0, 1, value(UInt64(key), lookups.next() / keyCount).map { .hit($0) } ?? .miss)
        }
        let scenario = Scenario(
            name: "contents", title: "", seed: 5, repetitions: 1,
            keys: KeySpace(kind: .integer, count: keyCount, popularity: .uniform), values: values,
            capacity: capacity, origin: OriginSpecification(kind: .memory, delay: .fixed(0)), strategies: nil,
            phases: [])
        return FinalContents(
            strategy: strategy,
            declaration: StrategyDeclaration(name: "made-up", summary: "", bounds: bounds, promises: promises),
            scenario: scenario,
            origin: MemoryOrigin(scenarioSeed: 5, values: values, origin: scenario.origin))
    }

    private final class Counter: Sendable {
        private let count = Atomic<Int>(0)
        func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).oldValue }
    }

    private static func payload(_ key: UInt64, version: UInt64 = 1) -> Payload {
        payloads.payload(key: key, version: version)
    }

    private static func summaries(_ findings: [PromiseFinding]) -> [String?] { findings.map { $0.example?.summary } }

    @Test func `contents within the limits keep them`() async {
        let findings = await Self.contents { key, _ in key < 6 ? Self.payload(key) : nil }.findings()
        #expect(findings == [PromiseFinding(promise: .limits, verdict: .consistent, operationsChecked: 6)])
    }

    @Test func `contents beyond a limit break it, and the finding names the limit`() async {
        let both = await Self.contents { key, _ in Self.payload(key) }.findings()
        #expect(both.map(\.promise) == [.limits])
        #expect(both.map(\.verdict) == [.inconsistent])
        let found = "10 entries that cost 1280 bytes in all are found after the trial"
        #expect(Self.summaries(both) == ["\(found); the limit is 6 entries and 1000 bytes"])
        let bytes = Self.contents(capacity: Capacity(entries: 10, bytes: 1_279)) { key, _ in Self.payload(key) }
        #expect(Self.summaries(await bytes.findings()) == ["\(found); the limit is 1279 bytes"])
        let one = await Self.contents(capacity: Capacity(bytes: 127)) { key, _ in key == 3 ? Self.payload(key) : nil }
            .findings()
        #expect(
            Self.summaries(one) == ["1 entry that costs 128 bytes is found after the trial; the limit is 127 bytes"])
    }

    @Test func `a limit that was not declared or not given is none`() async {
        let costOnly = Self.contents(bounds: [.cost]) { key, _ in key < 7 ? Self.payload(key) : nil }
        #expect(await costOnly.findings().map(\.verdict) == [.consistent])
        for contents in [
            Self.contents(bounds: []) { key, _ in Self.payload(key) },
            Self.contents(capacity: Capacity()) { key, _ in Self.payload(key) },
            Self.contents(Promises(limit: .approximate)) { key, _ in Self.payload(key) },
            Self.contents(Promises(limit: .none)) { key, _ in Self.payload(key) },
        ] {
            #expect(await contents.findings().isEmpty)
        }
    }

    @Test func `a value found in only one pass, or in different versions, does not count`() async {
        let going = Self.contents { key, pass in key < 6 || pass == 0 ? Self.payload(key) : nil }
        #expect(await going.findings().map(\.operationsChecked) == [6])
        let coming = Self.contents { key, pass in key < 5 || pass == 1 ? Self.payload(key) : nil }
        #expect(await coming.findings().map(\.operationsChecked) == [5])
        let replaced = Self.contents { key, pass in Self.payload(key, version: key < 4 ? 1 : UInt64(pass) + 1) }
        let findings = await replaced.findings()
        #expect(findings.map(\.verdict) == [.consistent] && findings.map(\.operationsChecked) == [4])
    }

    @Test func `the value of another key does not count`() async {
        let findings = await Self.contents { key, _ in Self.payload(key < 6 ? key : 0) }.findings()
        #expect(findings.map(\.operationsChecked) == [6])
    }

    @Test func `a soft limit has time to be kept`() async {
        // The third pass is the first within the limit.
        let late = Self.contents(Promises(limit: .soft)) { key, pass in key < 6 || pass < 4 ? Self.payload(key) : nil }
        #expect(await late.findings().map(\.verdict) == [.consistent])
        for promises in [Promises(limit: .soft), Promises(consistency: .eventual)] {
            var never = Self.contents(promises) { key, _ in Self.payload(key) }
            never.patience = .milliseconds(30)
            #expect(await never.findings().map(\.verdict) == [.inconsistent])
        }
        let hard = Self.contents { key, pass in key < 6 || pass < 4 ? Self.payload(key) : nil }
        #expect(await hard.findings().map(\.verdict) == [.inconsistent])
    }

    @Test func `when nothing is found, or not all keys are looked up, the result is unknown`() async {
        #expect(Self.summaries(await Self.contents { _, _ in nil }.findings()) == ["nothing is found after the trial"])
        var slow = Self.contents { key, _ in key < 6 ? Self.payload(key) : nil }
        slow.passTimeMax = .seconds(-1)
        let findings = await slow.findings()
        #expect(findings.map(\.verdict) == [.unknown])
        #expect(Self.summaries(findings) == ["not all keys could be looked up within -1 s"])
    }

    @Test func `own figures below the contents found are wrong`() async {
        let found = "5 entries that cost 640 bytes in all are found after the trial"
        for (entries, cost, text) in [(4, 640, "4 entries and 640 bytes"), (5, 639, "5 entries and 639 bytes")] {
            let contents = Self.contents(statistics: CacheStatistics(entryCount: entries, totalCost: cost)) { key, _ in
                key < 5 ? Self.payload(key) : nil
            }
            let findings = await contents.findings()
            #expect(findings.map(\.promise) == [.limits, .counts])
            #expect(findings.map(\.verdict) == [.consistent, .inconsistent])
            #expect(findings.last?.example?.summary == "\(found); the strategy itself counts \(text)")
        }
    }

    @Test func `more bytes than are found are right on two levels, more entries are not`() async {
        func promises(_ entries: Int, _ cost: Int, _ values: ValueSpecification? = nil) async -> [Promise] {
            let statistics = CacheStatistics(entryCount: entries, totalCost: cost)
            return await Self.contents(values: values, statistics: statistics) { key, _ in
                key < 5 ? Self.payload(key) : nil
            }.findings().map(\.promise)
        }
        #expect(await promises(5, 1_000) == [.limits])
        #expect(await promises(6, 640) == [.limits, .counts])
        // Expired entries are held until an operation meets them.
        let mortal = ValueSpecification(kind: .bytes, size: .fixed(128), timeToLive: 1_000_000)
        #expect(await promises(6, 640, mortal) == [.limits])
        #expect(await promises(4, 640, mortal) == [.limits, .counts])
    }

    @Test func `figures of a cache that is not linearizable are not judged`() async {
        let statistics = CacheStatistics(entryCount: 3, totalCost: 10)
        let contents = Self.contents(Promises(consistency: .readYourWrites), statistics: statistics) { key, _ in
            key < 5 ? Self.payload(key) : nil
        }
        #expect(await contents.findings().map(\.promise) == [.limits])
    }

    @Test func `a hard limit holds in the strategy's own figures as well`() async {
        let contents = Self.contents(statistics: CacheStatistics(entryCount: 5, totalCost: 1_001)) { key, _ in
            key < 5 ? Self.payload(key) : nil
        }
        #expect(
            Self.summaries(await contents.findings()) == [
                "the strategy itself counts 5 entries and 1001 bytes after the trial; the limit is 1000 bytes"
            ])
    }

    @Test func `pictures count their encoded size when they cost more than they may`() async throws {
        let values = ValueSpecification(kind: .image, size: .fixed(16_384))
        let pictures = PayloadFactory(specification: values, seed: 5)
        let least = (0..<10).map { pictures.payload(key: $0, version: 1).byteCountMin }.reduce(0, +)
        for (limit, verdict) in [(least, ConsistencyVerdict.consistent), (least - 1, .inconsistent)] {
            let contents = Self.contents(capacity: Capacity(bytes: limit), values: values) { key, _ in
                pictures.payload(key: key, version: 1)
            }
            let finding = try #require(await contents.findings().first)
            #expect(finding.verdict == verdict)
            if verdict == .inconsistent {
                #expect(finding.example?.summary.hasPrefix("10 entries that take at least \(least) bytes") == true)
            }
        }
    }
}
