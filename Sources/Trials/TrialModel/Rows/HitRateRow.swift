/// A row of `hit-rate.csv`. Hits + misses = lookups; joined, failed and cancelled loads count as misses.
package struct HitRateRow: MeasurementRow {
    package static let file = "hit-rate.csv"
    package static let keyColumnCount = 5
    package static var place: Place { \.hitRates }
    package static func main(of result: PhaseResult) -> HitRateRow? { result.hitRate }

    package var key = RowKey()
    package var pool = Selection<String>.all
    package var capacity = Capacity()
    package var lookups: UInt64 = 0
    package var hits: UInt64 = 0
    package var misses: UInt64 = 0
    /// Decoded bytes of the requested values, and of the hits among them. Their ratio is the byte hit ratio.
    package var bytesLookedUp: UInt64 = 0
    package var bytesHit: UInt64 = 0
    package var optimalHitRatio: Double?
    package var writes: UInt64 = 0
    package var removals: UInt64 = 0
    /// From the strategy's own statistics; `nil` when it keeps none.
    package var evictions: UInt64?
    package var expirations: UInt64?
    /// From the origin's log.
    package var originLoads: UInt64?
    package var duplicateLoads: UInt64?
    package var joinedLoads: UInt64 = 0
    package var failedLoads: UInt64 = 0
    /// `nil` when operations have no due times, as in closed loops.
    package var droppedOperations: UInt64?
    /// From the strategy's own statistics.
    package var duplicateReads: UInt64?
    /// The tier in which hits were found, for a row about one tier.
    package var tier = Selection<HitTier>.all

    package init(
        key: RowKey, pool: Selection<String> = .all, capacity: Capacity, lookups: UInt64 = 0, hits: UInt64 = 0,
        misses: UInt64 = 0
    ) {
        self.key = key
        self.pool = pool
        self.capacity = capacity
        self.lookups = lookups
        self.hits = hits
        self.misses = misses
    }

    /// Hits / lookups, from 0 to 1; `nil` without lookups.
    package var hitRatio: Double? { lookups == 0 ? nil : Double(hits) / Double(lookups) }

    /// Bytes of the hits / requested bytes, from 0 to 1; `nil` when no bytes were requested.
    package var byteHitRatio: Double? { bytesLookedUp == 0 ? nil : Double(bytesHit) / Double(bytesLookedUp) }

    package init() {}

    package static let columns: [Column<HitRateRow>] =
        (keyColumns + [
            Column("pool", "A key pool's name, or `all`.", \.pool),
            Column(
                "capacity_entries", "The most entries the cache may hold; empty means no limit.",
                \.capacity.entries),
            Column(
                "capacity_bytes", unit: "bytes", "The most bytes the cache may hold; empty means no limit.",
                \.capacity.bytes),
            Column("lookups", "Reads, loads and callers of bursts.", \.lookups),
            Column("hits", "Lookups that the cache answered.", \.hits),
            Column(
                "misses",
                "All other lookups: with coalesced, failed and cancelled loads, which `miss` in latency.csv leaves out.",
                \.misses),
            .ratio("hit_ratio", "hits / lookups.", of: { $0.hitRatio }),
            .ratio(
                "byte_hit_ratio", "Bytes of the hits / bytes of the requested values.",
                of: { $0.byteHitRatio }),
            .ratio(
                "optimal_hit_ratio",
                "The hit ratio that no cache of this capacity exceeds, even if it knows the future.",
                \.optimalHitRatio),
            Column("writes", "Values inserted by `write` operations.", \.writes),
            Column("removals", "Keys named by `remove` operations.", \.removals),
            Column("evictions", "Entries evicted, by the strategy's own count.", \.evictions),
            Column(
                "expirations", "Entries that reached the end of their lifetime, by the strategy's own count.",
                \.expirations),
            Column("origin_loads", "Requests that reached the origin, by its log.", \.originLoads),
            Column(
                "duplicate_loads",
                "Requests that reached the origin while another request for the same key was in flight.",
                \.duplicateLoads),
            Column("joined_loads", "Callers that waited for a load in flight instead of starting one.", \.joinedLoads),
            Column("failed_loads", "Loads that threw an error.", \.failedLoads),
            Column(
                "dropped_operations", "Operations that were due but could not be sent in time.", \.droppedOperations),
            Column(
                "bytes_looked_up", unit: "bytes",
                "Bytes of the requested values, so that ratios of several rows can be combined.",
                \.bytesLookedUp),
            Column("bytes_hit", unit: "bytes", "Bytes of the hits.", \.bytesHit),
            Column(
                "duplicate_reads",
                "Reads of a file while another caller was reading it, by the strategy's own count.",
                \.duplicateReads),
            Column(
                "tier", "The tier in which the row's hits were found, if the strategy reports it, or `all`.", \.tier
            ).whereMissing("all"),
        ] + sweptColumns).repeating()
}
