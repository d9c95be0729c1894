/// A row of `replay.csv`: one eviction policy with one capacity over one trace.
package struct ReplayRow: ResultRow {
    package static let file = "replay.csv"

    package var trace = ""
    package var policy = ""
    package var capacity = Capacity()
    package var requests: UInt64 = 0
    package var hits: UInt64 = 0
    package var misses: UInt64 = 0
    package var expirations: UInt64?
    package var hitRatio: Double?
    package var byteHitRatio: Double?
    package var costSaved: Double?
    package var sampleRate = 1.0
    package var hitRatioError: Double?
    package var warmUpShare: Double?
    package var requestsPerSecond: Double?

    package init() {}

    package static let columns: [Column<ReplayRow>] =
        [
            Column("trace", "The trace's file name, with as much of its path as makes it unique.", \.trace),
            Column("policy", "The eviction policy's name.", \.policy),
            Column(
                "capacity_entries", "The most entries the policy may hold; empty when the capacity is in bytes.",
                \.capacity.entries),
            Column(
                "capacity_bytes", unit: "bytes",
                "The most bytes the policy may hold; empty when the capacity is in entries.",
                \.capacity.bytes),
            Column(
                "requests", "Requests that are counted: those of the trace without removals, and without a warm-up.",
                \.requests),
            Column("hits", "Requests for a key in the cache.", \.hits),
            Column("misses", "All other requests.", \.misses),
            Column(
                "expirations", "Those of them that found an entry whose lifetime was over; empty where none expires.",
                \.expirations),
            .ratio(
                "hit_ratio",
                "hits / requests; corrected for the number of sampled requests, and empty when that is too low.",
                \.hitRatio),
            .ratio("byte_hit_ratio", "Bytes of the hits / requested bytes; empty without sizes.", \.byteHitRatio),
            .ratio("cost_saved", "Cost of the hits / cost of all requests; empty where no cost is known.", \.costSaved),
            .decimal(
                "sample_rate", type: .ratio, places: 6, in: .leastNonzeroMagnitude...1,
                "The share of the keys that were replayed; 1 for all.", \.sampleRate),
            .ratio(
                "hit_ratio_error", "The standard error of a sample's hit ratio; empty when all requests were replayed.",
                \.hitRatioError),
            .ratio(
                "warm_up", "The share of the trace that filled the cache and is not counted; empty without a warm-up.",
                \.warmUpShare),
        ].repeating() + [
            .decimal(
                "requests_per_second", unit: "1/s", places: 0,
                "The speed of the policy alone, without reading the trace.",
                \.requestsPerSecond)
        ]
}
