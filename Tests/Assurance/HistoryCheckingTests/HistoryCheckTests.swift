import CacheStrategies
import Testing
import TrialModel

@testable import HistoryChecking

/// One history for each kind of violation, with the promise it breaks and the operations that prove it.
@Suite(.timeLimit(.minutes(1)))
struct HistoryCheckTests {
    static let everything = Promises(coalescesLoads: true, keepsNewerWrites: true)

    /// A finding that describes the violation; every other promise is kept or can't be judged.
    private func violation(
        _ promise: Promise, in history: History, _ promises: Promises = everything,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> [String] {
        let findings = HistoryCheck(promises: promises).findings(history)
        let broken = findings.filter { $0.verdict == .inconsistent }
        #expect(broken.map(\.promise) == [promise], sourceLocation: sourceLocation)
        return broken.first?.example?.events.map(\.what) ?? []
    }

    private func isKept(
        _ history: History, _ promises: Promises = everything, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let broken = HistoryCheck(promises: promises).findings(history).filter { $0.verdict == .inconsistent }
        #expect(broken == [], sourceLocation: sourceLocation)
    }

    // MARK: Own values

    @Test func `a version that was never written is a phantom`() {
        let history = History(callers: [[write(5, 0, 1)], [read(5, 2, 3), read(7, 4, 5)]])
        #expect(violation(.ownValues, in: history) == ["read 1 → version 7"])
    }

    @Test func `a value that is seen before it is written is a phantom`() {
        let history = History(callers: [[write(5, 10, 20)], [read(5, 2, 3)]])
        #expect(violation(.ownValues, in: history) == ["read 1 → version 5", "write 1 version 5"])
    }

    @Test func `a value of another key is found`() {
        let wrong = OperationRecord(.read, key: 1, version: 5, outcome: .hit, call: 2, answer: 3, valueKey: 2)
        let history = History(callers: [[write(5, 0, 1), wrong]])
        #expect(violation(.ownValues, in: history) == ["read 1 → version 5 of key 2"])
    }

    @Test func `a damaged value is found`() {
        let wrong = OperationRecord(.read, key: 1, version: 5, outcome: .hit, call: 2, answer: 3, isIntact: false)
        let history = History(callers: [[write(5, 0, 1), wrong]])
        #expect(violation(.ownValues, in: history) == ["read 1 → version 5, damaged"])
    }

    @Test func `a value of a lost load can't be judged without the origin's request log`() {
        let lost = OperationRecord(.load, key: 1, outcome: .cancelled, call: 0, answer: 1, mayGiveUp: true)
        let finding = HistoryCheck(promises: Self.everything).findings(History(callers: [[lost, read(5, 2, 3)]]))[0]
        #expect(finding.verdict == .unknown)
        #expect(finding.example?.summary == "the origin of 1 values was not recorded")
    }

    // MARK: Freshness

    @Test func `a version that was replaced is not seen again`() {
        let history = History(callers: [[write(5, 0, 1), write(6, 2, 3)], [read(5, 4, 5)]])
        #expect(
            violation(.freshness, in: history) == ["write 1 version 5", "write 1 version 6", "read 1 → version 5"])
    }

