import CacheStrategies
import Testing
import TrialModel

@testable import HistoryChecking

/// Hand-written histories of loads and requests.
@Suite(.timeLimit(.minutes(1)))
struct LoadCheckTests {
    private func finding(
        _ promise: Promise, _ history: History, _ promises: Promises = HistoryCheckTests.everything
    ) -> PromiseFinding? {
        HistoryCheck(promises: promises).findings(history).first { $0.promise == promise }
    }

    private let remove = OperationRecord(.remove, key: 1, outcome: .done, call: 1, answer: 4)

    // MARK: Single flight

    private func twoRequests(_ others: [OperationRecord]) -> History {
        History(
            callers: [[load(1, .miss, 0, 10)], [load(2, .miss, 2, 12)], others],
            requests: [sent(1, 1, 8), sent(2, 3, 9)])
    }

    @Test func `two requests at once are a fault`() {
        let found = finding(.singleFlight, twoRequests([]))
        #expect(found?.verdict == .inconsistent)
        #expect(found?.violations == 1)
        #expect(found?.example?.events.map(\.what) == ["request 1 → version 1", "request 1 → version 2"])
    }

    @Test func `a removal between the loads excuses the second request`() {
        #expect(finding(.singleFlight, twoRequests([remove]))?.verdict == .consistent)
    }

    @Test func `a removal before both loads excuses nothing`() {
        let earlier = History(
            callers: [[load(1, .miss, 20, 30)], [load(2, .miss, 22, 32)], [remove]],
            requests: [sent(1, 21, 28), sent(2, 23, 29)])
        #expect(finding(.singleFlight, earlier)?.verdict == .inconsistent)
    }

    @Test func `a request abandoned by its callers excuses the next one`() {
        let history = History(
            callers: [[load(0, .cancelled, 0, 2, mayGiveUp: true)], [load(2, .miss, 2, 12)]],
            requests: [sent(1, 1, 8), sent(2, 3, 9)])
        #expect(finding(.singleFlight, history)?.verdict == .consistent)
    }

    @Test func `a request counts until its first caller has the answer`() {
        let history = History(
            callers: [[load(1, .miss, 0, 5)], [load(2, .miss, 6, 12)]], requests: [sent(1, 1, 8), sent(2, 7, 9)])
        #expect(finding(.singleFlight, history)?.verdict == .consistent)
    }

    @Test func `promises that need the origin's request log are unknown when it has gaps`() {
        var history = twoRequests([])
        history.requests.removeLast()
        history.droppedRequests = 1
        for promise in [Promise.singleFlight, .counts, .errors, .newerWritesWin] {
            #expect(finding(promise, history)?.verdict == .unknown)
        }
    }

    // MARK: Counts

    @Test func `two loads do not fetch one version`() {
        let history = History(
            callers: [[load(1, .miss, 0, 10)], [load(1, .miss, 2, 12)]], requests: [sent(1, 1, 8)])
        #expect(finding(.counts, history)?.verdict == .inconsistent)
        #expect(finding(.counts, history)?.example?.events.count == 2)
    }

