/// Estimates how often objects were seen lately, in 8 bytes for each entry of a cache.
///
/// A count-min sketch (G. Cormode, S. Muthukrishnan, An Improved Data Stream Summary, Journal of Algorithms 55(1),
/// 2005) of counters that saturate at 15 and are halved from time to time (TinyLFU; see ``WTinyLFUPolicy``). A
/// fingerprint's four counters are in one block of 64 bytes, a cache line, so that a lookup costs one memory access.
/// Apart from saturation, it never underestimates.
@usableFromInline
struct FrequencySketch: ~Copyable {
    /// Blocks of 8 words of 16 counters of 4 bits.
    @usableFromInline
    var words: UnsafeMutablePointer<UInt64>
    /// The number of blocks, which is a power of two, minus 1.
    @usableFromInline
    var blockMask: Int
    /// The number of increments since the counters were last halved; it is halved with them.
    @usableFromInline
    var additions = 0

    /// An empty sketch.
    @inlinable
    init() {
        blockMask = 7
        words = Self.allocate(64)
        words.initialize(repeating: 0, count: 64)
    }

    /// Memory for a number of words, whose blocks begin with a cache line.
    @inlinable
    static func allocate(_ count: Int) -> UnsafeMutablePointer<UInt64> {
        UnsafeMutableRawPointer.allocate(byteCount: count * 8, alignment: 64)
            .bindMemory(to: UInt64.self, capacity: count)
    }

    @inlinable
    deinit {
        words.deallocate()
    }

    /// Spreads a fingerprint over 64 bits: the upper half selects the block, the lower half the counters.
    @inlinable
    @inline(__always)
    static func spread(_ fingerprint: UInt32) -> UInt64 {
        let mixed = (UInt64(fingerprint) &+ 0x9E37_79B9) &* 0xD6E8_FEB8_6659_FD93
        return (mixed ^ (mixed &>> 32)) &* 0xD6E8_FEB8_6659_FD93
    }

    /// Counts one occurrence, and halves all counters once `period` occurrences were counted.
    @inlinable
    @inline(__always)
    mutating func record(_ fingerprint: UInt32, period: Int) {
        let hash = Self.spread(fingerprint)
        let block = words + (Int(truncatingIfNeeded: hash &>> 32) & blockMask) &* 8
        var added: UInt64 = 0
        added |= Self.increment(block, hash)
        added |= Self.increment(block + 2, hash &>> 8)
        added |= Self.increment(block + 4, hash &>> 16)
        added |= Self.increment(block + 6, hash &>> 24)
        additions &+= added == 0 ? 0 : 1
        if additions >= period { halve() }
    }

    /// Increments the counter of two words that 5 bits of a hash select, unless it is 15. Returns 0 if it was 15.
    @inlinable
    @inline(__always)
    static func increment(_ pair: UnsafeMutablePointer<UInt64>, _ hash: UInt64) -> UInt64 {
        let word = pair + Int(truncatingIfNeeded: hash & 1)
        let shift = (hash &>> 1 & 15) &* 4
        let isBelow: UInt64 = word.pointee &>> shift & 15 == 15 ? 0 : 1
        word.pointee &+= isBelow &<< shift
        return isBelow
    }

    /// The estimate, from 0 to 15.
    @inlinable
    @inline(__always)
    func frequency(_ fingerprint: UInt32) -> UInt64 {
        let hash = Self.spread(fingerprint)
        let block = words + (Int(truncatingIfNeeded: hash &>> 32) & blockMask) &* 8
        let low = min(Self.counter(block, hash), Self.counter(block + 2, hash &>> 8))
        return min(low, Self.counter(block + 4, hash &>> 16), Self.counter(block + 6, hash &>> 24))
    }

    @inlinable
    @inline(__always)
    static func counter(_ pair: UnsafeMutablePointer<UInt64>, _ hash: UInt64) -> UInt64 {
        pair[Int(truncatingIfNeeded: hash & 1)] &>> ((hash &>> 1 & 15) &* 4) & 15
    }

    /// Halves all counters, so that old uses fade. O(counters), once in each period.
    @inlinable
    @inline(never)
    mutating func halve() {
        var odd = 0
        for index in 0..<(blockMask + 1) * 8 {
            odd &+= (words[index] & 0x1111_1111_1111_1111).nonzeroBitCount
            words[index] = words[index] &>> 1 & 0x7777_7777_7777_7777
        }
        // Subtracts what rounding removed; each occurrence is in four counters.
        additions = max(0, additions - odd / 4) / 2
    }

    /// Makes room for `count` entries. A doubled sketch returns the same estimates as before.
    @inlinable
    @inline(__always)
    mutating func reserve(_ count: Int) {
        if count > (blockMask &+ 1) &* 8 { double() }
    }

    @inlinable
    @inline(never)
    mutating func double() {
        let count = (blockMask + 1) * 8
        let larger = Self.allocate(count * 2)
        larger.initialize(from: words, count: count)
        // A block is copied for both values of the new bit of its number.
        (larger + count).initialize(from: words, count: count)
        words.deallocate()
        words = larger
        blockMask = blockMask * 2 + 1
    }
}
