/// The outcomes of prefetched values. The first five add up to the number of answered fetches.
package struct PrefetchEnds: Equatable, Sendable {
    /// A lookup found the value.
    package var used: UInt64 = 0
    /// A lookup came while the value was being fetched, and waited for it.
    package var joined: UInt64 = 0
    /// A lookup came while the value was being fetched, and fetched it again.
    package var overtaken: UInt64 = 0
    /// The value was evicted before a lookup.
    package var evicted: UInt64 = 0
    /// No lookup asked for the value.
    package var unused: UInt64 = 0
    /// The encoded bytes of the values that served no lookup.
    package var wastedBytes: UInt64 = 0
    /// Fetches that began after the prefetch of their key had been cancelled.
    package var late: UInt64 = 0

    package init() {}
}

/// A row of `prefetch.csv`: the benefit and the cost of prefetching in a phase.
package struct PrefetchRow: MeasurementRow {
    package static let file = "prefetch.csv"
    package static var place: Place { \.prefetch.list }
    package static func isExpected(of scenario: Scenario?) -> Bool {
        scenario?.phases.contains { $0.prefetching != nil } ?? false
    }

    package var key = RowKey()
    package var isOwn = false
    package var calls: UInt64 = 0
    package var keysNamed: UInt64 = 0
    package var requests: UInt64 = 0
    package var cancelled: UInt64 = 0
    package var failed: UInt64 = 0
    package var visibleAgain: UInt64 = 0
    package var visibleLost: UInt64 = 0
    // The outcomes of the values: `nil` when there were too many events to record.
    package var used: UInt64?
    package var joined: UInt64?
    package var overtaken: UInt64?
    package var evicted: UInt64?
    package var unused: UInt64?
    package var wastedBytes: UInt64?
    package var late: UInt64?

    /// Stores the outcomes of the values.
    package mutating func note(_ ends: PrefetchEnds) {
        (used, joined, overtaken, evicted, unused) = (ends.used, ends.joined, ends.overtaken, ends.evicted, ends.unused)
        (wastedBytes, late) = (ends.wastedBytes, ends.late)
    }

    /// The share of fetched values that were used or joined, from 0 to 1; `nil` when no value was fetched.
    package var usefulShare: Double? {
        guard let used, let joined, let overtaken, let evicted, let unused else { return nil }
        let answered = used &+ joined &+ overtaken &+ evicted &+ unused
        return answered > 0 ? Double(used &+ joined) / Double(answered) : nil
    }

    package init() {}

    package static let columns: [Column<PrefetchRow>] =
        keyColumns + [
            Column("own", "Whether the strategy has a prefetch of its own: `yes` or `no`.", \.isOwn),
            Column("calls", "`prefetch` operations.", \.calls),
            Column("keys", "Keys named by `prefetch` operations.", \.keysNamed),
            Column("requests", "Fetches that prefetching began; a cached key needs none.", \.requests),
            Column("used", "Values that a lookup found.", \.used),
            Column("joined", "Values that a lookup waited for while they were being fetched.", \.joined),
            Column("overtaken", "Values that a lookup fetched again while they were being fetched.", \.overtaken),
            Column("evicted", "Values that were evicted, or fetched again, before a lookup.", \.evicted),
            Column("unused", "Values that no lookup asked for in the phase.", \.unused),
            Column(
                "wasted_bytes", unit: "bytes", "Encoded bytes of the values that were overtaken, evicted or unused.",
                \.wastedBytes),
            Column("cancelled", "Fetches that were cancelled.", \.cancelled),
            Column(
                "late_requests", "Fetches that began after the prefetch of their key had been cancelled, and ran on.",
                \.late),
            Column("failed", "Fetches that failed.", \.failed),
            Column(
                "visible_again",
                "Lookups of a key that is visible: one of the client's last keys, as many as are visible.",
                \.visibleAgain),
            Column("visible_lost", "Those of them that were not hits.", \.visibleLost),
        ] + sweptColumns
}
