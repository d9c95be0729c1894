import ArgumentParser
import CacheStrategies
import Foundation

/// `strategies`: measures `lru` against a plain dictionary behind NSLock, and the other policies against `lru`: the same
/// keys, in turns, from outside the library.
struct StrategiesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "strategies",
        abstract:
            "Measures strategies against a dictionary behind a lock and against each other, as ratios of one run.",
        discussion: """
            Prints medians in nanoseconds per operation, and medians of the ratios of
            neighbouring turns, which other load on the machine disturbs less.
            """)

    static let operationCount = 1_000_000
    static let turns = 15

    @Flag(name: .customLong("concurrent"), help: "Only the gain of two threads on hits.")
    var concurrentOnly = false

    func run() {
        var streams = KeyStreams(seed: 1)
        let reads = streams.zipf(ranks: KeyStreams.entryLimit, count: Self.operationCount)
        print("Zipf 0.99, 100,000 keys, 10,000 entries, integer keys and values; \(Self.turns) turns each")
        Self.reportFreeCores()
        if !concurrentOnly {
            let absent = streams.absent(count: Self.operationCount)
            let writes = streams.zipf(ranks: KeyStreams.keyCount, count: Self.operationCount)
            Self.compareWithDictionary(reads: reads, absent: absent, writes: writes)
            Self.reportFreeCores()
            Self.comparePolicies(reads: reads, writes: writes)
            Self.reportFreeCores()
        }
        Self.compareConcurrentReads(reads)
        Self.measureSlowestHits(reads)
        Self.reportFreeCores()
    }

    private static func reportFreeCores() { print(String(format: "free cores now: %.2f", freeCores())) }

    private static func compareWithDictionary(reads: [Int], absent: [Int], writes: [Int]) {
        print("operation              threads  dictionary ns   lru ns   ratio   goal")
        for threads in [1, 2] {
            compare("hit", threads, goal: 1.7, keys: reads, read)
            compare("miss", threads, goal: nil, keys: absent, read)
            compare("set with eviction", threads, goal: 1.6, keys: writes, write)
            compare("set without eviction", threads, goal: nil, keys: reads, write)
        }
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
}
