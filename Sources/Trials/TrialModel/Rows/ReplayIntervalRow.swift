/// A row of `replay_intervals.csv`: one eviction policy with one capacity over one interval of one trace.
package struct ReplayIntervalRow: ResultRow {
    package static let file = "replay_intervals.csv"

    package var trace = ""
    package var policy = ""
    package var capacity = Capacity()
    package var startNanoseconds: UInt64 = 0
    package var requests: UInt64 = 0
    package var hits: UInt64 = 0
    package var hitRatio: Double?

    package init() {}

    package static let columns: [Column<ReplayIntervalRow>] = [
        Column("trace", "The trace's file name, with as much of its path as makes it unique.", \.trace),
        Column("policy", "The eviction policy's name.", \.policy),
        Column(
            "capacity_entries", "The most entries the policy may hold; empty when the capacity is in bytes.",
            \.capacity.entries),
        Column(
            "capacity_bytes", unit: "bytes",
            "The most bytes the policy may hold; empty when the capacity is in entries.", \.capacity.bytes),
        Column(
            "start_ns", unit: "ns", "When the interval begins, since the first request of the trace.",
            \.startNanoseconds),
        Column("requests", "Requests of the interval that are counted, without removals.", \.requests),
        Column("hits", "Those for a key in the cache.", \.hits),
        .ratio("hit_ratio", "hits / requests.", \.hitRatio),
    ].repeating()
}
