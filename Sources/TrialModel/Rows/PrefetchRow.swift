/// What became of the values that were prefetched. The first five add up to the fetches that were answered.
package struct PrefetchEnds: Codable, Hashable, Sendable {
    /// A lookup found the value.
    package var used: UInt64 = 0
    /// A lookup came while it was fetched, and waited for it.
    package var joined: UInt64 = 0
    /// A lookup came while it was fetched, and fetched it as well.
    package var overtaken: UInt64 = 0
    /// It was gone before it was looked up.
    package var evicted: UInt64 = 0
    /// Nobody looked it up.
    package var unused: UInt64 = 0
    /// The encoded bytes of those that were of no use to anybody.
    package var wastedBytes: UInt64 = 0
    /// Lookups that waited for a fetch that went on at low priority.
    package var inversions: UInt64 = 0
    /// Fetches that began after their key had been called off.
    package var late: UInt64 = 0

    package init() {}
}

/// A row of `prefetch.csv`: what prefetching was worth in a phase, and what it cost.
package struct PrefetchRow: PhaseRow {
    package var key: RowKey
    package var isOwn = false
    package var calls: UInt64 = 0
    package var keysNamed: UInt64 = 0
    package var requests: UInt64 = 0
    package var lowPriority: UInt64 = 0
    package var raised: UInt64 = 0
    package var cancelled: UInt64 = 0
    package var failed: UInt64 = 0
    package var visibleAgain: UInt64 = 0
    package var visibleLost: UInt64 = 0
    // What became of the values: `nil` where there was too much to be written down.
    package var used: UInt64?
    package var joined: UInt64?
    package var overtaken: UInt64?
    package var evicted: UInt64?
    package var unused: UInt64?
    package var wastedBytes: UInt64?
    package var inversions: UInt64?
    package var late: UInt64?

    package init(key: RowKey) {
        self.key = key
    }

    /// Notes what became of the values.
    package mutating func note(_ ends: PrefetchEnds) {
        (used, joined, overtaken, evicted, unused) = (ends.used, ends.joined, ends.overtaken, ends.evicted, ends.unused)
        (wastedBytes, inversions, late) = (ends.wastedBytes, ends.inversions, ends.late)
    }

    /// Of the values that came those that were of use, from 0 to 1; `nil` where none came.
    package var usefulShare: Double? {
        guard let used, let joined, let overtaken, let evicted, let unused else { return nil }
        let answered = used &+ joined &+ overtaken &+ evicted &+ unused
        return answered > 0 ? Double(used &+ joined) / Double(answered) : nil
    }

    /// How long a look-up waits at least for a fetch at low priority until that counts as an inversion, in nanoseconds.
    package static let shortestInversion: UInt64 = 1_000_000

    package static let blank = PrefetchRow(key: .blank)

    package static let columns: [Column<PrefetchRow>] =
        keyColumns + [
            Column("own", "Whether the strategy has a prefetch of its own: `yes` or `no`.", \.isOwn),
            Column("calls", "Operations `prefetch`.", \.calls),
            Column("keys", "Keys that they named.", \.keysNamed),
            Column("requests", "Fetches that they began; a key that is held needs none.", \.requests),
            Column("used", "Values that a lookup found.", \.used),
            Column("joined", "Values that a lookup waited for, because they were on their way.", \.joined),
            Column("overtaken", "Values that a lookup fetched as well, while they were on their way.", \.overtaken),
            Column("evicted", "Values that were gone, or fetched once more, before a lookup.", \.evicted),
            Column("unused", "Values that no lookup asked for in the phase.", \.unused),
            Column(
                "wasted_bytes", unit: "bytes", "Encoded bytes of the values that were overtaken, evicted or unused.",
                \.wastedBytes),
            Column("low_priority", "Fetches that began at low priority.", \.lowPriority),
            Column("raised", "Of those the ones whose priority was raised, because a user began to wait.", \.raised),
            Column(
                "inversions", "Lookups that waited a millisecond or more for a fetch that went on at low priority.",
                \.inversions),
            Column("cancelled", "Fetches that were cancelled.", \.cancelled),
            Column(
                "late_requests", "Fetches that began after their key had been called off, and were not cancelled.",
                \.late),
            Column("failed", "Fetches that failed.", \.failed),
            Column(
                "visible_again", "Lookups of a key that was among the last ones of its client, as many as are visible.",
                \.visibleAgain),
            Column("visible_lost", "Of those the ones that were no hit.", \.visibleLost),
        ] + sweptColumns
}
