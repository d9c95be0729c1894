/// A row of `replay.csv`: one eviction policy of one size over one trace.
package struct ReplayRow: ResultRow {
    package var trace: String
    package var policy: String
    package var capacity = Capacity()
    package var requests: UInt64 = 0
    package var hits: UInt64 = 0
    package var misses: UInt64 = 0
    package var hitRatio: Double?
    package var byteHitRatio: Double?
    package var sampleRate = 1.0
    package var hitRatioError: Double?
    package var requestsPerSecond: Double?

    package init(trace: String, policy: String) {
        self.trace = trace
        self.policy = policy
    }

    package static let blank = ReplayRow(trace: "", policy: "")

    package static let columns: [Column<ReplayRow>] = [
        Column("trace", "The trace's file name, with as much of its path as tells it from the others.", \.trace),
        Column("policy", "The eviction policy's name.", \.policy),
        Column(
            "capacity_entries", "How many entries it may hold; empty where the size is in bytes.",
            \.capacity.entries),
        Column(
            "capacity_bytes", unit: "bytes", "How many bytes it may hold; empty where the size is in entries.",
            \.capacity.bytes),
        Column("requests", "Requests of the trace; those that remove a key are not counted.", \.requests),
        Column("hits", "Requests for a key that was held.", \.hits),
        Column("misses", "All other requests.", \.misses),
        .ratio(
            "hit_ratio",
            "hits / requests; for a sample corrected for how many requests it drew, and empty where that is too few.",
            \.hitRatio),
        .ratio("byte_hit_ratio", "Bytes of the hits / bytes asked for; empty without sizes.", \.byteHitRatio),
        .decimal(
            "sample_rate", type: .ratio, places: 6, in: .leastNonzeroMagnitude...1,
            "The share of the keys that were replayed; 1 for all.", \.sampleRate),
        .ratio(
            "hit_ratio_error", "The standard error of the hit ratio of a sample; empty when all was replayed.",
            \.hitRatioError),
        .decimal(
            "requests_per_second", unit: "1/s", places: 0, "Of the policy alone; reading the trace is not in it.",
            \.requestsPerSecond),
    ]
}
