/// Estimates how many different keys there are, from the smallest of their hashes (Z. Bar-Yossef, T. S. Jayram, R. Kumar, D.
/// Sivakumar, L. Trevisan: Counting Distinct Elements in a Data Stream, RANDOM 2002). Exact up to 1,024 keys; the standard
/// error is 3 % from then on. As it needs the smallest hashes alone, a sample of keys by their hash serves it as well.
struct KeyCount: Sendable {
    /// The smallest hashes, ascending.
    private var smallest: [UInt64] = []

    private static var countMax: Int { 1024 }

    /// Adds a key's hash. O(1) for most keys, O(1,024) for a new one among the smallest.
    mutating func add(_ hash: UInt64) {
        if smallest.count == Self.countMax, hash >= smallest[Self.countMax - 1] { return }
        var (low, high) = (0, smallest.count)
        while low < high {
            let middle = (low + high) / 2
            if smallest[middle] < hash { low = middle + 1 } else { high = middle }
        }
        if low < smallest.count, smallest[low] == hash { return }
        if smallest.count == Self.countMax { smallest.removeLast() }
        smallest.insert(hash, at: low)
    }

    /// The number of keys.
    ///
    /// - Parameters:
    ///   - lastHash: all keys up to this hash were added.
    ///   - share: the share of all keys that these are.
    func estimate(lastHash: UInt64, share: Double) -> Double {
        guard smallest.count == Self.countMax, let last = smallest.last, last <= lastHash else {
            return Double(smallest.count { $0 <= lastHash }) / share
        }
        return Double(Self.countMax - 1) / (Double(last) / 0x1p64)
    }
}

/// A random sample of lookups, which tells how much of the traffic the popular keys have.
@usableFromInline
struct MeterProbes: Sendable {
    private var hashes: [UInt64] = []
    private var count: UInt64 = 0

    /// One of so many lookups of a thread is a probe.
    @inlinable
    static var interval: UInt64 { 256 }
    private static var countMax: Int { 2048 }

    /// Adds a lookup, in place of a random earlier one when there are enough (J. S. Vitter: Random Sampling with a
    /// Reservoir, ACM TOMS 11(1), 1985). O(1).
    mutating func add(_ hash: UInt64) {
        count += 1
        guard hashes.count == Self.countMax else { return hashes.append(hash) }
        // As random as need be, and the same in every run.
        let place = StableHash.word(count) % count
        if place < UInt64(Self.countMax) { hashes[Int(place)] = hash }
    }

    /// The chance that two lookups are of the same key; 0 with less than two lookups. O(probes · log probes).
    var concentration: Double {
        guard hashes.count > 1 else { return 0 }
        var (pairs, run) = (0.0, 0.0)
        var last: UInt64?
        for hash in hashes.sorted() {
            run = hash == last ? run + 1 : 0
            pairs += run
            last = hash
        }
        let all = Double(hashes.count)
        return pairs / (all * (all - 1) / 2)
    }
}
