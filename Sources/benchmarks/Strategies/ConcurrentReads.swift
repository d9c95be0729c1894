import CacheStrategies
import Foundation
import Synchronization

/// A number as an object: every holder counts as a reference to it.
final class CountedNumber: CacheableValue {
    let number: Int

    init(_ number: Int) { self.number = number }
    convenience init(encoded: Data) { self.init(encoded.count) }
    func encoded() -> Data { Data(count: 8) }
    var cost: Int { 1 }
}

/// A value that is made from a number.
protocol NumberedValue: CacheableValue {
    init(_ number: Int)
    var number: Int { get }
}

extension Number: NumberedValue {}
extension CountedNumber: NumberedValue {}

/// Times in nanoseconds per operation, of all threads together.
private struct GainTimes {
    var alone: Double
    var together: Double
    /// With a write for every nine hits.
    var mixedAlone: Double = .nan
    var mixedTogether: Double = .nan
}

/// Compares the throughput of two threads with that of one, when every lookup hits, with reference-counted and with
/// plain values. Also measures the limits of the machine: objects counted and not read, and objects read and not
/// counted.
extension StrategiesCommand {
    static func compareConcurrentReads(_ reads: [Int]) {
        let rows: [(name: String, values: String, measure: () -> GainTimes)] = [
            ("objects, counted", "counted", { measureObjects(reads, isCounted: true) }),
            ("objects, read", "plain", { measureObjects(reads, isCounted: false) }),
            ("lru", "counted", { measure(LRUCache<Int, CountedNumber>.self, reads) }),
            ("lru", "plain", { measure(LRUCache<Int, Number>.self, reads) }),
            ("sieve", "counted", { measure(SIEVECache<Int, CountedNumber>.self, reads) }),
            ("sieve", "plain", { measure(SIEVECache<Int, Number>.self, reads) }),
            ("rwlock-lru", "counted", { measure(LRUBehind<ReadWriteLock, Int, CountedNumber>.self, reads) }),
            ("rwlock-lru", "plain", { measure(LRUBehind<ReadWriteLock, Int, Number>.self, reads) }),
            ("sharded-lru", "counted", { measure(ShardedLRUCache<Int, CountedNumber>.self, reads) }),
            ("sharded-lru", "plain", { measure(ShardedLRUCache<Int, Number>.self, reads) }),
            ("concurrent-sieve", "counted", { measure(ConcurrentSIEVECache<Int, CountedNumber>.self, reads) }),
            ("concurrent-sieve", "plain", { measure(ConcurrentSIEVECache<Int, Number>.self, reads) }),
        ]
        let samples = inTurns(rows.map(\.measure))
        print("\nHits alone, and nine hits to a write; two threads: throughput of one = 1; \(turnCount) turns")
        print("                             hits, ns                        mixed, ns           one thread")
        print("row               values   1 thread  2 threads   gain    1 thread   gain   next to lru")
        for (index, row) in rows.enumerated() {
            let times = samples[index]
            let lru = samples[row.values == "counted" ? 2 : 3]
            let columns = String(
                format: "%9.2f %10.2f %6.2f %11.1f %6.2f %13.2f", median(times.map(\.alone)),
                median(times.map(\.together)), median(times.map { $0.alone / $0.together }),
                median(times.map(\.mixedAlone)), median(times.map { $0.mixedAlone / $0.mixedTogether }),
                median(zip(times, lru).map { $0.alone / $1.alone }))
            print(
                row.name.padding(toLength: 17, withPad: " ", startingAt: 0),
                row.values.padding(toLength: 8, withPad: " ", startingAt: 0), columns)
        }
    }

    /// How many passes over the keys are made, so that starting threads is not part of the measurement.
    private static var rounds: Int { 4 }

    private static func time(_ threads: Int, _ keys: [Int], _ work: @escaping @Sendable (ArraySlice<Int>) -> Void)
        -> Double
    {
        let share = keys.count / threads
        return nanosecondsPerOperation(share * threads * rounds) {
            onThreads(threads) { number in
                for _ in 0..<rounds { work(keys[number * share..<(number + 1) * share]) }
            }
        }
    }

    @inline(never)
    private static func measure<Strategy: SynchronousCacheStrategy>(_ type: Strategy.Type, _ reads: [Int]) -> GainTimes
    where Strategy.Key == Int, Strategy.Value: NumberedValue {
        let cache = opened(type, entryLimit: KeyStreams.entryLimit * 2)
        for rank in 0..<KeyStreams.entryLimit {
            cache.insert(Strategy.Value(rank), forKey: KeyStreams.key(rank: rank), cost: 1)
        }
        let read: @Sendable (ArraySlice<Int>) -> Void = { keys in
            var sum = 0
            for key in keys { sum &+= cache.value(forKey: key)?.number ?? 1 }
            keep(sum)
        }
        let mix: @Sendable (ArraySlice<Int>) -> Void = { keys in
            var sum = 0
            for (step, key) in keys.enumerated() {
                if step % 10 == 9 {
                    cache.insert(Strategy.Value(step), forKey: key, cost: 1)
                } else {
                    sum &+= cache.value(forKey: key)?.number ?? 1
                }
            }
            keep(sum)
        }
        read(reads[...])
        return GainTimes(
            alone: time(1, reads, read), together: time(2, reads, read), mixedAlone: time(1, reads, mix),
            mixedTogether: time(2, reads, mix))
    }

    /// Objects of a cache line each, as many as entries, chosen as keys are.
    private static func measureObjects(_ reads: [Int], isCounted: Bool) -> GainTimes {
        let objects = CountedObjects(count: KeyStreams.entryLimit)
        let ranks = Dictionary(uniqueKeysWithValues: (0..<KeyStreams.entryLimit).map { (KeyStreams.key(rank: $0), $0) })
        let places = reads.map { ranks[$0] ?? 0 }
        let work: @Sendable (ArraySlice<Int>) -> Void = { places in
            keep(isCounted ? objects.count(places) : objects.read(places))
        }
        work(places[...])
        return GainTimes(alone: time(1, places, work), together: time(2, places, work))
    }
}

/// A reference-counted value as the processor sees it: a count in a cache line.
private final class CountedObjects: @unchecked Sendable {
    // Sound although unchecked: only atomic operations touch the memory, until no reference to it is left.
    private let counts: UnsafeMutablePointer<Atomic<Int>>
    /// In words: one cache line.
    private static let stride = 8
    private let number: Int

    init(count: Int) {
        number = count * Self.stride
        counts = .allocate(capacity: number)
        for place in 0..<number { (counts + place).initialize(to: Atomic(1)) }
    }

    deinit { counts.deallocate() }

    @inline(never)
    func count(_ places: ArraySlice<Int>) -> Int {
        var sum = 0
        for place in places {
            let count = counts + place * Self.stride
            sum &+= count.pointee.wrappingAdd(1, ordering: .relaxed).newValue
            count.pointee.wrappingSubtract(1, ordering: .releasing)
        }
        return sum
    }

    @inline(never)
    func read(_ places: ArraySlice<Int>) -> Int {
        var sum = 0
        for place in places { sum &+= (counts + place * Self.stride).pointee.load(ordering: .relaxed) }
        return sum
    }
}
