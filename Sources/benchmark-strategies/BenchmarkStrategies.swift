import CacheStrategies
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }

/// Measures `lru` against a plain dictionary behind NSLock, and the other policies against `lru`: the same keys, in
/// turns, from outside the library.
///
/// Prints medians in nanoseconds per operation, and medians of the ratios of neighbouring turns, which other load on
/// the machine disturbs less than the figures. The argument `concurrent` limits it to the gain of two threads.
@main
struct BenchmarkStrategies {
    static let operationCount = 1_000_000
    static let turns = 15

    static func main() {
        var streams = KeyStreams(seed: 1)
        let reads = streams.zipf(ranks: KeyStreams.entryLimit, count: operationCount)
        let absent = streams.absent(count: operationCount)
        let writes = streams.zipf(ranks: KeyStreams.keyCount, count: operationCount)
        print("Zipf 0.99, 100,000 keys, 10,000 entries, integer keys and values; \(turns) turns each")
        report("free cores before", freeCores())
        if CommandLine.arguments.contains("concurrent") {
            compareConcurrentReads(reads)
            measureSlowestHits(reads)
            return report("free cores after", freeCores())
        }
        print("operation              threads  dictionary ns   lru ns   ratio   goal")
        for threads in [1, 2] {
            compare("hit", threads, goal: 1.7, keys: reads, read)
            compare("miss", threads, goal: nil, keys: absent, read)
            compare("set with eviction", threads, goal: 1.6, keys: writes, write)
            compare("set without eviction", threads, goal: nil, keys: reads, write)
        }
        report("free cores between", freeCores())
        compareConcurrentReads(reads)
        measureSlowestHits(reads)
        report("free cores between", freeCores())
        comparePolicies(reads: reads, writes: writes)
        report("free cores after", freeCores())
    }

    /// One side of a comparison: the work on a slice of the keys.
    typealias Work = @Sendable (ArraySlice<Int>) -> Void

    static func read(_ dictionary: LockedDictionary<Int, Int>, _ lru: LRUCache<Int, Int>) -> (Work, Work) {
        (
            { keys in
                var sum = 0
                for key in keys { sum &+= dictionary.value(forKey: key) ?? 1 }
                keep(sum)
            },
            { keys in
                var sum = 0
                for key in keys { sum &+= lru.value(forKey: key) ?? 1 }
                keep(sum)
            }
        )
    }

    static func write(_ dictionary: LockedDictionary<Int, Int>, _ lru: LRUCache<Int, Int>) -> (Work, Work) {
        (
            { keys in for key in keys { dictionary.insert(key, forKey: key) } },
            { keys in for key in keys { lru.insert(key, forKey: key, cost: 1) } }
        )
    }

    static func compare(
        _ name: String, _ threads: Int, goal: Double?, keys: [Int],
        _ makeWork: (LockedDictionary<Int, Int>, LRUCache<Int, Int>) -> (Work, Work)
    ) {
        let dictionary = LockedDictionary<Int, Int>()
        let lru = LRUCache<Int, Int>(entryLimit: KeyStreams.entryLimit, costLimit: KeyStreams.entryLimit)
        for rank in 0..<KeyStreams.entryLimit {
            dictionary.insert(rank, forKey: KeyStreams.key(rank: rank))
            lru.insert(rank, forKey: KeyStreams.key(rank: rank), cost: 1)
        }
        let (plain, ours) = makeWork(dictionary, lru)
        let share = keys.count / threads
        func time(_ work: @escaping Work) -> Double {
            nanosecondsPerOperation(share * threads) {
                onThreads(threads) { number in work(keys[number * share..<(number + 1) * share]) }
            }
        }
        _ = (time(plain), time(ours))
        var samples: [(plain: Double, ours: Double)] = []
        for turn in 0..<turns {
            // The sides alternate in going first.
            if turn.isMultiple(of: 2) {
                let first = time(plain)
                samples.append((first, time(ours)))
            } else {
                let first = time(ours)
                samples.append((time(plain), first))
            }
        }
        let ratio = median(samples.map { $0.ours / $0.plain })
        let goalText = goal.map { String(format: "%.1f %@", $0, ratio <= $0 ? "kept" : "missed") } ?? ""
        let columns = String(
            format: "%7d %14.1f %8.1f %7.2f", threads, median(samples.map(\.plain)), median(samples.map(\.ours)), ratio)
        print("\(name.padding(toLength: 22, withPad: " ", startingAt: 0)) \(columns)   \(threads == 1 ? goalText : "")")
    }

    static func report(_ name: String, _ value: Double) {
        print("\(name): \(String(format: "%.2f", value))")
    }
}
