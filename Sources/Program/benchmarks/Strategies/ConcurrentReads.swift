import CacheStrategies
import Reports
import Synchronization
import TrialModel

/// Times in nanoseconds per operation, of all threads together.
private struct GainTimes {
    var alone: Double
    var together: Double
    /// With a write for every nine hits.
    var mixedAlone: Double
    var mixedTogether: Double

    var gain: Double { alone / together }
}

/// Compares the throughput of two threads with that of one, when every lookup hits, with reference-counted and with
/// plain values. Also measures the limits of the machine: objects counted and not read, and objects read and not
/// counted. "Of the limit" is a row's gain as a share of that of its objects in the same turn.
extension StrategiesCommand {
    static func compareConcurrentReads(_ reads: [Int]) async throws -> Table {
        let rows: [(name: String, values: String, measure: () throws -> GainTimes)] = [
            ("objects", "counted", { measureObjects(reads, isCounted: true) }),
            ("objects", "plain", { measureObjects(reads, isCounted: false) }),
            ("lru", "counted", { try measure(LRUCache<Int, CountedNumber>.self, reads) }),
            ("lru", "plain", { try measure(LRUCache<Int, Number>.self, reads) }),
            ("sieve", "counted", { try measure(SIEVECache<Int, CountedNumber>.self, reads) }),
            ("sieve", "plain", { try measure(SIEVECache<Int, Number>.self, reads) }),
            ("rwlock-lru", "counted", { try measure(LRUBehind<ReadWriteLock, Int, CountedNumber>.self, reads) }),
            ("rwlock-lru", "plain", { try measure(LRUBehind<ReadWriteLock, Int, Number>.self, reads) }),
            ("sharded-lru", "counted", { try measure(ShardedLRUCache<Int, CountedNumber>.self, reads) }),
            ("sharded-lru", "plain", { try measure(ShardedLRUCache<Int, Number>.self, reads) }),
            ("concurrent-sieve", "counted", { try measure(ConcurrentSIEVECache<Int, CountedNumber>.self, reads) }),
            ("concurrent-sieve", "plain", { try measure(ConcurrentSIEVECache<Int, Number>.self, reads) }),
        ]
        let samples = try await inTurns(7, rows.map(\.measure))
        return Table(
            title: "Two threads", "row",
            figures: [
                "hit (ns)", "hit of two threads (ns)", "gain", "of the limit", "mixed (ns)", "mixed gain", "hit to lru",
            ],
            rows: zip(rows, samples).map { row, times in
                let (limit, lru) = row.values == "counted" ? (samples[0], samples[2]) : (samples[1], samples[3])
                return [
                    .text("\(row.name) \(row.values)"), .decimal(times.map(\.alone).median, places: 2),
                    .decimal(times.map(\.together).median, places: 2),
                    .decimal(times.map(\.gain).median, places: 2),
                    .decimal(zip(times, limit).map { $0.gain / $1.gain }.median, places: 2),
                    .decimal(times.map(\.mixedAlone).median, places: 1),
                    .decimal(times.map { $0.mixedAlone / $0.mixedTogether }.median, places: 2),
                    .decimal(zip(times, lru).map { $0.alone / $1.alone }.median, places: 2),
                ]
            })
    }

    /// How many passes over the keys are made, so that starting threads is not part of the measurement.
    private static var passes: Int { 4 }

    @inline(never)
    private static func measure<Strategy: SynchronousCacheStrategy>(_ type: Strategy.Type, _ reads: [Int]) throws
        -> GainTimes
    where Strategy.Key == Int, Strategy.Value: NumberedValue {
        let cache = try filled(type, entryLimit: KeyStreams.entryLimit * 2)
        let (read, mix) = (reading(cache), mixing(cache))
        read(reads[...])
        return GainTimes(
            alone: time(1, reads, passes: passes, read), together: time(2, reads, passes: passes, read),
            mixedAlone: time(1, reads, passes: passes, mix), mixedTogether: time(2, reads, passes: passes, mix))
    }

    /// Objects of a cache line each, as many as entries, chosen as keys are.
    private static func measureObjects(_ reads: [Int], isCounted: Bool) -> GainTimes {
        let objects = CountedObjects(count: KeyStreams.entryLimit)
        let ranks = Dictionary(uniqueKeysWithValues: (0..<KeyStreams.entryLimit).map { (KeyStreams.key(rank: $0), $0) })
        let places = reads.map { ranks[$0] ?? 0 }
        let work: Work = { places in keep(isCounted ? objects.count(places) : objects.read(places)) }
        let mix: Work = { places in keep(objects.mix(places, isCounted: isCounted)) }
        work(places[...])
        // They take a few nanoseconds each.
        let passes = passes * 4
        return GainTimes(
            alone: time(1, places, passes: passes, work), together: time(2, places, passes: passes, work),
            mixedAlone: time(1, places, passes: passes, mix), mixedTogether: time(2, places, passes: passes, mix))
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

    /// Nine reads, then a write to the object.
    @inline(never)
    func mix(_ places: ArraySlice<Int>, isCounted: Bool) -> Int {
        var sum = 0
        for (step, place) in places.enumerated() {
            let object = counts + place * Self.stride
            if step % 10 == 9 {
                object.pointee.store(step, ordering: .sequentiallyConsistent)
            } else if isCounted {
                sum &+= object.pointee.wrappingAdd(1, ordering: .relaxed).newValue
                object.pointee.wrappingSubtract(1, ordering: .releasing)
            } else {
                sum &+= object.pointee.load(ordering: .relaxed)
            }
        }
        return sum
    }
}
