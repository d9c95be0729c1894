package import TrialModel

extension HitRateRow {
    /// Hits per lookup, from 0 to 1; `nil` without lookups.
    package var hitRatio: Double? { lookups == 0 ? nil : Double(hits) / Double(lookups) }

    /// Bytes of the hits per byte asked for, from 0 to 1; `nil` when no bytes were asked for.
    package var byteHitRatio: Double? { bytesLookedUp == 0 ? nil : Double(bytesHit) / Double(bytesLookedUp) }
}

extension HitRateRow: PhaseRow {
    /// A row with nothing in it, to be filled from cells.
    package static var blank: HitRateRow { HitRateRow(key: .blank, capacity: Capacity()) }

    /// The columns of `hit-rate.csv`.
    package static var columns: [Column<HitRateRow>] {
        keyColumns + [
            Column("pool", "A key pool's name, or `all`.", \.pool),
            Column(
                "capacity_entries", "The most entries the cache may hold; empty means no limit.",
                \.capacity.entries),
            Column(
                "capacity_bytes", unit: "bytes", "The most bytes the cache may hold; empty means no limit.",
                \.capacity.bytes),
            Column("lookups", "Reads, loads and callers of bursts.", \.lookups),
            Column("hits", "Lookups that the cache answered.", \.hits),
            Column("misses", "All other lookups: joined, failed and cancelled loads as well.", \.misses),
            hitRatioColumn,
            byteHitRatioColumn,
            optimalHitRatioColumn,
            Column("writes", "Values that `write` operations inserted.", \.writes),
            Column("removals", "Keys that `remove` operations named.", \.removals),
            Column("evictions", "Entries evicted, by the strategy's own count.", \.evictions),
            Column(
                "expirations", "Entries that reached the end of their lifetime, by the strategy's own count.",
                \.expirations),
            Column("origin_loads", "Requests that reached the origin, by its log.", \.originLoads),
            Column(
                "duplicate_loads",
                "Requests for a key that reached the origin while another one for the same key was under way.",
                \.duplicateLoads),
            Column("joined_loads", "Callers that waited for a load under way instead of starting one.", \.joinedLoads),
            Column("failed_loads", "Loads that threw an error.", \.failedLoads),
            Column(
                "dropped_operations", "Operations that were due but could not be sent in time.", \.droppedOperations),
            Column(
                "bytes_looked_up", unit: "bytes",
                "Bytes of the values asked for, so that ratios of several parts add up.",
                \.bytesLookedUp),
            Column("bytes_hit", unit: "bytes", "Bytes of the values that were hits.", \.bytesHit),
        ]
    }

    /// Follows from `hits` and `lookups`, so that reading it changes nothing.
    private static var hitRatioColumn: Column<HitRateRow> {
        Column(
            "hit_ratio", type: .ratio, "hits / lookups.",
            cell: { $0.hitRatio.map { DecimalText.fixed($0, places: 6) } ?? "" },
            read: { text, _ in text.isEmpty || ratio(text) != nil }
        )
    }

    /// Follows from `bytes_hit` and `bytes_looked_up`, so that reading it changes nothing.
    private static var byteHitRatioColumn: Column<HitRateRow> {
        Column(
            "byte_hit_ratio", type: .ratio, "Bytes of the values that were hits / bytes of the values asked for.",
            cell: { $0.byteHitRatio.map { DecimalText.fixed($0, places: 6) } ?? "" },
            read: { text, _ in text.isEmpty || ratio(text) != nil }
        )
    }

    private static var optimalHitRatioColumn: Column<HitRateRow> {
        Column(
            "optimal_hit_ratio", type: .ratio, "The hit ratio of a cache of this capacity that knows the future.",
            cell: { $0.optimalHitRatio.map { DecimalText.fixed($0, places: 6) } ?? "" },
            read: { text, row in
                guard !text.isEmpty else { return true }
                row.optimalHitRatio = ratio(text)
                return row.optimalHitRatio != nil
            }
        )
    }

    private static func ratio(_ text: String) -> Double? {
        guard let value = DecimalText.parse(text), (0...1).contains(value) else { return nil }
        return value
    }
}
