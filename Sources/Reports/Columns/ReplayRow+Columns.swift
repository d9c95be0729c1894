package import TrialModel

extension ReplayRow: ResultRow {
    /// A row with nothing in it, to be filled from cells.
    package static var blank: ReplayRow { ReplayRow(trace: "", policy: "") }

    /// The columns of `replay.csv`.
    package static var columns: [Column<ReplayRow>] {
        [
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
            ratio(
                "hit_ratio",
                "hits / requests; for a sample corrected for how many requests it drew, and empty where that is too few.",
                \.hitRatio),
            ratio("byte_hit_ratio", "Bytes of the hits / bytes asked for; empty without sizes.", \.byteHitRatio),
            Column(
                "sample_rate", type: .ratio, "The share of the keys that were replayed; 1 for all.",
                cell: { DecimalText.fixed($0.sampleRate, places: 6) },
                read: { text, row in
                    guard let value = DecimalText.parse(text), value > 0, value <= 1 else { return false }
                    row.sampleRate = value
                    return true
                }),
            ratio(
                "hit_ratio_error", "The standard error of the hit ratio of a sample; empty when all was replayed.",
                \.hitRatioError),
            .decimal(
                "requests_per_second", unit: "1/s", places: 0, "Of the policy alone; reading the trace is not in it.",
                \.requestsPerSecond),
        ]
    }

    private static func ratio(
        _ name: String, _ meaning: String, _ path: any WritableKeyPath<ReplayRow, Double?> & Sendable
    ) -> Column<ReplayRow> {
        Column(name, type: .ratio, meaning) {
            $0[keyPath: path].map { DecimalText.fixed($0, places: 6) } ?? ""
        } read: { text, row in
            guard !text.isEmpty else { return true }
            guard let value = DecimalText.parse(text), (0...1).contains(value) else { return false }
            row[keyPath: path] = value
            return true
        }
    }
}
