import Foundation

/// Numbers different keys from 0 on, in the order of first appearance.
///
/// Keys below ``directKeyCount`` are looked up in an array, of which only the touched pages take memory: traces of
/// disks and databases number their blocks, so adjacent keys share a cache line. All other keys go through a table
/// with open addressing, at most 3/4 full.
///
/// Memory: at most 64 MiB for the array and 4 MiB for the first table; 21 to 32 bytes of a larger table for each key
/// beyond the array, 54 while it grows; where keys are kept, 8 to 16 bytes for each key. The numbering frees all of
/// it; the numbers stay valid.
package struct TraceNumbering: ~Copyable {
    /// Keys below this have an element in the array.
    package static let directKeyCount: UInt64 = 1 << 24
    /// The maximum number of keys.
    package static let keyCountMax = Int(UInt32.max) - 1
    /// The number of lookups in a batch: somewhat more than a processor keeps in flight.
    private static let batchCount = 128
    /// The number of keys that are numbered between two checks for room.
    private static let stepCount = 1024

    /// The number of different keys so far.
    package private(set) var keyCount = 0

    /// The number plus 1 of each low key; 0 for a key that has not appeared.
    private let direct: UnsafeMutablePointer<UInt32>
    private var table: KeyTable
    private var keysByNumber: UnsafeMutablePointer<UInt64>
    private var capacity = 1 << 12
    /// All bits set where keys are kept; 0 where all keys are written to one element, which is cheaper than a branch.
    private let keptMask: Int
    private let homes = UnsafeMutablePointer<Int>.allocate(capacity: batchCount)
    /// Written only so that the prefetching loads are not optimised away.
    private var lastTouched: UInt64 = 0

    /// - Parameter keepsKeys: whether ``keys()`` is needed.
    /// - Throws: ``TraceError/Reason/tooMany(_:limit:)`` when there is not enough memory for the array.
    package init(keepsKeys: Bool = true) throws(TraceError) {
        keptMask = keepsKeys ? -1 : 0
        let memory = (
            KeyTable.firstMemory(), calloc(Int(Self.directKeyCount), MemoryLayout<UInt32>.stride),
            malloc(capacity * MemoryLayout<UInt64>.stride)
        )
        guard let first = memory.0, let array = memory.1, let keys = memory.2 else {
            free(memory.0)
            free(memory.1)
            free(memory.2)
            throw Self.outOfMemory(after: 0)
        }
        table = KeyTable(memory: first)
        keysByNumber = keys.bindMemory(to: UInt64.self, capacity: capacity)
        direct = array.bindMemory(to: UInt32.self, capacity: Int(Self.directKeyCount))
    }

    deinit {
        free(direct)
        free(keysByNumber)
        homes.deallocate()
    }

    /// The key of every number; empty when keys are not kept.
    ///
    /// - Complexity: O(keys).
    package func keys() -> [UInt64] {
        Array(UnsafeBufferPointer(start: keysByNumber, count: keptMask == 0 ? 0 : keyCount))
    }

    /// Appends the number of every key to `numbers`.
    ///
    /// - Throws: ``TraceError/Reason/tooMany(_:limit:)`` when there are more keys than numbers, or memory is
    ///   exhausted.
    /// - Complexity: O(1) for each key, amortised.
    package mutating func number(_ keys: [UInt64], into numbers: inout [UInt32]) throws(TraceError) {
        try number(keys, into: &numbers, after: numbers.count)
    }

    /// Replaces all elements of `numbers` after the first `start` ones by the numbers of the keys.
    ///
    /// An array that is reused keeps its length, so that no element is written twice.
    mutating func number(_ keys: [UInt64], into numbers: inout [UInt32], after start: Int) throws(TraceError) {
        guard keyCount + keys.count <= Self.keyCountMax else {
            throw Self.error("keys", limit: Self.keyCountMax)
        }
        numbers.setCount(start + keys.count)
        for lower in stride(from: 0, to: keys.count, by: Self.stepCount) {
            let upper = min(keys.count, lower + Self.stepCount)
            guard reserve(upper - lower) else {
                numbers.removeLast(numbers.count - start - lower)
                throw Self.outOfMemory(after: keyCount)
            }
            numbers.withUnsafeMutableBufferPointer { numbers in
                keys.withUnsafeBufferPointer { keys in
                    number(
                        UnsafeBufferPointer(rebasing: keys[lower..<upper]),
                        into: UnsafeMutableBufferPointer(rebasing: numbers[(start + lower)..<(start + upper)]))
                }
            }
        }
    }

    /// Numbers keys for which room is reserved, one batch at a time.
    @inline(__always)
    private mutating func number(_ keys: UnsafeBufferPointer<UInt64>, into numbers: UnsafeMutableBufferPointer<UInt32>)
    {
        for lower in stride(from: 0, to: keys.count, by: Self.batchCount) {
            let upper = min(keys.count, lower + Self.batchCount)
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

    /// Numbers keys that all have an element in the array. No branch depends on whether a key is new.
    @inline(__always)
    private mutating func numberLow(
        _ keys: UnsafeBufferPointer<UInt64>, into numbers: UnsafeMutableBufferPointer<UInt32>
    ) {
        var next = UInt32(truncatingIfNeeded: keyCount)
        let (direct, keysByNumber, keptMask) = (direct, keysByNumber, keptMask)
        for index in 0..<keys.count {
            let key = keys[index]
            let place = direct + Int(truncatingIfNeeded: key)
            let known = place.pointee
            let isNew = known == 0
            // Also written for known keys, beyond the last key: cheaper than a branch that is hard to predict.
            keysByNumber[Int(next) & keptMask] = key
            let number = isNew ? next : known &- 1
            next = isNew ? next &+ 1 : next
            place.pointee = number &+ 1
            numbers[index] = number
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
            let known = place.pointee
            let isNew = known == 0
            keysByNumber[Int(next) & keptMask] = key
            let number = isNew ? next : known &- 1
            next = isNew ? next &+ 1 : next
            place.pointee = number &+ 1
            numbers[index] = number
        }
        keyCount = Int(next)
    }

    private mutating func reserve(_ count: Int) -> Bool {
        guard table.reserve(count) else { return false }
        // One more, for the write beyond the last key.
        guard keptMask != 0, keyCount + count + 1 > capacity else { return true }
        // Moves large allocations without copying them.
        let bytes = capacity * 2 * MemoryLayout<UInt64>.stride
        guard let larger = realloc(keysByNumber, bytes) else { return false }
        capacity *= 2
        keysByNumber = larger.bindMemory(to: UInt64.self, capacity: capacity)
        return true
    }

    private static func outOfMemory(after count: Int) -> TraceError {
        error("keys, and memory is exhausted", limit: count)
    }

    private static func error(_ what: String, limit: Int) -> TraceError {
        TraceError(path: "", requestCount: 0, reason: .tooMany(what, limit: limit))
    }
}

extension Array where Element: FixedWidthInteger {
    /// Sets the length of the array; new elements are 0.
    mutating func setCount(_ count: Int) {
        if self.count > count { removeLast(self.count - count) }
        if self.count < count { append(contentsOf: repeatElement(0, count: count - self.count)) }
    }
}
