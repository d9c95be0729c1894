import CacheStrategies
import TrialModel

/// Judges a history key by key. One instance judges many keys, one after the other, and reuses its memory.
struct KeyCheck {
    /// How complete the origin's list of requests is.
    enum OriginList: Sendable {
        case complete
        /// Some requests were not recorded.
        case partial
        case absent
    }

    let promises: Promises
    /// What the cache was opened with; `nil` where it isn't known.
    let terms: HistoryTerms?
    let index: HistoryIndex
    let writer: ExampleWriter
    let list: OriginList
    /// For each caller, its own removals of all keys that surely took effect, in its order.
    let ownClears: [Int: [EventReference]]

    /// Tells when a lookup that finds nothing can't be explained by an eviction; `nil` where retention is not judged.
    let retention: RetentionIndex?

    var tallies = PromiseTallies()
    /// The times in which keys were certainly held; empty where no limit is judged.
    var held: [HeldSpan] = []
    /// The reason why the history is invalid; `nil` when none was found.
    var flaw: String?

    var events = KeyEvents()
    /// The versions of the current key.
    var zones: [VersionZone] = []
    /// The number of the current key, for messages.
    var key: UInt32 = 0

    init(_ history: History, _ index: HistoryIndex, promises: Promises, terms: HistoryTerms?) {
        self.promises = promises
        self.terms = terms
        let judged = promises.judged(by: terms)
        retention = terms.flatMap { judged.contains(.retention) ? RetentionIndex(history, index, promises, $0) : nil }
        self.index = index
        writer = ExampleWriter(history: history)
        list = history.droppedRequests > 0 ? .partial : history.requests.isEmpty ? .absent : .complete
        ownClears = Dictionary(grouping: index.clears.map(\.reference)) { $0.caller }
    }

    /// Judges the operations and requests of a key. O(n log n) in their number.
    mutating func judge(key rank: Int) {
        events.fill(writer.history, index, key: rank)
        guard
            let first = index.operations(ofKey: rank).first.map({ writer.operation($0).key })
                ?? events.requests.first?.request.key
        else { return }
        key = first
        events.sortValues()
        judgeValues()
        switch promises.consistency {
        case .linearizable: judgeFreshness()
        case .readYourWrites: judgeOwnWrites(key: rank)
        case .eventual: break
        }
        if promises.keepsNewerWrites { judgeNewerWrites() }
        if promises.coalescesLoads { judgeSingleFlight() }
        if promises.coalescesLoads, promises.consistency != .eventual { judgeOwnPast(key: rank) }
        if let terms {
            if promises.isLimitJudged(by: terms), promises.consistency != .eventual { noteHeld(terms) }
            if promises.timeToLive.kind != .none { judgeLifetimes(terms) }
        }
        if let retention { judgeRetention(key: rank, retention) }
        judgeCounts()
        if events.hasFailures { judgeErrors() }
        if events.hasCancellations, promises.cancellation == .isolated { judgeCancellations() }
    }
}

/// The tallies of the promises that are judged key by key.
struct PromiseTallies: Sendable {
    var ownValues = PromiseTally()
    var freshness = PromiseTally()
    var newerWritesWin = PromiseTally()
    var noResurrection = PromiseTally()
    var counts = PromiseTally()
    var singleFlight = PromiseTally()
    var errors = PromiseTally()
    var cancellation = PromiseTally()
    var ownPast = PromiseTally()
    var retention = PromiseTally()
    var lifetimes = PromiseTally()
}
