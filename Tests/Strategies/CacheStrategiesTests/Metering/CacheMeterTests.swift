import EvictionPolicies
import Foundation
import Testing
import TrialModel

@testable import CacheStrategies

@Suite(.timeLimit(.minutes(2)))
struct CacheMeterTests {
    /// Keys from a skewed popularity, the same every time.
    static func keys(_ count: Int, of different: Double, seed: UInt64 = 7) -> [Int] {
        var random = RandomSource(seed: seed)
        return (0..<count).map { _ in
            let fraction = random.nextFraction()
            return Int(fraction * fraction * fraction * different)
        }
    }

    /// The hits of a real cache, where each miss inserts.
    private func hits(_ cache: some SynchronousCacheStrategy<Int, Word>, _ keys: [Int], cost: (Int) -> Int) -> Int {
        var hits = 0
        for key in keys {
            if cache.value(forKey: key) != nil {
                hits += 1
            } else {
                cache.insert(Word(""), forKey: key, cost: cost(key))
            }
        }
        return hits
    }

    private func note(_ keys: [Int], to meter: CacheMeter<Int>, cost: (Int) -> Int = { _ in 1 }) {
        for (index, key) in keys.enumerated() {
            meter.noteLookup(key, cost: cost(key))
            if index % 100 == 99 { meter.digest() }
        }
    }

    @Test(arguments: [60, 100, 167, 278])
    func `a cache of up to 512 entries is metered to the last hit`(size: Int) throws {
        let keys = Self.keys(6_000, of: 900)
        let meter = CacheMeter<Int>(capacity: .entries(100), costShare: 1)
        note(keys, to: meter)
        let report = meter.report()
        #expect(report.keyShare == 1 && report.seenShare == 1 && report.lookups == keys.count)
        let configuration = StrategyConfiguration(entryLimit: size)
        let truth: [(String, Int)] = [
            ("fifo", hits(FIFOCache<Int, Word>(configuration: configuration), keys) { _ in 1 }),
            ("lru", hits(LRUCache<Int, Word>(configuration: configuration), keys) { _ in 1 }),
            ("s3-fifo", hits(S3FIFOCache<Int, Word>(configuration: configuration), keys) { _ in 1 }),
            ("arc", hits(ARCCache<Int, Word>(configuration: configuration), keys) { _ in 1 }),
            ("lirs", hits(LIRSCache<Int, Word>(configuration: configuration), keys) { _ in 1 }),
        ]
        for (policy, hits) in truth {
            let point = try #require(report.sinceStart?.point(policy, near: .entries(size)))
            #expect(point.capacity == .entries(size))
            let found = (point.hitRatio.value * Double(keys.count)).rounded()
            #expect(found == Double(hits), "\(policy) with \(size) entries")
            #expect(point.hitRatio.error == 0)
        }
    }

