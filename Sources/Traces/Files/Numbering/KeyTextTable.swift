import Foundation

/// Numbers different texts from 0 on, in the order of first appearance. Exact, because texts are compared, not only
/// their hashes.
///
/// Memory: the texts, plus 8 bytes for each and 16 to 32 bytes of table.
package final class KeyTextTable {
    /// The maximum number of texts, because numbers have 32 bits.
    package static let countMax = Int(UInt32.max) - 1

    /// 0 for an empty slot; else the upper half of the hash, with the number plus 1 in the lower half.
    // A single thread reads a trace, and there are no callbacks: checks of exclusive access would cost half a lookup.
    @exclusivity(unchecked) private var slots: [UInt64]
    @exclusivity(unchecked) private var shift: UInt64
    /// The end of each text in `bytes`; a text begins where the previous one ends.
    @exclusivity(unchecked) private var ends: [Int] = []
    @exclusivity(unchecked) private var bytes: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var capacity = 1 << 16
    @exclusivity(unchecked) private var byteCount = 0
    /// Random for each table, so that no trace can be built whose texts all collide.
    private let seed = UInt64.random(in: .min ... .max)

    /// The number of texts that are looked up together, so that the processor waits for memory once for all of them.
    private static let waitingCountMax = 64
    private static let waitingByteCountMax = ByteWindow.lineByteCountMax + 1
    /// The bytes of the pending texts, one after the other.
    private let waiting = UnsafeMutableRawPointer.allocate(byteCount: waitingByteCountMax, alignment: 8)
    @exclusivity(unchecked) private var waitingEnds: [Int] = []
    @exclusivity(unchecked) private var waitingHashes: [UInt64] = []
    /// Written only so that the prefetching loads are not optimised away.
    @exclusivity(unchecked) private var lastTouched: UInt64 = 0

    init() {
        slots = Array(repeating: 0, count: 1 << 14)
        shift = 64 - 14
        bytes = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit {
        bytes.deallocate()
        waiting.deallocate()
    }

    /// The number of texts that have a number.
    package var count: Int { ends.count }

    /// Calls `body` with the bytes of a text.
    ///
    /// - Parameter number: below ``count``.
    package func withText<Result, Failure: Error>(
        of number: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = number == 0 ? 0 : ends[number - 1]
        return try body(UnsafeRawBufferPointer(start: bytes + start, count: ends[number] - start))
    }

    /// A copy of all texts that can be sent to other tasks.
    ///
    /// - Complexity: O(bytes).
    package func texts() -> KeyTexts {
        KeyTexts(ends: ends, bytes: Array(UnsafeRawBufferPointer(start: bytes, count: byteCount)))
    }

    /// Appends the number of a text to `keys`. The number is valid only after a call of ``settle(_:)`` with the same
    /// array, to which nothing else may have been added.
    ///
    /// - Parameter text: not longer than the longest allowed line.
    /// - Returns: `false` when no numbers are left.
    /// - Complexity: O(bytes), amortised.
    func append(_ text: UnsafeRawBufferPointer, to keys: inout [UInt64]) -> Bool {
        let start = waitingEnds.last ?? 0
        if waitingEnds.count == Self.waitingCountMax || start + text.count > Self.waitingByteCountMax {
            guard settle(&keys) else { return false }
            return append(text, to: &keys)
        }
        UnsafeMutableRawBufferPointer(start: waiting + start, count: text.count).copyMemory(from: text)
        waitingEnds.append(start + text.count)
        waitingHashes.append(TextHash.of(text, seed: seed))
        keys.append(0)
        return true
    }

    /// Writes the numbers of the pending texts to the last elements of `keys`.
    ///
    /// - Returns: `false` when no numbers are left.
    func settle(_ keys: inout [UInt64]) -> Bool {
        touchWaiting()
        var start = 0
        var index = keys.count - waitingEnds.count
        var isComplete = true
        for (end, hash) in zip(waitingEnds, waitingHashes) {
            let text = UnsafeRawBufferPointer(start: waiting + start, count: end - start)
            if let number = number(of: text, hash: hash) { keys[index] = UInt64(number) } else { isComplete = false }
            start = end
            index += 1
        }
        waitingEnds.removeAll(keepingCapacity: true)
        waitingHashes.removeAll(keepingCapacity: true)
        return isComplete
    }

    /// Brings everything that the pending texts are compared with into the processor's cache: slots, ends, texts.
    @inline(__always)
    private func touchWaiting() {
        var touched: UInt64 = 0
        for hash in waitingHashes { touched ^= slots[Int(truncatingIfNeeded: hash &>> shift)] }
        for hash in waitingHashes {
            let slot = slots[Int(truncatingIfNeeded: hash &>> shift)]
            if slot != 0 { touched ^= UInt64(truncatingIfNeeded: ends[Int(slot & 0xFFFF_FFFF) &- 1]) }
        }
        for hash in waitingHashes {
            let slot = slots[Int(truncatingIfNeeded: hash &>> shift)]
            // The last byte, because the first one follows the previous text, mostly in the same cache line.
            guard slot != 0 else { continue }
            let end = ends[Int(slot & 0xFFFF_FFFF) &- 1]
            if end > 0 { touched ^= UInt64(bytes.load(fromByteOffset: end &- 1, as: UInt8.self)) }
        }
        lastTouched = touched
    }

    /// The number of a text; a new text gets one. `nil` when no numbers are left.
    private func number(of text: UnsafeRawBufferPointer, hash: UInt64) -> UInt32? {
        let tag = hash & 0xFFFF_FFFF_0000_0000
        let mask = slots.count - 1
        var index = Int(truncatingIfNeeded: hash &>> shift)
        while true {
            let slot = slots[index]
            if slot == 0 { return insert(text, tag: tag, at: index) }
            if slot & 0xFFFF_FFFF_0000_0000 == tag {
                let number = Int(slot & 0xFFFF_FFFF) - 1
                let start = number == 0 ? 0 : ends[number - 1]
                if ends[number] - start == text.count, Self.areEqual(bytes + start, text) {
                    return UInt32(truncatingIfNeeded: number)
                }
            }
            index = (index &+ 1) & mask
        }
    }

    @inline(__always)
    private static func areEqual(_ known: UnsafeMutableRawPointer, _ text: UnsafeRawBufferPointer) -> Bool {
        guard let base = text.baseAddress else { return true }
        return memcmp(known, base, text.count) == 0
    }

    @inline(never)
    private func insert(_ text: UnsafeRawBufferPointer, tag: UInt64, at index: Int) -> UInt32? {
        guard count < Self.countMax else { return nil }
        let number = UInt32(truncatingIfNeeded: count)
        if byteCount + text.count > capacity {
            while byteCount + text.count > capacity { capacity *= 2 }
            let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
            larger.copyMemory(from: bytes, byteCount: byteCount)
            bytes.deallocate()
            bytes = larger
        }
        UnsafeMutableRawBufferPointer(start: bytes + byteCount, count: text.count).copyMemory(from: text)
        byteCount += text.count
        ends.append(byteCount)
        slots[index] = tag | UInt64(number) + 1
        if count * 2 > slots.count { grow() }
        return number
    }

    private func grow() {
        let old = slots
        slots = Array(repeating: 0, count: old.count * 2)
        shift -= 1
        let mask = slots.count - 1
        for slot in old where slot != 0 {
            // The tag holds the bits of the index: enough for 2^32 slots.
            var index = Int(truncatingIfNeeded: slot &>> shift) & mask
            while slots[index] != 0 { index = (index &+ 1) & mask }
            slots[index] = slot
        }
    }
}

/// The text of every key, by number.
package struct KeyTexts: Sendable, Hashable {
    /// The end of each text in ``bytes``; a text begins where the previous one ends.
    let ends: [Int]
    let bytes: [UInt8]

    /// The number of keys.
    package var count: Int { ends.count }

    /// The bytes of a key; their encoding is unknown.
    ///
    /// - Parameter number: below ``count``.
    package subscript(number: Int) -> ArraySlice<UInt8> {
        bytes[(number == 0 ? 0 : ends[number - 1])..<ends[number]]
    }
}

/// A hash of bytes that is the same in all releases: each word is multiplied to 128 bits, whose halves are combined.
enum TextHash {
    @inline(__always)
    static func of(_ text: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        var state = seed ^ 0x9E37_79B9_7F4A_7C15
        var offset = 0
        while offset + 8 <= text.count {
            state = fold(state ^ UInt64(littleEndian: text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset &+= 8
        }
        var tail: UInt64 = 0
        while offset < text.count {
            tail = tail << 8 | UInt64(text[offset])
            offset &+= 1
        }
        // The length distinguishes texts that differ only in trailing zero bytes.
        return fold(fold(state ^ tail) ^ UInt64(text.count) &* 0xD6E8_FEB8_6659_FD93)
    }

    @inline(__always)
    static func fold(_ word: UInt64) -> UInt64 {
        let product = word.multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        return product.high ^ product.low
    }
}
