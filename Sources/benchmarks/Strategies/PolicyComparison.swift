import CacheStrategies
import EvictionPolicies
import Foundation

/// An integer as a value.
struct Number: CacheableValue {
    let number: Int

    init(_ number: Int) { self.number = number }
    init(encoded: Data) { self.init(encoded.count) }
    func encoded() -> Data { Data(count: 8) }
    var cost: Int { 1 }
}

/// Times of a strategy in a turn, in nanoseconds per operation.
private struct Times {
    var hit: Double
    var set: Double
    var hitOnTwoThreads: Double
    var setOnTwoThreads: Double
}

extension StrategiesCommand {
    /// Prints for each policy the cost of a hit and of a set that evicts, relative to `lru`, and the throughput of two
    /// threads relative to one.
    static func comparePolicies(reads: [Int], writes: [Int]) {
        let strategies: [(name: String, measure: () -> Times)] = [
            ("lru", { measure(LRUCache<Int, Number>.self, reads, writes) }),
            ("fifo", { measure(FIFOCache<Int, Number>.self, reads, writes) }),
            ("clock", { measure(CLOCKCache<Int, Number>.self, reads, writes) }),
            ("sieve", { measure(SIEVECache<Int, Number>.self, reads, writes) }),
            ("s3-fifo", { measure(S3FIFOCache<Int, Number>.self, reads, writes) }),
            ("two-queue", { measure(TwoQueueCache<Int, Number>.self, reads, writes) }),
            ("arc", { measure(ARCCache<Int, Number>.self, reads, writes) }),
            ("lfu", { measure(LFUCache<Int, Number>.self, reads, writes) }),
            ("w-tinylfu", { measure(WTinyLFUCache<Int, Number>.self, reads, writes) }),
            ("lirs", { measure(LIRSCache<Int, Number>.self, reads, writes) }),
            ("rwlock-lru", { measure(LRUBehind<ReadWriteLock, Int, Number>.self, reads, writes) }),
            ("sharded-lru", { measure(ShardedLRUCache<Int, Number>.self, reads, writes) }),
            ("sharded-s3-fifo", { measure(ShardedS3FIFOCache<Int, Number>.self, reads, writes) }),
            ("concurrent-sieve", { measure(ConcurrentSIEVECache<Int, Number>.self, reads, writes) }),
        ]
        let samples = inTurns(strategies.map(\.measure))
        print("")
        print("                      one thread, ns     next to lru     two threads, throughput of one = 1")
        print("strategy              hit      set       hit    set      hit    set    goal for shards")
        for (index, strategy) in strategies.enumerated() {
            let times = samples[index]
            let ratios = zip(times, samples[0]).map { ($0.hit / $1.hit, $0.set / $1.set) }
            let hitGain = median(times.map { $0.hit / $0.hitOnTwoThreads })
            let setGain = median(times.map { $0.set / $0.setOnTwoThreads })
            let isSharded = strategy.name.hasPrefix("sharded")
            let goal = isSharded ? "1.8 \(min(hitGain, setGain) >= 1.8 ? "kept" : "missed")" : ""
            let columns = String(
                format: "%6.1f %8.1f %9.2f %6.2f %8.2f %6.2f", median(times.map(\.hit)), median(times.map(\.set)),
                median(ratios.map(\.0)), median(ratios.map(\.1)), hitGain, setGain)
            print("\(strategy.name.padding(toLength: 18, withPad: " ", startingAt: 0)) \(columns)    \(goal)")
        }
    }

    /// A turn of a strategy. Specialised here, as a user's code would be.
    @inline(never)
    private static func measure<Strategy: SynchronousCacheStrategy>(
        _ type: Strategy.Type, _ reads: [Int], _ writes: [Int]
    ) -> Times where Strategy.Key == Int, Strategy.Value == Number {
        func cache() -> Strategy {
            let cache = opened(type, entryLimit: KeyStreams.entryLimit)
            for rank in 0..<KeyStreams.entryLimit {
                cache.insert(Number(rank), forKey: KeyStreams.key(rank: rank), cost: 1)
            }
            return cache
        }
        func time(_ threads: Int, _ keys: [Int], _ work: @escaping @Sendable (Strategy, ArraySlice<Int>) -> Void)
            -> Double
        {
            let cache = cache()
            let share = keys.count / threads
            return nanosecondsPerOperation(share * threads) {
                onThreads(threads) { number in work(cache, keys[number * share..<(number + 1) * share]) }
            }
        }
        let read: @Sendable (Strategy, ArraySlice<Int>) -> Void = { cache, keys in
            var sum = 0
            for key in keys { sum &+= cache.value(forKey: key)?.number ?? 1 }
            keep(sum)
        }
        let write: @Sendable (Strategy, ArraySlice<Int>) -> Void = { cache, keys in
            for key in keys { cache.insert(Number(key), forKey: key, cost: 1) }
        }
        return Times(
            hit: time(1, reads, read), set: time(1, writes, write), hitOnTwoThreads: time(2, reads, read),
            setOnTwoThreads: time(2, writes, write))
    }
}
