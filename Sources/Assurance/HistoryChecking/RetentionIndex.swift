import CacheStrategies
import TrialModel

/// Tells when a lookup that finds nothing can't be explained by an eviction.
struct RetentionIndex: Sendable {
    /// From this moment on, entries may be evicted to make room for others.
    let evictableFrom: UInt64
    /// When an entry of each key may have been inserted; `nil` where an eviction may come later than the insert.
    private let inserts: OwnedSpanCover<UInt32>?
    /// Writes and removals of any key.
    private let changes: SpanCover
    /// Removals of all keys.
    private let clears: SpanCover
    private let losses: [UInt64]

    /// A cache with several shards may evict in one of them before it is full. Where the strategy reports no eviction
    /// count, only the limit divided by this number counts as certainly free of evictions.
    private static var surePart: Int { 8 }
    /// The most operations whose inserts are sorted; that takes some 100 MB.
    private static var insertCountMax: Int { 1 << 22 }

    /// O(n log n) in the operations.
    init(_ history: History, _ index: HistoryIndex, _ promises: Promises, _ terms: HistoryTerms) {
        losses = history.losses
        clears = SpanCover(sorted: index.possibleClears)
        var collector = Collector(terms: terms)
        for operations in history.callers {
            for operation in operations { collector.add(operation) }
        }
        changes = SpanCover(collector.changes)
        // An entry may make room for a dearer value of its own key, and be evicted itself.
        let isAtOnce = promises.limit != .soft && !terms.worksInBackground && !collector.costsVary
        inserts = isAtOnce && collector.inserts.count <= Self.insertCountMax ? OwnedSpanCover(collector.inserts) : nil

        let newKeys = collector.firsts.values.sorted { $0.start < $1.start }
        func exceeding(part: Int) -> UInt64 {
            let entryLimit = terms.entryLimit.map { $0 / part } ?? .max
            let costLimit = terms.costLimit.map { $0 / part } ?? .max
            var cost = 0
            for (count, key) in newKeys.enumerated() {
                let (sum, overflows) = cost.addingReportingOverflow(key.cost)
                cost = overflows ? .max : sum
                if count + 1 > entryLimit || cost > costLimit { return key.start }
            }
            return .max
        }
        // The strategy's counters restart with every opening.
        let known = history.samples.prefix { $0.answer < history.losses.first ?? .max }
        let idle = known.last { $0.evictions == 0 }?.call ?? 0
        // The measure of an approximate limit is the cache's own: any insert may evict.
        evictableFrom =
            promises.limit == .approximate ? 0 : max(exceeding(part: Self.surePart), min(exceeding(part: 1), idle))
    }

    /// Whether an entry may have been evicted for another key's entry between two moments. O(log n).
    func mayEvict(_ key: UInt32, between start: UInt64, and end: UInt64) -> Bool {
        if end < evictableFrom { return false }
        return inserts?.mayLieBetween(start, and: end, except: key) ?? true
    }

    /// Whether entries may have gone for a reason other than a removal of their key. O(log n).
    func mayLoseAll(between start: UInt64, and end: UInt64) -> Bool {
        clears.mayLieBetween(start, and: end) || losses.contains { $0 >= start && $0 <= end }
    }

    /// Whether any key may have been written or removed between two moments: a load in flight at that time need not
    /// insert the value that it fetched. O(log n).
    func mayOvertake(between start: UInt64, and end: UInt64) -> Bool {
        changes.mayLieBetween(start, and: end) || clears.mayLieBetween(start, and: end)
    }
}

/// Collects the facts about all operations.
private struct Collector {
    let terms: HistoryTerms
    var inserts: [OwnedSpanCover<UInt32>.Span] = []
    var changes: [EventSpan] = []
    /// The earliest possible insert of each key, and the highest cost that it may have.
    var firsts: [UInt32: (start: UInt64, cost: Int)] = [:]
    /// Whether values of one key differ in cost.
    var costsVary = false

    mutating func add(_ operation: OperationRecord) {
        switch operation.kind {
        case .read, .clear, .prefetch: break
        case .write, .remove:
            let isSure = operation.outcome == .done && operation.isAnswered
            let end = isSure ? operation.answer : .max
            changes.append(
                EventSpan(start: operation.call, end: end, reference: EventReference(caller: 0, position: 0)))
            if operation.kind == .write { insert(operation, until: end) }
        case .load, .burst:
            // A cancelled load may still be in flight.
            let isOver = operation.isAnswered && operation.outcome != .cancelled
            if operation.outcome != .hit { insert(operation, until: isOver ? operation.answer : .max) }
        }
    }

    private mutating func insert(_ operation: OperationRecord, until end: UInt64) {
        inserts.append(.init(start: operation.call, end: end, owner: operation.key))
        let cost = terms.costLimit == nil ? 0 : terms.cost(operation.key, max(operation.version, 1))
        let known = firsts[operation.key] ?? (operation.call, cost)
        if known.cost != cost { costsVary = true }
        firsts[operation.key] = (min(known.start, operation.call), max(known.cost, cost))
    }
}
