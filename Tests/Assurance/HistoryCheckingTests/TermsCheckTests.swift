import CacheStrategies
import Testing
import TrialModel

@testable import HistoryChecking

/// Histories of caches whose configuration is known.
@Suite(.timeLimit(.minutes(1)))
struct TermsCheckTests {
    private static func found(_ key: UInt32, _ version: UInt64, _ call: UInt64, _ answer: UInt64) -> OperationRecord {
        OperationRecord(.read, key: key, version: version, outcome: .hit, call: call, answer: answer)
    }

    private static func missed(_ key: UInt32, _ call: UInt64, _ answer: UInt64) -> OperationRecord {
        OperationRecord(.read, key: key, outcome: .miss, call: call, answer: answer)
    }

    private static func wrote(_ key: UInt32, _ version: UInt64, _ call: UInt64, _ answer: UInt64) -> OperationRecord {
        OperationRecord(.write, key: key, version: version, outcome: .done, call: call, answer: answer)
    }

    private static func removed(_ key: UInt32, _ call: UInt64, _ answer: UInt64) -> OperationRecord {
        OperationRecord(.remove, key: key, outcome: .done, call: call, answer: answer)
    }

    private static func finding(
        _ promise: Promise, _ history: History, _ terms: HistoryTerms, _ promises: Promises = Promises()
    ) throws -> PromiseFinding {
        let findings = HistoryCheck(promises: promises, terms: terms).findings(history)
        return try #require(findings.first { $0.promise == promise })
    }

    // MARK: Limits

    /// Three keys, each written and then found; `last` is when the first one is found.
    private static func threeKeys(last: UInt64) -> History {
        let first = [wrote(1, 5, 0, 1), wrote(2, 6, 2, 3), wrote(3, 7, 4, 5), found(1, 5, last, last + 1)]
        return History(callers: [first, [found(2, 6, 10, 11), found(3, 7, 12, 13)]])
    }

    @Test func `keys seen before and after one moment were held together`() throws {
        let history = Self.threeKeys(last: 14)
        let finding = try Self.finding(.limits, history, HistoryTerms(entryLimit: 2))
        #expect(finding.verdict == .inconsistent)
        #expect(finding.example?.summary.hasPrefix("3 keys were held at one moment") == true)
        #expect(finding.example?.events.count == 6)
        #expect(try Self.finding(.limits, history, HistoryTerms(entryLimit: 3)).verdict == .consistent)
    }

    @Test func `intervals that touch do not count as held together`() throws {
        // Key 1 is found for the last time when the third key has just arrived.
        let finding = try Self.finding(.limits, Self.threeKeys(last: 5), HistoryTerms(entryLimit: 2))
        #expect(finding.verdict == .consistent)
    }

    @Test func `costs of entries held together are added up`() throws {
        let terms = HistoryTerms(costLimit: 25, cost: { _, _ in 10 })
        #expect(try Self.finding(.limits, Self.threeKeys(last: 14), terms).verdict == .inconsistent)
        let inexact = HistoryTerms(costLimit: 25, costsAreExact: false, cost: { _, _ in 10 })
        #expect(try Self.finding(.limits, Self.threeKeys(last: 14), inexact).verdict == .consistent)
    }

    @Test func `two versions of one key that are seen at one moment are one entry`() throws {
        // The second caller still sees the older version.
        let callers = [
            [Self.wrote(1, 5, 0, 1), Self.wrote(1, 6, 4, 5), Self.found(1, 6, 6, 7), Self.found(1, 6, 14, 15)],
            [Self.found(1, 5, 2, 3), Self.found(1, 5, 10, 11)],
        ]
        let late = Promises(consistency: .readYourWrites)
        let entries = HistoryTerms(entryLimit: 1)
        #expect(try Self.finding(.limits, History(callers: callers), entries, late).verdict == .consistent)
        let bytes = HistoryTerms(costLimit: 10, cost: { _, version in version == 5 ? 10 : 8 })
        #expect(try Self.finding(.limits, History(callers: callers), bytes, late).verdict == .consistent)
        // Another key at the same time is a second entry.
        let other = callers + [[Self.wrote(2, 7, 8, 9), Self.found(2, 7, 12, 13)]]
        let finding = try Self.finding(.limits, History(callers: other), entries, late)
        #expect(finding.verdict == .inconsistent)
        #expect(finding.example?.summary.hasPrefix("2 keys were held at one moment") == true)
    }

