import CacheStrategies
import Foundation
import Platform
import Synchronization
import TrialModel

/// The longest hits while another thread evicts, and clears so that tables grow again.
extension StrategiesCommand {
    static func measureSlowestHits(_ reads: [Int]) {
        print("\nHits while another thread evicts, clears and lets tables grow; with the clock's own time, in ns")
        print("strategy             p50       p99     p99.9       max")
        for (name, times) in [
            ("lru", slowest(LRUCache<Int, Number>.self, reads)),
            ("sharded-lru", slowest(ShardedLRUCache<Int, Number>.self, reads)),
            ("concurrent-sieve", slowest(ConcurrentSIEVECache<Int, Number>.self, reads)),
        ] {
            func part(_ share: Double) -> Double {
                Double(times[min(Int(Double(times.count) * share), times.count - 1)])
            }
            print(
                name.padding(toLength: 16, withPad: " ", startingAt: 0),
                String(format: "%7.0f %9.0f %9.0f %9.0f", part(0.5), part(0.99), part(0.999), part(1)))
        }
    }

    private static func slowest<Strategy: SynchronousCacheStrategy>(_ type: Strategy.Type, _ reads: [Int]) -> [UInt64]
    where Strategy.Key == Int, Strategy.Value == Number {
        let cache = opened(type, entryLimit: KeyStreams.entryLimit)
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
