package import CacheStrategies
import TrialModel

/// Judges a history by what the strategy promised: a finding for each promise that histories can break.
///
/// ```swift
/// let check = HistoryCheck(promises: Promises(coalescesLoads: true))
/// for finding in check.findings(history) where finding.verdict == .inconsistent { ... }
/// ```
///
/// A sound strategy is never accused: moments are compared strictly, so that what touches overlaps; an operation that
/// failed or was cancelled may take effect at any later time, or never; a value that a load fetched may be refused; any
/// entry may be evicted at any time. What can't be told is ``ConsistencyVerdict/unknown``, with the reason as the
/// example's summary, and so is a promise that nothing in the history could have broken.
///
/// | promise | judged | what is forbidden |
/// | --- | --- | --- |
/// | `own-values` | always | another key's value, a damaged one, one that nobody had yet written or sent |
/// | `freshness` | linearizable | a version seen before and after another one was there: exact, by zones |
/// | | read your writes | a version that the caller had met before its own last write or removal |
/// | `newer-writes-win` | when declared | a hit on what was requested before a write that has returned since |
/// | `no-resurrection` | linearizable | a version seen before and after a removal, a clear, or a lookup without result |
/// | `counts` | always | loads that say they fetched and requests that don't match |
/// | `single-flight` | when declared | two requests for a key at once, without a change or a lost load to excuse it |
/// | `no-lost-caller` | always | an operation that never returned |
/// | `errors` | always | an error when no request for the key was under way |
/// | `cancellation` | when isolated | a cancelled caller that had not given up |
/// | `own-past` | when loads are shared | a load that gives what was requested before a change its caller had made |
/// | `limits` | by its terms | more held at one moment than the limit, by what was seen before and after it |
/// | `retention` | by its terms | a lookup without result where nothing can have removed or evicted the entry |
/// | `lifetimes` | by its terms | a hit after the entry's lifetime |
///
/// The insert of a fetched value happens between the origin's answer and the return of the load that says it fetched
/// it. That a load replaces what was written meanwhile is therefore no matter of `freshness`. `violations` are versions for
/// the promises about time, and operations or requests otherwise.
///
/// Zones are exact as long as each version of a key is made once; a history in which one is made twice is not judged.
package struct HistoryCheck: Sendable {
    /// What the strategy promised.
    package var promises: Promises
    /// What the cache was opened with; without it nothing is said of limits, lifetimes and what must be found.
    package var terms: HistoryTerms?

    package init(promises: Promises, terms: HistoryTerms? = nil) {
        self.promises = promises
        self.terms = terms
    }

    /// The findings, in the order of ``Promise``. O(n log n) in the operations and requests; besides the history it takes
    /// 8 bytes for each of them, and some 100 for each event of the busiest key.
    package func findings(_ history: History) -> [PromiseFinding] {
        if let flaw = LogFlaw.first(in: history) { return allUnknown("invalid log: \(flaw)") }
        var check = KeyCheck(history, HistoryIndex(history), promises: promises, terms: terms)
        for rank in 0..<check.index.keyCount {
            check.judge(key: rank)
            if let flaw = check.flaw { return allUnknown("invalid log: \(flaw)") }
        }
        return promises.judged(by: terms).map { finding(of: $0, in: history, check) }
    }

    private func allUnknown(_ reason: String) -> [PromiseFinding] {
        promises.judged(by: terms).map { .unknown($0, because: reason) }
    }

    private func finding(of promise: Promise, in history: History, _ check: KeyCheck) -> PromiseFinding {
        let tallies = check.tallies
        let gap = check.list.gap
        switch promise {
        case .ownValues:
            return tallies.ownValues.finding(of: promise, gap: nil, nothing: "no value was returned")
        case .freshness:
            let nothing = "no key had a hit and more than one version"
            return tallies.freshness.finding(of: promise, gap: nil, nothing: nothing)
        case .newerWritesWin:
            let nothing = "no fetched value of a key that was changed was hit"
            return tallies.newerWritesWin.finding(of: promise, gap: gap, nothing: nothing)
        case .noResurrection:
            let nothing = "no key had a hit and a removal or a miss"
            return tallies.noResurrection.finding(of: promise, gap: nil, nothing: nothing)
        case .counts:
            return tallies.counts.finding(of: promise, gap: gap, nothing: "there were no loads")
        case .singleFlight:
            return tallies.singleFlight.finding(of: promise, gap: gap, nothing: "there were no requests")
        case .errors:
            let unseen = history.mayFailUnseen ? "a fetch may have failed before the origin knew of it" : nil
            return tallies.errors.finding(of: promise, gap: gap ?? unseen, nothing: "no load failed")
        case .cancellation:
            return tallies.cancellation.finding(of: promise, gap: nil, nothing: "no load was cancelled beside another")
        case .noLostCaller:
            return Self.lostCallers(in: history, check.writer)
                .finding(of: promise, gap: nil, nothing: "there were no operations")
        case .ownPast:
            return tallies.ownPast.finding(
                of: promise, gap: gap, nothing: "no caller loaded a key with others that it had changed before")
        case .limits:
            guard let terms else { break }
            return LimitCheck(terms, promises, check.writer).tally(check.held, history.samples)
                .finding(of: promise, gap: nil, nothing: "nothing was seen of what was held")
        case .retention:
            return tallies.retention.finding(
                of: promise, gap: nil, nothing: "no lookup came when nothing could have been evicted")
        case .lifetimes:
            return tallies.lifetimes.finding(of: promise, gap: nil, nothing: "no hit is known to be of which age")
        case .isolatedValues, .admission, .costs, .noLeakedLoad, .noLeaks, .durability:
            break
        }
        return .unknown(promise, because: "a history does not show it")
    }

    /// Only the last operation of a caller can be one that never returned.
    private static func lostCallers(in history: History, _ writer: ExampleWriter) -> PromiseTally {
        var tally = PromiseTally()
        tally.checked = UInt64(history.count)
        for (caller, operations) in history.callers.enumerated() {
            guard let last = operations.last, !last.isAnswered else { continue }
            let reference = EventReference(caller: caller, position: operations.count - 1)
            tally.violate(eventCount: 1) { writer.example("a call never returned", [reference]) }
        }
        return tally
    }
}

extension KeyCheck.OriginList {
    /// What can't be judged by it, in words.
    fileprivate var gap: String? {
        switch self {
        case .complete: nil
        case .partial: "the origin wrote down only a part of its requests"
        case .absent: "the origin kept no list of its requests"
        }
    }
}