    @Test(arguments: [
        (Promises.Limit.hard, UInt64(1), true), (.soft, 4_000_000_000, false), (.soft, 6_000_000_000, true),
    ])
    func `a hard limit is never exceeded, and a soft one only for a time`(
        limit: Promises.Limit, length: UInt64, isBroken: Bool
    ) throws {
        var history = History(callers: [[Self.wrote(1, 5, 0, 1)]])
        history.samples = [
            StatisticsSample(call: 0, answer: 1, entryCount: 2), StatisticsSample(call: 2, answer: 3, entryCount: 3),
            StatisticsSample(call: 3 + length, answer: 4 + length, entryCount: 4),
        ]
        let finding = try Self.finding(.limits, history, HistoryTerms(entryLimit: 2), Promises(limit: limit))
        #expect((finding.verdict == .inconsistent) == isBroken)
        if isBroken { #expect(finding.example?.events.first?.caller == "sampler") }
    }

    // MARK: What must be found

    private static let roomy = HistoryTerms(entryLimit: 100)
    /// Such as a cache of several shards.
    private static let evictsEarly = Promises(evictsOnlyWhenFull: false)

    @Test func `an insert that is never found was lost`() throws {
        let finding = try Self.finding(
            .retention, History(callers: [[Self.wrote(1, 5, 0, 1), Self.missed(1, 2, 3)]]), Self.roomy)
        #expect(finding.verdict == .inconsistent)
        #expect(finding.example?.events.map(\.what) == ["write 1 version 5", "read 1 → nothing"])
    }

    @Test func `a lookup proves no lost insert when something may have removed the entry`() throws {
        let write = Self.wrote(1, 5, 0, 1)
        let miss = Self.missed(1, 10, 20)
        let explained: [[[OperationRecord]]] = [
            [[write, miss], [Self.removed(1, 1, 2)]],
            [[write, miss], [OperationRecord(.clear, key: 0, outcome: .done, call: 3, answer: 4)]],
            // It overlaps the insert.
            [[write, Self.missed(1, 1, 20)]],
            [[miss], [OperationRecord(.write, key: 1, version: 5, outcome: .failed, call: 0, answer: 1)]],
        ]
        for callers in explained {
            let finding = try Self.finding(.retention, History(callers: callers), Self.roomy)
            #expect(finding.verdict != .inconsistent, "\(callers)")
        }
    }

    @Test func `a lookup beside an overwrite that fits finds the old value or the new one`() throws {
        let history = History(
            callers: [[Self.wrote(1, 5, 0, 1), Self.missed(1, 10, 20)], [Self.wrote(1, 6, 15, 25)]])
        #expect(try Self.finding(.retention, history, Self.roomy).verdict == .inconsistent)
        let excused = try Self.finding(.retention, history, Self.roomy, Self.evictsEarly)
        #expect(excused.verdict == .unknown)
        #expect((excused.operationsChecked, excused.operationsExcused) == (0, 1))
        // The dearer value fits only if another entry goes, or the old one.
        let dearer = HistoryTerms(costLimit: 15, cost: { _, version in version == 5 ? 10 : 20 })
        #expect(try Self.finding(.retention, history, dearer).verdict != .inconsistent)
        let cheaper = HistoryTerms(costLimit: 20, cost: { _, version in version == 5 ? 20 : 10 })
        #expect(try Self.finding(.retention, history, cheaper).verdict == .inconsistent)
    }

    @Test func `as many entries as the limit allows stay, and a removal makes room for another`() throws {
        let two = HistoryTerms(entryLimit: 2)
        let fits = [
            [Self.wrote(1, 5, 0, 1), Self.missed(1, 20, 21)], [Self.wrote(2, 6, 3, 4), Self.wrote(2, 7, 5, 6)],
        ]
        #expect(try Self.finding(.retention, History(callers: fits), two).verdict == .inconsistent)
        let third = fits + [[Self.wrote(3, 8, 10, 11)]]
        #expect(try Self.finding(.retention, History(callers: third), two).verdict != .inconsistent)
        for gone in [Self.removed(2, 8, 9), OperationRecord(.clear, key: 0, outcome: .done, call: 8, answer: 9)] {
            // A clear removes the first key as well, which is then written again.
            let callers = [
                [Self.wrote(1, 5, 0, 1), Self.wrote(1, 9, 12, 13), Self.missed(1, 20, 21)], fits[1],
                [gone, Self.wrote(3, 8, 10, 11)],
            ]
            #expect(try Self.finding(.retention, History(callers: callers), two).verdict == .inconsistent)
        }
        // A removal that another insert of its key overlaps may have come first.
        let overlapped = third + [[Self.removed(2, 8, 9)], [Self.wrote(2, 10, 7, 9)]]
        #expect(try Self.finding(.retention, History(callers: overlapped), two).verdict != .inconsistent)
    }

    // s3-fifo and others give each entry a part of one capacity, and were accused of a loss.
    @Test func `under two limits, small and large entries may fill a cache before either is reached`() throws {
        // Three keys of two bytes, and three large ones: 6 of 10 entries, and 966 of 1,000 bytes.
        let mixed = HistoryTerms(entryLimit: 10, costLimit: 1_000, cost: { (key, _) -> Int in key < 3 ? 2 : 320 })
        let callers = (0..<6 as Range<UInt64>).map { number -> [OperationRecord] in
            [Self.wrote(UInt32(number), number + 5, number, number + 1)]
        }
        let lost = History(callers: callers + [[Self.missed(0, 20, 21)]])
        #expect(try Self.finding(.retention, lost, mixed).verdict != .inconsistent)
        // One large entry less takes 0.3 + 0.64 of it, and equal ones take what their number says.
        let fewer = History(callers: Array(callers.dropLast()) + [[Self.missed(0, 20, 21)]])
        #expect(try Self.finding(.retention, fewer, mixed).verdict == .inconsistent)
        let full = HistoryTerms(entryLimit: 6, costLimit: 600, cost: { _, _ in 100 })
        #expect(try Self.finding(.retention, lost, full).verdict == .inconsistent)
    }

    @Test func `a lookup that had to find its key is checked, and one that nothing proves is neither`() throws {
        let callers = [[Self.wrote(1, 5, 0, 1), Self.found(1, 5, 2, 3), Self.missed(2, 4, 5)]]
        let finding = try Self.finding(.retention, History(callers: callers), Self.roomy)
        #expect(finding.verdict == .consistent)
        #expect((finding.operationsChecked, finding.operationsExcused) == (1, 0))
    }

    @Test func `an eviction is possible once another key is inserted into a full cache`() throws {
        let callers = [[Self.wrote(1, 5, 0, 1), Self.missed(1, 10, 11)], [Self.wrote(2, 6, 3, 4)]]
        let full = HistoryTerms(entryLimit: 1)
        #expect(try Self.finding(.retention, History(callers: callers), full).verdict != .inconsistent)
        // With no other insert in between, even a full cache has the entry.
        let alone = [[Self.wrote(1, 5, 5, 6), Self.missed(1, 10, 11)], [Self.wrote(2, 6, 3, 4)]]
        #expect(try Self.finding(.retention, History(callers: alone), full).verdict == .inconsistent)
        let background = HistoryTerms(entryLimit: 1, worksInBackground: true)
        #expect(try Self.finding(.retention, History(callers: alone), background).verdict != .inconsistent)
    }

    @Test(arguments: [(UInt64?.none, false), (0, true), (1, false)])
    func `up to the limit nothing may be evicted if the statistics say so`(evictions: UInt64?, isBroken: Bool) throws {
        // Two keys of four: more than an eighth.
        var history = History(
            callers: [[Self.wrote(1, 5, 0, 1), Self.missed(1, 10, 11)], [Self.wrote(2, 6, 3, 4)]])
        history.samples = [StatisticsSample(call: 20, answer: 21, evictions: evictions)]
        let finding = try Self.finding(.retention, history, HistoryTerms(entryLimit: 4), Self.evictsEarly)
        #expect((finding.verdict == .inconsistent) == isBroken)
    }

    // A moment, and a time within which both were called.
    @Test(arguments: [5...5, 0...30] as [ClosedRange<UInt64>])
    func `entries lost in a restart or released under pressure are not lost inserts`(loss: ClosedRange<UInt64>) throws {
        var history = History(callers: [[Self.wrote(1, 5, 1, 2), Self.missed(1, 10, 11)]])
        history.losses = [loss]
        #expect(try Self.finding(.retention, history, Self.roomy).verdict != .inconsistent)
    }

    @Test func `an entry whose lifetime may be over need not be found`() throws {
        let second: UInt64 = 1_000_000_000
        func history(_ age: UInt64) -> History {
            History(callers: [[Self.wrote(1, 5, 0, 1), Self.missed(1, age, age + 1)]])
        }
        let terms = HistoryTerms(lifetime: { _ in second })
        let promises = Promises(timeToLive: true)
        #expect(try Self.finding(.retention, history(second), terms, promises).verdict != .inconsistent)
        #expect(try Self.finding(.retention, history(second / 2), terms, promises).verdict == .inconsistent)
    }

    // MARK: Lifetimes

    @Test func `a hit after the lifetime is late, unless a use extends it`() throws {
        let second: UInt64 = 1_000_000_000
        let history = History(callers: [
            [
                Self.wrote(1, 5, 0, 1), Self.found(1, 5, second / 2, second / 2 + 1),
                Self.found(1, 5, 5 * second / 4, 5 * second / 4 + 1),
            ]
        ])
        let terms = HistoryTerms(lifetime: { _ in second })
        let fixed = try Self.finding(.lifetimes, history, terms, Promises(timeToLive: true))
        #expect(fixed.verdict == .inconsistent)
        #expect(fixed.example?.events.count == 2)
        #expect(try Self.finding(.lifetimes, history, terms, Promises(timeToLive: .sliding())).verdict == .consistent)
    }

    @Test(arguments: [(6, false), (7, true)] as [(UInt64, Bool)])
    func `a lifetime may begin later where an insert is seen later`(age: UInt64, isLate: Bool) throws {
        let second: UInt64 = 1_000_000_000
        let history = History(callers: [[Self.wrote(1, 5, 0, 1), Self.found(1, 5, age * second, age * second + 1)]])
        let promises = Promises(consistency: .eventual, timeToLive: true)
        let finding = try Self.finding(.lifetimes, history, HistoryTerms(lifetime: { _ in second }), promises)
        #expect((finding.verdict == .inconsistent) == isLate)
    }

    // MARK: A caller's own past

    @Test func `a load that joins a load older than its caller's last change is found`() throws {
        let change = Self.removed(1, 20, 30)
        let callers = [[load(1, .miss, 0, 100)], [change, load(1, .joined, 40, 100)]]
        let promises = Promises(coalescesLoads: true)
        let history = History(callers: callers, requests: [sent(1, 5, 90)])
        let finding = try Self.finding(.ownPast, history, HistoryTerms(), promises)
        #expect(finding.verdict == .inconsistent)
        #expect(finding.example?.events.map(\.caller) == ["client 1", "origin", "client 2", "client 2"])
        // Requested after the change had begun: it may return the result of the change.
        let later = History(callers: callers, requests: [sent(1, 25, 90)])
        #expect(try Self.finding(.ownPast, later, HistoryTerms(), promises).verdict == .consistent)
        // Another caller's change is not in this caller's own past.
        let others = History(callers: [callers[0], [change], [load(1, .joined, 40, 100)]], requests: [sent(1, 5, 90)])
        #expect(try Self.finding(.ownPast, others, HistoryTerms(), promises).verdict == .unknown)
    }
}
