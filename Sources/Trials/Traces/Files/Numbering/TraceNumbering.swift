import Foundation

/// Numbers different keys from 0 on, in the order of first appearance.
///
/// Keys below ``directKeyCount`` are looked up in an array, of which only the touched pages take memory: traces of
/// disks and databases number their blocks, so adjacent keys share a cache line. All other keys go through a table
/// with open addressing, at most 3/4 full.
///
/// Memory: at most 64 MiB for the array; 21 to 32 bytes of the table for each key beyond the array, 54 while it grows.
/// The numbering frees all of it; the numbers stay valid.
struct TraceNumbering: ~Copyable {
    /// Keys below this have an element in the array.
    static let directKeyCount: UInt64 = 1 << 24
    /// The maximum number of keys: those that memory can hold, so that a hostile file is refused before memory is short.
    static let keyCountMax = min(Int(UInt32.max) - 1, memoryByteCount / 64)
    /// The maximum number of requests that are kept in memory.
    static let requestCountMax = min(1 << 31, memoryByteCount / 16)
    private static let memoryByteCount = Int(clamping: ProcessInfo.processInfo.physicalMemory)
    /// The number of lookups in a batch: somewhat more than a processor keeps in flight.
    private static let batchCount = 128

    /// The number of different keys so far.
    private(set) var keyCount = 0

    /// The number plus 1 of each low key; 0 for a key that has not appeared.
    private let direct: UnsafeMutablePointer<UInt32>
    private var table: KeyTable
    private let homes = UnsafeMutablePointer<Int>.allocate(capacity: batchCount)
    /// Written only so that the prefetching loads are not optimised away.
    private var lastTouched: UInt64 = 0

    /// - Throws: ``TraceError/Reason/tooMany(_:limit:)`` when there is not enough memory for the array.
    init() throws(TraceFault) {
        guard let table = KeyTable(), let array = calloc(Int(Self.directKeyCount), MemoryLayout<UInt32>.stride) else {
            throw Self.outOfMemory(after: 0)
        }
        self.table = table
        direct = array.bindMemory(to: UInt32.self, capacity: Int(Self.directKeyCount))
    }

    deinit {
        free(direct)
        homes.deallocate()
    }

    /// Replaces `numbers` by the number of every key. An array that is reused keeps its length, so that no element is
    /// written twice.
    ///
    /// - Throws: ``TraceError/Reason/tooMany(_:limit:)`` when there are more keys than numbers, or memory is
    ///   exhausted.
    /// - Complexity: O(1) for each key, amortised.
    mutating func number(_ keys: [UInt64], into numbers: inout [UInt32]) throws(TraceFault) {
        guard keyCount + keys.count <= Self.keyCountMax else {
            throw TraceFault(reason: .tooMany("keys", limit: Self.keyCountMax))
        }
        numbers.setCount(keys.count)
        for lower in stride(from: 0, to: keys.count, by: Self.batchCount) {
            let upper = min(keys.count, lower + Self.batchCount)
            guard table.reserve(upper - lower) else { throw Self.outOfMemory(after: keyCount) }
            numbers.withUnsafeMutableBufferPointer { numbers in
                keys.withUnsafeBufferPointer { keys in
                    let batch = UnsafeBufferPointer(rebasing: keys[lower..<upper])
                    let results = UnsafeMutableBufferPointer(rebasing: numbers[lower..<upper])
                    var all: UInt64 = 0
                    for key in batch { all |= key }
                    if all < Self.directKeyCount {
                        numberLow(batch, into: results)
                    } else {
                        numberAny(batch, into: results)
                    }
                }
            }
        }
    }

    /// Numbers keys that all have an element in the array.
    @inline(__always)
    private mutating func numberLow(
        _ keys: UnsafeBufferPointer<UInt64>, into numbers: UnsafeMutableBufferPointer<UInt32>
    ) {
        var next = UInt32(truncatingIfNeeded: keyCount)
        let direct = direct
        for index in 0..<keys.count {
            numbers[index] = Self.number(direct + Int(truncatingIfNeeded: keys[index]), &next)
        }
        keyCount = Int(next)
    }

    /// Touches all slots first, so that the processor waits for several of them at once, and then looks up the keys.
    @inline(__always)
    private mutating func numberAny(
        _ keys: UnsafeBufferPointer<UInt64>, into numbers: UnsafeMutableBufferPointer<UInt32>
    ) {
        var touched: UInt64 = 0
        for index in 0..<keys.count {
            let home = table.home(of: keys[index])
            homes[index] = home
            touched ^= table.touch(home)
        }
        lastTouched = touched
        var next = UInt32(truncatingIfNeeded: keyCount)
        for index in 0..<keys.count {
            let key = keys[index]
            let place =
                key < Self.directKeyCount
                ? direct + Int(truncatingIfNeeded: key) : table.place(of: key, from: homes[index])
            numbers[index] = Self.number(place, &next)
        }
        keyCount = Int(next)
    }

    /// The number at a place, which a new key takes from `next`. No branch depends on whether a key is new.
    @inline(__always)
    private static func number(_ place: UnsafeMutablePointer<UInt32>, _ next: inout UInt32) -> UInt32 {
        let known = place.pointee
        let isNew = known == 0
        let number = isNew ? next : known &- 1
        next = isNew ? next &+ 1 : next
        place.pointee = number &+ 1
        return number
    }

    private static func outOfMemory(after count: Int) -> TraceFault {
        TraceFault(reason: .tooMany("keys, and memory is exhausted", limit: count))
    }
}

extension Array where Element: FixedWidthInteger {
    /// Sets the length of the array; new elements are 0.
    mutating func setCount(_ count: Int) {
        if self.count > count { removeLast(self.count - count) }
        if self.count < count { append(contentsOf: repeatElement(0, count: count - self.count)) }
    }
}
