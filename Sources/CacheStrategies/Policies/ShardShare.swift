import Foundation

/// How a cache's limits are split over shards.
@usableFromInline
package enum ShardShare {
    /// The smallest share of a shard, in entries.
    package static var leastEntries: Int { 128 }
    /// The smallest share of a shard, in bytes.
    package static var leastCost: Int { 1 << 20 }

    /// The number of shards of a cache on a machine with `coreCount` cores: a power of two.
    @usableFromInline
    package static func count(for configuration: StrategyConfiguration, coreCount: Int) -> Int {
        var count = 1
        while count < 4 * coreCount, count < 256 { count *= 2 }
        let most = min(
            max(configuration.entryLimit ?? .max, 0) / leastEntries, max(configuration.costLimit ?? .max, 0) / leastCost
        )
        while count > 1, count > most { count /= 2 }
        return count
    }

    /// A shard's share of a limit. The first shards get the remainder.
    @usableFromInline
    static func of(_ limit: Int, _ number: Int, _ count: Int) -> Int {
        let limit = max(limit, 0)
        return limit / count + (number < limit % count ? 1 : 0)
    }

    /// The sums over the shards.
    static func sum(_ shards: [CacheStatistics]) -> CacheStatistics {
        var (entries, cost, evictions, loads) = (0, UInt128(0), UInt64(0), 0)
        for statistics in shards {
            entries += statistics.entryCount ?? 0
            cost += UInt128(statistics.totalCost ?? 0)
            evictions += statistics.evictions ?? 0
            loads += statistics.loadsInFlight ?? 0
        }
        return CacheStatistics(
            entryCount: entries, totalCost: Int(clamping: cost), evictions: evictions, loadsInFlight: loads)
    }
}
