import ArgumentParser
import CacheStrategies
import Reports
import TrialModel

/// `strategies`: measures `lru` against a plain dictionary behind NSLock, and the other policies against `lru`: the same
/// keys, in turns, from outside the library.
struct StrategiesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "strategies",
        abstract:
            "Measures strategies against a dictionary behind a lock and against each other, as ratios of one run.",
        discussion: """
            Prints medians in nanoseconds per operation, and medians of the ratios of
            neighbouring turns, which other load on the machine disturbs less.
            """)

    private static let operationCount = 1_000_000

    @Flag(name: .customLong("concurrent"), help: "Only the gain of two threads on hits.")
    var concurrentOnly = false

    func run() async throws {
        var streams = KeyStreams(seed: 1)
        let reads = streams.zipf(ranks: KeyStreams.entryLimit, count: Self.operationCount)
        print("Zipf 0.99, 100,000 keys, 10,000 entries, integer keys and values; \(Self.freeCoresNow)")
        if !concurrentOnly {
            let absent = streams.absent(count: Self.operationCount)
            let writes = streams.zipf(ranks: KeyStreams.keyCount, count: Self.operationCount)
            Self.report(try await Self.compareWithDictionary(reads: reads, absent: absent, writes: writes))
            Self.report(try await Self.comparePolicies(reads: reads, writes: writes))
        }
        Self.report(try await Self.compareConcurrentReads(reads))
        Self.report(try Self.slowestHits(reads))
    }

    private static var freeCoresNow: String { "free cores now: \(DecimalText.fixed(freeCores(), places: 2))" }

    private static func report(_ table: Table) {
        print("\n\(table.rendered(as: .markdown))\n\(freeCoresNow)")
    }

    private static func compareWithDictionary(
        reads: [Int], absent: [Int], writes: [Int]
    ) async throws -> Table {
        let cases: [(name: String, goal: Double?, keys: [Int], isRead: Bool)] = [
            ("hit", 1.7, reads, true), ("miss", nil, absent, true), ("set with eviction", 1.6, writes, false),
            ("set without eviction", nil, reads, false),
        ]
        var rows: [[TableCell]] = []
        for threads in [1, 2] {
            for (name, goal, keys, isRead) in cases {
                let dictionary = LockedDictionary<Int, Int>()
                for rank in 0..<KeyStreams.entryLimit { dictionary.insert(rank, forKey: KeyStreams.key(rank: rank)) }
                let lru = try filled(LRUCache<Int, Number>.self)
                let (plain, ours) = isRead ? (dictionary.reading, reading(lru)) : (dictionary.writing, writing(lru))
                _ = (time(threads, keys, plain), time(threads, keys, ours))
                let samples = try await inTurns(15, [{ time(threads, keys, plain) }, { time(threads, keys, ours) }])
                let ratio = zip(samples[1], samples[0]).map { $0 / $1 }.median
                let isKept = goal.flatMap { goal in ratio.map { $0 <= goal } } == true
                rows.append([
                    .text(name), .text("\(threads)"), .decimal(samples[0].median, places: 1),
                    .decimal(samples[1].median, places: 1), .decimal(ratio, places: 2),
                    .text(threads == 1 ? goal.map { "\($0) \(isKept ? "kept" : "missed")" } ?? "" : ""),
                ])
            }
        }
        return Table(
            title: "lru and a dictionary behind a lock", "operation",
            figures: ["threads", "dictionary, ns", "lru, ns", "ratio", "goal"], rows: rows)
    }
}

extension LockedDictionary<Int, Int> {
    fileprivate var reading: Work {
        { keys in
            var sum = 0
            for key in keys { sum &+= self.value(forKey: key) ?? 1 }
            keep(sum)
        }
    }

    fileprivate var writing: Work { { keys in for key in keys { self.insert(key, forKey: key) } } }
}