    @Test func `two overlapping versions are not seen alternately`() {
        let history = History(callers: [
            [write(5, 0, 20)], [write(6, 0, 20)], [read(5, 1, 2), read(6, 3, 4), read(5, 5, 6)],
        ])
        #expect(
            violation(.freshness, in: history) == ["read 1 → version 5", "read 1 → version 6", "read 1 → version 5"])
    }

    @Test func `two readers don't see two versions in opposite orders`() {
        let history = History(callers: [
            [write(5, 0, 20)], [write(6, 0, 20)], [read(5, 1, 2), read(6, 10, 11)], [read(6, 1, 2), read(5, 10, 11)],
        ])
        #expect(violation(.freshness, in: history).count == 4)
        let findings = HistoryCheck(promises: Self.everything).findings(history)
        let text = findings.first { $0.promise == .freshness }?.example?.summary
        #expect(text == "versions 5 and 6 of key 1 were in the cache at the same time")
    }

    @Test func `a lookup that waits for a load in flight says nothing about the contents, where that is declared`() {
        // A load is overtaken by a write, and a lookup that waited for it has its value after the write was seen.
        let history = History(
            callers: [
                [load(5, .miss, 0, 100)], [read(5, 15, 101)], [write(6, 20, 30), read(6, 40, 50), read(6, 110, 120)],
            ],
            requests: [sent(5, 10, 90)])
        var promises = Promises(coalescesLoads: true, keepsNewerWrites: true)
        let findings = HistoryCheck(promises: promises).findings(history)
        let text = findings.first { $0.verdict == .inconsistent }?.example?.summary
        #expect(text == "version 6 of key 1 was in the cache before and after version 5")
        promises.lookupsJoinLoads = true
        isKept(history, promises)
    }

    @Test func `a lookup that begins after a write does not wait for an older load`() {
        let history = History(
            callers: [[load(5, .miss, 0, 100)], [read(5, 35, 101)], [write(6, 20, 30)]], requests: [sent(5, 10, 90)])
        let promises = Promises(coalescesLoads: true, keepsNewerWrites: true, lookupsJoinLoads: true)
        let findings = HistoryCheck(promises: promises).findings(history)
        let text = findings.first { $0.verdict == .inconsistent }?.example?.summary
        #expect(
            text
                == "version 5 of key 1 was fetched before version 6 was written, and a later lookup was coalesced with it"
        )
    }

    @Test func `intervals that touch overlap`() {
        isKept(History(callers: [[write(5, 0, 1), write(6, 2, 4)], [read(5, 4, 5)]]))
    }

    @Test func `a cancelled write may take effect later`() {
        let unknown = OperationRecord(.write, key: 1, version: 5, outcome: .cancelled, call: 0, answer: 1)
        isKept(History(callers: [[unknown, write(6, 2, 3), read(6, 4, 5), read(5, 6, 7)]]))
    }

    @Test func `a load may replace a newer write unless the strategy says otherwise`() {
        let history = History(
            callers: [[load(1, .miss, 0, 10), read(1, 11, 12)], [write(1 << 40, 4, 5)]], requests: [sent(1, 1, 2)])
        isKept(history, Promises())
        #expect(
            violation(.newerWritesWin, in: history)
                == ["load 1 → fetched version 1", "request 1 → version 1", "write 1 version 2", "read 1 → version 1"])
    }

    @Test func `a lost caller is drawn with the load that it joined`() {
        let lost = OperationRecord(.load, key: 1, outcome: .failed, call: 5, answer: OperationRecord.never)
        let history = History(callers: [[load(5, .miss, 0, 10)], [lost]], requests: [sent(5, 1, 9)])
        #expect(violation(.noLostCaller, in: history) == ["load 1 → fetched version 5", "load 1 → no answer"])
    }

    @Test func `a load does not join one that was requested before another caller's change`() {
        let changes = [
            write(1 << 40, 4, 5), OperationRecord(.remove, key: 1, outcome: .done, call: 4, answer: 5),
            OperationRecord(.clear, key: 0, outcome: .done, call: 4, answer: 5),
        ]
        func history(_ change: OperationRecord, joins call: UInt64, requested: UInt64 = 1) -> History {
            History(
                callers: [[load(1, .miss, 0, 10)], [change], [load(1, .joined, call, 10)]],
                requests: [sent(1, requested, 9)])
        }
        for change in changes {
            let events = violation(.newerWritesWin, in: history(change, joins: 6))
            #expect(events.count == 4 && events.last == "load 1 → joined version 1")
            // It began before the change had returned, or was requested after it had begun.
            isKept(history(change, joins: 5))
            isKept(history(change, joins: 6, requested: 4))
            isKept(history(change, joins: 6), Promises(coalescesLoads: true))
            // The change is another caller's, which this caller may see later.
            isKept(
                history(change, joins: 6),
                Promises(coalescesLoads: true, consistency: .readYourWrites, keepsNewerWrites: true))
        }
    }

    @Test func `a load that was requested after the write is newer`() {
        let history = History(
            callers: [[load(1, .miss, 0, 10), read(1, 11, 12)], [write(1 << 40, 1, 2)]], requests: [sent(1, 2, 3)])
        isKept(history)
    }

    @Test func `a load is not blamed for a value that was in the cache before the write`() {
        let history = History(
            callers: [[load(1, .miss, 0, 3), write(1 << 40, 4, 5), read(1, 6, 7)]], requests: [sent(1, 1, 2)])
        #expect(violation(.freshness, in: history).count == 3)
    }

    // MARK: Read your writes

    @Test func `a caller that promises only read-your-writes sees others' writes late`() {
        let history = History(callers: [[write(5, 0, 1), write(6, 2, 3)], [read(5, 4, 5)]])
        isKept(history, Promises(consistency: .readYourWrites))
    }

    @Test func `a caller does not see again what it had seen before its own write`() {
        let history = History(callers: [[write(5, 0, 1)], [read(5, 2, 3), write(6, 4, 5), read(5, 6, 7)]])
        let events = violation(.freshness, in: history, Promises(consistency: .readYourWrites))
        #expect(events == ["read 1 → version 5", "write 1 version 6", "read 1 → version 5"])
    }

    @Test func `a caller does not see a key that it removed by clearing`() {
        let clear = OperationRecord(.clear, key: 0, outcome: .done, call: 2, answer: 3)
        let history = History(callers: [[write(5, 0, 1), clear, read(5, 6, 7)]])
        let events = violation(.freshness, in: history, Promises(consistency: .readYourWrites))
        #expect(events == ["write 1 version 5", "clear", "read 1 → version 5"])
    }

    // MARK: No resurrection

    @Test(arguments: [OperationKind.remove, .clear, .read])
    func `a version does not come back after its removal`(kind: OperationKind) {
        let gone = OperationRecord(kind, key: 1, outcome: kind == .read ? .miss : .done, call: 2, answer: 3)
        let history = History(callers: [[write(5, 0, 1)], [gone, read(5, 4, 5)]])
        let events = violation(.noResurrection, in: history)
        #expect(events.count == 3)
        #expect(events.first == "write 1 version 5")
        #expect(events.last == "read 1 → version 5")
    }

    @Test func `a load that ends after a removal may bring its value`() {
        let remove = OperationRecord(.remove, key: 1, outcome: .done, call: 4, answer: 5)
        let history = History(
            callers: [[load(1, .miss, 0, 10), read(1, 11, 12)], [remove]], requests: [sent(1, 1, 2)])
        isKept(history, Promises())
    }
}