    @Test func `a request that no load can have made is a fault`() {
        let history = History(callers: [[load(1, .miss, 0, 10)]], requests: [sent(1, 1, 2), sent(2, 3, 4)])
        #expect(
            finding(.counts, history)?.example?.summary
                == "the origin sent key 1 2 times, and only 1 loads can have requested it")
    }

    @Test func `a load that was cancelled may have a request`() {
        let history = History(
            callers: [[load(0, .cancelled, 0, 10, mayGiveUp: true)]], requests: [sent(1, 1, 2)])
        #expect(finding(.counts, history)?.verdict == .consistent)
    }

    // MARK: Errors

    @Test func `an error without a request is a fault`() {
        let history = History(
            callers: [[load(0, .failed, 0, 10), load(0, .failed, 11, 12)]],
            requests: [sent(0, 1, 2, isAnswered: false)])
        let found = finding(.errors, history)
        #expect(found?.violations == 1)
        #expect(found?.operationsChecked == 2)
        #expect(found?.example?.events.map(\.what) == ["request 1 → no answer", "load 1 → error"])
    }

    @Test func `a request that succeeded explains no error`() {
        let history = History(callers: [[load(0, .failed, 0, 10)]], requests: [sent(0, 1, 2)])
        #expect(finding(.errors, history)?.verdict == .inconsistent)
    }

    @Test func `a strategy that keeps errors may return one later`() {
        let history = History(
            callers: [[load(0, .failed, 0, 10), load(0, .failed, 11, 12)]],
            requests: [sent(0, 1, 2, isAnswered: false)])
        #expect(finding(.errors, history, Promises(cachesErrors: true))?.verdict == .consistent)
    }

    @Test func `a caller that joined after the origin had failed shares the error`() {
        let history = History(
            callers: [[load(0, .failed, 0, 10)], [load(0, .failed, 5, 11)]],
            requests: [sent(0, 1, 2, isAnswered: false)])
        #expect(finding(.errors, history)?.verdict == .consistent)
    }

    @Test func `an error without a request is not judged when a connection may be refused`() {
        var history = History(
            callers: [[load(0, .failed, 0, 10), load(1, .miss, 11, 14)]], requests: [sent(1, 12, 13)])
        #expect(finding(.errors, history)?.verdict == .inconsistent)
        history.mayFailUnseen = true
        #expect(finding(.errors, history)?.verdict == .unknown)
    }

    // MARK: Cancellation, lost callers

    @Test func `a caller that did not give up is not cancelled`() {
        let history = History(
            callers: [[load(0, .cancelled, 0, 5, mayGiveUp: true)], [load(0, .cancelled, 1, 6)]])
        let found = finding(.cancellation, history)
        #expect(found?.verdict == .inconsistent)
        #expect(found?.example?.events.map(\.caller) == ["client 1", "client 2"])
        #expect(finding(.cancellation, history, Promises(cancellation: .shared)) == nil)
    }

    @Test func `a call that never returned is a lost caller`() {
        let lost = OperationRecord(.load, key: 1, outcome: .failed, call: 4, answer: OperationRecord.never)
        let found = finding(.noLostCaller, History(callers: [[read(nil, 0, 1), lost]]))
        #expect(found?.verdict == .inconsistent)
        #expect(found?.operationsChecked == 2)
        #expect(found?.example?.events.map(\.what) == ["load 1 → no answer"])
    }

    // MARK: What can't be judged

    @Test(arguments: [
        [read(nil, 5, 4)], [read(nil, 0, 5), read(nil, 4, 6)],
        [read(nil, 0, OperationRecord.never), read(nil, 1, 2)], [write(5, 0, 1), write(5, 2, 3)],
        [OperationRecord(.read, key: 1, outcome: .done, call: 0, answer: 1)],
    ])
    func `a contradictory log is never consistent`(operations: [OperationRecord]) {
        let findings = HistoryCheck(promises: HistoryCheckTests.everything).findings(History(callers: [operations]))
        #expect(findings.count == HistoryCheckTests.everything.judgedByHistory.count)
        #expect(findings.allSatisfy { $0.verdict == .unknown })
        #expect(findings.allSatisfy { $0.example?.summary.hasPrefix("invalid log: ") == true })
    }

    @Test func `a request that ends before it begins makes the log invalid`() {
        let history = History(callers: [[load(1, .miss, 0, 9)]], requests: [sent(1, 4, 3)])
        #expect(finding(.ownValues, history)?.verdict == .unknown)
    }

    @Test func `an operation that was sent and not recorded makes the log invalid`() {
        var history = History(callers: [[read(nil, 0, 1)], [read(nil, 0, 2)]], sentCounts: [1, 1])
        #expect(finding(.noLostCaller, history)?.verdict == .consistent)
        history.sentCounts = [1, 2]
        let found = finding(.noLostCaller, history)
        #expect(found?.verdict == .unknown)
        #expect(found?.example?.summary == "invalid log: client 2 sent 2 operations, and 1 are recorded")
        history.sentCounts = [1]
        #expect(finding(.noLostCaller, history)?.verdict == .unknown)
    }

    @Test func `an answer that the origin has no record of makes the log invalid`() {
        var history = History(
            callers: [[load(1, .miss, 0, 10)]], requests: [sent(1, 1, 8), sent(2, 9, 10, isAnswered: false)],
            answeredFetchCount: 1)
        #expect(finding(.ownValues, history)?.verdict == .consistent)
        history.answeredFetchCount = 2
        let reason = "invalid log: 2 fetches were answered, and the origin knows of 1"
        #expect(finding(.ownValues, history)?.example?.summary == reason)
        history.droppedRequests = 1
        #expect(finding(.ownValues, history)?.verdict == .consistent)
    }

    @Test func `a clock that stops makes the log invalid`() {
        var history = History(callers: [Array(repeating: read(nil, 7, 7), count: 100)])
        #expect(finding(.noLostCaller, history)?.example?.summary == "invalid log: the clock did not advance")
        history.callers[0].append(read(nil, 8, 8))
        #expect(finding(.noLostCaller, history)?.verdict == .consistent)
    }

    @Test func `an empty history decides no promise`() {
        let findings = HistoryCheck(promises: HistoryCheckTests.everything).findings(History())
        #expect(findings.allSatisfy { $0.verdict == .unknown && $0.operationsChecked == 0 })
    }

    @Test func `promises that were not made are not judged`() {
        let promises = Promises(consistency: .eventual, cancellation: .shared)
        #expect(promises.judgedByHistory == [.ownValues, .counts, .noLostCaller, .errors])
    }

    @Test func `keys with large gaps are judged`() {
        var history = History(callers: [[write(5, 0, 1), write(6, 2, 3), read(5, 4, 5)]])
        for place in history.callers[0].indices {
            history.callers[0][place].key = 4_000_000_000
            history.callers[0][place].valueKey = 4_000_000_000
        }
        history.callers[0].insert(OperationRecord(.read, key: 7, outcome: .miss, call: 0, answer: 0), at: 0)
        #expect(finding(.freshness, history)?.verdict == .inconsistent)
    }
}
