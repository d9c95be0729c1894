import CacheStrategies
import Foundation
import Platform
import Reports
import Synchronization
import TrialModel

/// The longest hits while another thread evicts, and clears so that tables grow again.
extension StrategiesCommand {
    static func slowestHits(_ reads: [Int]) throws -> Table {
        let rows = [
            ("lru", try slowest(LRUCache<Int, Number>.self, reads)),
            ("sharded-lru", try slowest(ShardedLRUCache<Int, Number>.self, reads)),
            ("concurrent-sieve", try slowest(ConcurrentSIEVECache<Int, Number>.self, reads)),
        ]
        return Table(
            title: "Hits while another thread evicts, clears and lets tables grow; with the clock's own time, in ns",
            "strategy", figures: ["p50", "p99", "p99.9", "max"],
            rows: rows.map { name, times in
                [.text(name)]
                    + [0.5, 0.99, 0.999, 1].map { share in
                        let index = min(Int(Double(times.count) * share), times.count - 1)
                        return .decimal(Double(times[index]), places: 0)
                    }
            })
    }

    private static func slowest<Strategy: SynchronousCacheStrategy>(_ type: Strategy.Type, _ reads: [Int]) throws
        -> [UInt64]
    where Strategy.Key == Int, Strategy.Value == Number {
        let cache = try filled(type)
        let finished = DispatchSemaphore(value: 0)
        return withExtendedLifetime(cache) {
            let stop = StopSign()
            Thread.detachNewThread {
                var rank = 0
                while !stop.isSet {
                    cache.insert(Number(rank), forKey: KeyStreams.key(rank: rank % KeyStreams.keyCount), cost: 1)
                    rank &+= 1
                    if rank % (KeyStreams.keyCount * 2) == 0 { cache.removeAll() }
                }
                finished.signal()
            }
            var times: [UInt64] = []
            times.reserveCapacity(reads.count)
            var sum = 0
            for key in reads {
                let start = Nanoclock.now()
                let value = cache.value(forKey: key)
                let end = Nanoclock.now()
                sum &+= value?.number ?? 1
                times.append(end &- start)
            }
            keep(sum)
            stop.set()
            finished.wait()
            return times.sorted()
        }
    }
}

/// Tells another thread to stop.
private final class StopSign: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .relaxed) }
    func set() { flag.store(true, ordering: .relaxed) }
}
