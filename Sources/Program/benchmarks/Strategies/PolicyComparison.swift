import CacheStrategies
import Reports
import TrialModel

/// Times of a strategy in a turn, in nanoseconds per operation.
private struct Times {
    var hit: Double
    var set: Double
    var hitOnTwoThreads: Double
    var setOnTwoThreads: Double
}

extension StrategiesCommand {
    /// For each policy the cost of a hit and of a set that evicts, relative to `lru`, and the throughput of two threads
    /// relative to one.
    static func comparePolicies(reads: [Int], writes: [Int]) async throws -> Table {
        let strategies: [(name: String, measure: () throws -> Times)] = [
            ("lru", { try measure(LRUCache<Int, Number>.self, reads, writes) }),
            ("fifo", { try measure(FIFOCache<Int, Number>.self, reads, writes) }),
            ("clock", { try measure(CLOCKCache<Int, Number>.self, reads, writes) }),
            ("sieve", { try measure(SIEVECache<Int, Number>.self, reads, writes) }),
            ("s3-fifo", { try measure(S3FIFOCache<Int, Number>.self, reads, writes) }),
            ("two-queue", { try measure(TwoQueueCache<Int, Number>.self, reads, writes) }),
            ("arc", { try measure(ARCCache<Int, Number>.self, reads, writes) }),
            ("lfu", { try measure(LFUCache<Int, Number>.self, reads, writes) }),
            ("w-tinylfu", { try measure(WTinyLFUCache<Int, Number>.self, reads, writes) }),
            ("lirs", { try measure(LIRSCache<Int, Number>.self, reads, writes) }),
            ("rwlock-lru", { try measure(LRUBehind<ReadWriteLock, Int, Number>.self, reads, writes) }),
            ("sharded-lru", { try measure(ShardedLRUCache<Int, Number>.self, reads, writes) }),
            ("sharded-s3-fifo", { try measure(ShardedS3FIFOCache<Int, Number>.self, reads, writes) }),
            ("concurrent-sieve", { try measure(ConcurrentSIEVECache<Int, Number>.self, reads, writes) }),
        ]
        let samples = try await inTurns(7, strategies.map(\.measure))
        let rows = zip(strategies, samples).map { strategy, times -> [TableCell] in
            let gains = [
                times.map { $0.hit / $0.hitOnTwoThreads }.median, times.map { $0.set / $0.setOnTwoThreads }.median,
            ]
            let isKept = gains.allSatisfy { ($0 ?? 0) >= 1.8 }
            return [
                .text(strategy.name), .decimal(times.map(\.hit).median, places: 1),
                .decimal(times.map(\.set).median, places: 1),
                .decimal(zip(times, samples[0]).map { $0.hit / $1.hit }.median, places: 2),
                .decimal(zip(times, samples[0]).map { $0.set / $1.set }.median, places: 2),
                .decimal(gains[0], places: 2), .decimal(gains[1], places: 2),
                .text(strategy.name.hasPrefix("sharded") ? "1.8 \(isKept ? "kept" : "missed")" : ""),
            ]
        }
        return Table(
            title: "Policies: one thread in ns and next to lru; two threads, throughput of one = 1", "strategy",
            figures: ["hit", "set", "hit to lru", "set to lru", "hits of two", "sets of two", "goal for shards"],
            rows: rows)
    }

    /// A turn of a strategy.
    @inline(never)
    private static func measure<Strategy: SynchronousCacheStrategy>(
        _ type: Strategy.Type, _ reads: [Int], _ writes: [Int]
    ) throws -> Times where Strategy.Key == Int, Strategy.Value == Number {
        try Times(
            hit: time(1, reads, reading(filled(type))), set: time(1, writes, writing(filled(type))),
            hitOnTwoThreads: time(2, reads, reading(filled(type))),
            setOnTwoThreads: time(2, writes, writing(filled(type))))
    }
}
