/// What a meter counted in some time: lookups, and misses of each miniature by group of keys. All are estimates for the whole
/// traffic: a request of a key in a sample of 1 in 64 counts 64.
struct MeterCounts: Sendable {
    /// The lookups that the meter saw, of sampled keys or not.
    var lookups = 0.0
    /// The lookups of each group's sampled keys.
    var sampled: [Double]
    /// The misses of each miniature, group by group.
    var misses: [Double]
    /// The different keys since the meter's start, at the end.
    var keys = 0.0
    /// The first and the last time, by the monotonic clock.
    var startNanoseconds: UInt64 = .max
    var endNanoseconds: UInt64 = 0

    /// The groups of keys, whose differences tell how much chance there is in the sample.
    static var groupCount: Int { 16 }

    /// The group of a key.
    @inline(__always)
    static func group(_ hash: UInt64) -> Int { Int(hash & UInt64(groupCount - 1)) }

    init(miniatureCount: Int) {
        sampled = Array(repeating: 0, count: Self.groupCount)
        misses = Array(repeating: 0, count: Self.groupCount * miniatureCount)
    }

    mutating func add(_ other: MeterCounts) {
        lookups += other.lookups
        for index in sampled.indices { sampled[index] += other.sampled[index] }
        for index in misses.indices { misses[index] += other.misses[index] }
        keys = max(keys, other.keys)
        startNanoseconds = min(startNanoseconds, other.startNanoseconds)
        endNanoseconds = max(endNanoseconds, other.endNanoseconds)
    }
}

/// The counts of a meter since its start, of its last hour and of its last day.
///
/// The whole time is kept as at most 32 periods of about the same number of lookups: when there are more, two neighbours
/// become one. Quarters of an hour and hours are kept for as long as a window needs them.
struct MeterHistory: Sendable {
    /// The periods since the start, the first one first.
    private(set) var periods: [MeterCounts] = []
    private var quarters: [MeterCounts] = []
    private var hours: [MeterCounts] = []
    /// A period with as many lookups is complete.
    private(set) var periodLength = 256.0

    static var periodCountMax: Int { 32 }
    static var quarterNanoseconds: UInt64 { 900_000_000_000 }
    static var hourNanoseconds: UInt64 { 4 * quarterNanoseconds }
    static var dayNanoseconds: UInt64 { 24 * hourNanoseconds }

    /// Adds what was counted since the last time. O(miniatures), amortised.
    mutating func add(_ counts: MeterCounts) {
        if let last = periods.last, last.lookups < periodLength {
            periods[periods.count - 1].add(counts)
        } else {
            periods.append(counts)
        }
        if periods.count > Self.periodCountMax {
            periods = stride(from: 0, to: periods.count, by: 2).map { index in
                var pair = periods[index]
                if index + 1 < periods.count { pair.add(periods[index + 1]) }
                return pair
            }
            // A count may be longer than a period. Periods become as long then, so that all have about the same length.
            periodLength = max(2 * periodLength, periods[0].lookups)
        }
        Self.add(counts, to: &quarters, length: Self.quarterNanoseconds, window: Self.hourNanoseconds)
        Self.add(counts, to: &hours, length: Self.hourNanoseconds, window: Self.dayNanoseconds)
    }

    private static func add(
        _ counts: MeterCounts, to buckets: inout [MeterCounts], length: UInt64, window: UInt64
    ) {
        if let last = buckets.last, counts.endNanoseconds < last.startNanoseconds + length {
            buckets[buckets.count - 1].add(counts)
        } else {
            buckets.append(counts)
        }
        let end = counts.endNanoseconds
        buckets.removeAll { $0.endNanoseconds < end && end - $0.endNanoseconds > window }
    }

    /// The counts since the start; `nil` before the first lookup.
    var total: MeterCounts? { Self.sum(periods[...]) }

    /// The counts of the last hour, up to a quarter of an hour more.
    func lastHour(at now: UInt64) -> MeterCounts? { Self.window(quarters, Self.hourNanoseconds, now) }

    /// The counts of the last day, up to an hour more.
    func lastDay(at now: UInt64) -> MeterCounts? { Self.window(hours, Self.dayNanoseconds, now) }

    private static func window(_ buckets: [MeterCounts], _ length: UInt64, _ now: UInt64) -> MeterCounts? {
        sum(buckets.filter { $0.endNanoseconds >= now || now - $0.endNanoseconds <= length }[...])
    }

    private static func sum(_ counts: ArraySlice<MeterCounts>) -> MeterCounts? {
        guard var sum = counts.first else { return nil }
        for next in counts.dropFirst() { sum.add(next) }
        return sum
    }
}