    @Test func `misses that are filled by inserts count like loads`() throws {
        let keys = Self.keys(3_000, of: 500)
        let loads = CacheMeter<Int>(capacity: .entries(50), costShare: 1)
        note(keys, to: loads)
        let meter = CacheMeter<Int>(capacity: .entries(50), costShare: 1)
        let cache = Metered(LRUCache<Int, Word>(entryLimit: 50), by: meter)
        for (index, key) in keys.enumerated() {
            if cache.value(forKey: key) == nil { cache.insert(Word(""), forKey: key, cost: 1) }
            if index % 50 == 49 { meter.digest() }
        }
        let (found, expected) = (meter.report(), loads.report())
        #expect(found.lookups == keys.count)
        let lru = try #require(found.sinceStart?.point("lru", near: .entries(50)))
        #expect(lru == expected.sinceStart?.point("lru", near: .entries(50)))
        // A larger cache would have hit where this one was filled again: the insert is none of its own.
        #expect(
            found.sinceStart?.point("lru", near: .entries(83)) == expected.sinceStart?.point("lru", near: .entries(83)))
    }

    @Test func `a sample of keys finds the exact hit ratios within its errors`() throws {
        let keys = Self.keys(120_000, of: 40_000)
        let meter = CacheMeter<Int>(capacity: .entries(5_000), costShare: 1)
        note(keys, to: meter)
        let report = meter.report()
        #expect(abs(report.keyShare - 512 / 5_000) < 1e-12)
        let different = Double(Set(keys).count)
        #expect(abs(report.keys / different - 1) < 0.15)
        let truth = hits(LRUCache<Int, Word>(entryLimit: 5_000), keys) { _ in 1 }
        let point = try #require(report.sinceStart?.point("lru", near: .entries(5_000)))
        // The keys are always the same, so this is no matter of chance.
        #expect(abs(point.hitRatio.value - Double(truth) / Double(keys.count)) <= point.hitRatio.error)
        #expect((0.0001...0.05).contains(point.hitRatio.error))
    }

    @Test func `a capacity in bytes samples fewer keys until its cache has at most 512 entries`() throws {
        let keys = Self.keys(60_000, of: 20_000)
        let cost = { (key: Int) in 1_000 + key % 3_000 }
        let meter = CacheMeter<Int>(capacity: .bytes(5_000_000), costShare: 1)
        note(keys, to: meter, cost: cost)
        let report = meter.report()
        #expect(report.keyShare < 0.5 && report.keyShare > 0.1)
        #expect((200...512).contains(report.sampledEntries))
        #expect((1_500...3_500).contains(report.meanCost))
        let truth = hits(LRUCache<Int, Word>(costLimit: 5_000_000), keys, cost: cost)
        let point = try #require(report.sinceStart?.point("lru", near: .bytes(5_000_000)))
        #expect(abs(point.hitRatio.value - Double(truth) / Double(keys.count)) <= 2 * point.hitRatio.error)
    }

    @Test func `lookups of all threads are counted, and threads that have ended lose nothing`() async {
        let meter = CacheMeter<Int>(capacity: .entries(100), costShare: 1)
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<4 {
                group.addTask {
                    for index in 0..<5_000 {
                        meter.noteLookup(part * 10_000 + index % 70)
                        if index % 60 == 0 { meter.digest() }
                    }
                }
            }
        }
        let report = meter.report()
        #expect(report.lookups == 20_000)
        // 280 keys are looked up; what was not seen is said.
        #expect(report.keys == 280)
        #expect(report.sinceStart.map { Double($0.lookups) / 20_000 } == report.seenShare)
    }

    @Test func `requests that come too fast are left out as a whole, and the report says so`() throws {
        // No call digests, and the queue takes a billionth of a core: rings stay full.
        let meter = CacheMeter<Int>(capacity: .entries(100), costShare: 1e-9)
        for index in 0..<100_000 { meter.noteLookup(index % 50) }
        let report = meter.report()
        #expect(report.lookups == 100_000)
        #expect(report.seenShare < 0.5)
        let point = try #require(report.sinceStart?.point("lru", near: .entries(100)))
        let seen = try #require(report.sinceStart?.lookups)
        // Each of the 50 keys misses once, whatever was left out.
        #expect(abs(point.hitRatio.value - (1 - 50 / Double(seen))) < 1e-9)
        #expect("\(report)".contains("of the lookups came too fast to be metered"))
    }

    @Test func `a meter of nothing reports nothing, and odd capacities count as one`() {
        for capacity in [MeterCapacity.entries(0), .entries(-5), .bytes(.min), .bytes(.max), .entries(.max)] {
            let meter = CacheMeter<String>(capacity: capacity)
            #expect(meter.report().sinceStart == nil)
            #expect("\(meter.report())".hasPrefix("No lookups in "))
            meter.noteLookup("a", cost: .max)
            meter.noteLookup("a", cost: -1)
            meter.noteInsert("b", cost: .min)
            meter.noteMiss("c")
            #expect(meter.report().lookups == 3)
        }
    }

    @Test func `a meter that has seen hardly any sampled key gives no hit ratio`() {
        let meter = CacheMeter<Int>(capacity: .entries(1_000_000), costShare: 1)
        note(Array(0..<500), to: meter)
        let report = meter.report()
        #expect(report.lookups == 500 && report.seenShare == 1)
        #expect(report.sinceStart == nil && report.lastHour == nil && report.lastDay == nil)
        let lines = "\(report)".split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasPrefix("500 lookups in "))
        #expect(lines.last == "Fewer than 50 of them are of sampled keys: too few for a hit ratio.")
    }

    @Test func `a report is text of a few sentences`() {
        let meter = CacheMeter<Int>(capacity: .entries(20), costShare: 1)
        for index in 0..<4_000 {
            meter.noteLookup(index % 10 < 5 ? index % 5 : 100 + index % 50)
            if index % 100 == 99 { meter.digest() }
        }
        let lines = "\(meter.report())".split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("4000 lookups in ") && lines[0].hasSuffix(" s, all keys metered."))
        #expect(lines[1].hasPrefix("LRU at 20 entries: "))
        #expect(lines[1].contains("fewer requests to the origin for 13 entries more."))
    }

    @Test func `all keys fit, so nothing is worth more memory`() {
        let meter = CacheMeter<Int>(capacity: .entries(100), costShare: 1)
        for index in 0..<1_000 { meter.noteLookup(index % 20) }
        meter.digest()
        #expect(
            "\(meter.report())".contains(
                "All 20 keys fit into 100 entries: neither a larger cache nor another policy gains anything so far."))
    }
}
