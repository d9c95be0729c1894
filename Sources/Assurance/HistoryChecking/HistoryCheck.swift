package import CacheStrategies
import TrialModel

/// Judges a history against the strategy's promises: one finding for each promise that a history can show to be
/// broken.
///
/// ```swift
/// let check = HistoryCheck(promises: Promises(coalescesLoads: true))
/// for finding in check.findings(history) where finding.verdict == .inconsistent { ... }
/// ```
///
/// A correct strategy is never accused: moments are compared strictly, so that intervals that touch overlap; an
/// operation that failed or was cancelled may take effect at any later time, or never; a value that a load fetched
/// may be refused; an entry may be evicted at any time, unless the cache promises to keep what fits. What can't be decided is ``ConsistencyVerdict/unknown``,
/// with the reason as the example's summary; so is a promise that nothing in the history could have broken.
///
/// | promise | judged | what is forbidden |
/// | --- | --- | --- |
/// | `own-values` | always | another key's value, a damaged value, a value before it was written or sent |
/// | `freshness` | linearizable | a version seen both before and after another version: exact, by zones |
/// | | read your writes | a version that the caller had seen before its own last write or removal |
/// | `newer-writes-win` | when declared | a hit on a value that was requested before a write that has returned since, |
/// | | | or a load that begins after that and joins the one that fetches the value |
/// | `no-resurrection` | linearizable | a version seen before and after a removal, a clear, or a miss |
/// | `counts` | always | loads that report a fetch and requests whose numbers don't match |
/// | `single-flight` | when declared | two requests in flight for a key, without a change or lost load as the reason |
/// | `no-lost-caller` | always | an operation that never returned |
/// | `errors` | always | an error when no request for the key was in flight |
/// | `cancellation` | when isolated | a load that ends as cancelled although its caller did not cancel it |
/// | `own-past` | when loads are shared | a load that returns a value requested before its caller's own last change |
/// | `limits` | by its terms | more held at one moment than the limit, by keys seen before and after it |
/// | `retention` | by its terms | a lookup that finds nothing where nothing can have removed or evicted the entry |
/// | `lifetimes` | by its terms | a hit after the entry's lifetime |
///
/// The insert of a fetched value happens between the origin's answer and the return of the load that reports the
/// fetch. So a load that replaces a value written meanwhile does not break `freshness`. `violations` counts versions
/// for the promises about time, and operations or requests otherwise.
///
/// Zones are exact as long as each version of a key is made once; a history in which a version is made twice is not
/// judged.
package struct HistoryCheck: Sendable {
    /// What the strategy promised.
    package var promises: Promises
    /// What the cache was opened with; `nil` leaves limits, lifetimes and retention unjudged.
    package var terms: HistoryTerms?

    package init(promises: Promises, terms: HistoryTerms? = nil) {
        self.promises = promises
        self.terms = terms
    }

    /// The findings, in the order of ``Promise``. O(n log n) in the operations and requests. Besides the history it
    /// takes 8 bytes for each of them, and some 100 bytes for each event of the busiest key.
    package func findings(_ history: History) -> [PromiseFinding] {
        if let flaw = LogFlaw.first(in: history) { return allUnknown(flaw) }
        var check = KeyCheck(history, HistoryIndex(history), promises: promises, terms: terms)
        for rank in 0..<check.index.keyCount {
            check.judge(key: rank)
            if let flaw = check.flaw { return allUnknown(flaw) }
        }
        return promises.judged(by: terms).map { finding(of: $0, in: history, check) }
    }

    private func allUnknown(_ flaw: String) -> [PromiseFinding] {
        promises.judged(by: terms).map { promise in
            var finding = PromiseFinding.unknown(promise, because: "invalid log: \(flaw)")
            finding.flaw = flaw
            return finding
        }
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
            let nothing = "no fetched value of a key that was changed was hit or coalesced"
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
            return tallies.cancellation.finding(
                of: promise, gap: nil, nothing: "no load was cancelled while another was in flight")
        case .noLostCaller:
            return Self.lostCallers(in: history, check.writer)
                .finding(of: promise, gap: nil, nothing: "there were no operations")
        case .ownPast:
            return tallies.ownPast.finding(
                of: promise, gap: gap, nothing: "no caller missed or was coalesced on a key that it had changed before")
        case .limits:
            guard let terms else { break }
            return LimitCheck(terms, promises, check.writer).tally(check.held, history.samples)
                .finding(of: promise, gap: nil, nothing: "no held entries were observed")
        case .retention:
            return tallies.retention.finding(
                of: promise, gap: nil, nothing: "every lookup came when entries could have been evicted")
        case .lifetimes:
            return tallies.lifetimes.finding(of: promise, gap: nil, nothing: "no hit has a known age")
        case .contents, .isolatedValues, .admission, .costs, .noLeakedLoad, .noLeaks, .durability, .memoryPressure,
            .prefetching:
            break
        }
        return .unknown(promise, because: "a history does not show it")
    }

    /// The loads of a lost load's key that were the last to end, or never did: who led it, and some that joined.
    private static func loads(of lost: OperationRecord, in history: History) -> [EventReference] {
        guard lost.kind == .load || lost.kind == .burst else { return [] }
        var found: [EventReference] = []
        for (caller, operations) in history.callers.enumerated() {
            let position = operations.lastIndex {
                ($0.kind == .load || $0.kind == .burst) && $0.key == lost.key && $0.answer >= lost.call
            }
            if let position { found.append(EventReference(caller: caller, position: position)) }
        }
        return Array(found.prefix(4))
    }

    /// Only the last operation of a caller can be unanswered.
    private static func lostCallers(in history: History, _ writer: ExampleWriter) -> PromiseTally {
        var tally = PromiseTally()
        tally.checked = UInt64(history.count)
        for (caller, operations) in history.callers.enumerated() {
            guard let last = operations.last, !last.isAnswered else { continue }
            let reference = EventReference(caller: caller, position: operations.count - 1)
            tally.violate(eventCount: 1) {
                writer.example("a call never returned", [reference] + loads(of: last, in: history))
            }
        }
        return tally
    }
}

extension KeyCheck.OriginList {
    /// Why the list is not enough to judge by, in words; `nil` when it is complete.
    fileprivate var gap: String? {
        switch self {
        case .complete: nil
        case .partial: "the origin recorded only a part of its requests"
        case .absent: "the origin kept no list of its requests"
        }
    }
}
