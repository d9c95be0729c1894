import Foundation

/// Numbers different texts from 0 on, in the order of first appearance. Exact, because texts are compared, not only
/// their hashes.
///
/// Memory: the texts, plus 8 bytes for each and 21 to 32 bytes of table, 54 while it grows.
package final class KeyTextTable {
    /// The maximum number of texts, because numbers have 32 bits.
    package static let countMax = Int(UInt32.max) - 1

    /// The numbers by hash. Of different texts with one hash, each further one has the next free hash.
    // A single thread reads a trace, and there are no callbacks: checks of exclusive access would cost half a lookup.
    @exclusivity(unchecked) private var table: KeyTable
    /// The end of each text in `bytes`; a text begins where the previous one ends.
    @exclusivity(unchecked) private var ends: [Int] = []
    @exclusivity(unchecked) private var bytes: [UInt8] = []
    /// Random for each table, so that no trace can be built whose texts all collide.
    private let seed = UInt64.random(in: .min ... .max)

    /// The number of texts that are looked up together, so that the processor waits for memory once for all of them.
    private static let waitingCountMax = 64
    private static let waitingByteCountMax = ByteWindow.lineByteCountMax + 1
    /// The bytes of the pending texts, one after the other.
    private let waiting = UnsafeMutableRawPointer.allocate(byteCount: waitingByteCountMax, alignment: 8)
    @exclusivity(unchecked) private var waitingEnds: [Int] = []
    @exclusivity(unchecked) private var waitingHashes: [UInt64] = []
    @exclusivity(unchecked) private var waitingHomes: [Int] = []
    /// Written only so that the prefetching loads are not optimised away.
    @exclusivity(unchecked) private var lastTouched: UInt64 = 0

    /// - Throws: ``TraceError/Reason/tooMany(_:limit:)`` when memory is exhausted.
    init() throws(TraceFault) {
        guard let table = KeyTable() else {
            throw TraceFault(reason: .tooMany("keys, and memory is exhausted", limit: 0))
        }
        self.table = table
    }

    deinit { waiting.deallocate() }

    /// The number of texts that have a number.
    package var count: Int { ends.count }

    /// Calls `body` with the bytes of a text.
    ///
    /// - Parameter number: below ``count``.
    func withText<Result>(of number: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range(of: number)])) }
    }

    @inline(__always)
    private func range(of number: Int) -> Range<Int> { (number == 0 ? 0 : ends[number - 1])..<ends[number] }

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
        // The table has no key 0.
        waitingHashes.append(max(1, TextHash.of(text, seed: seed)))
        keys.append(0)
        return true
    }

    /// Writes the numbers of the pending texts to the last elements of `keys`.
    ///
    /// - Returns: `false` when no numbers are left.
    func settle(_ keys: inout [UInt64]) -> Bool {
        var isComplete = table.reserve(waitingEnds.count)
        if isComplete {
            touchWaiting()
            var start = 0
            let first = keys.count - waitingEnds.count
            for (place, end) in waitingEnds.enumerated() {
                let text = UnsafeRawBufferPointer(start: waiting + start, count: end - start)
                if let number = number(of: text, hash: waitingHashes[place], home: waitingHomes[place]) {
                    keys[first + place] = UInt64(number)
                } else {
                    isComplete = false
                }
                start = end
            }
        }
        waitingEnds.removeAll(keepingCapacity: true)
        waitingHashes.removeAll(keepingCapacity: true)
        waitingHomes.removeAll(keepingCapacity: true)
        return isComplete
    }

    /// Brings everything that the pending texts are compared with into the processor's cache: slots, ends, texts.
    @inline(__always)
    private func touchWaiting() {
        var touched: UInt64 = 0
        for hash in waitingHashes {
            let home = table.home(of: hash)
            waitingHomes.append(home)
            touched ^= table.touch(home)
        }
        for home in waitingHomes {
            let number = table.number(at: home)
            if number != 0 { touched ^= UInt64(truncatingIfNeeded: ends[Int(number) &- 1]) }
        }
        for home in waitingHomes {
            let number = table.number(at: home)
            // The last byte, because the first one follows the previous text, mostly in the same cache line.
            guard number != 0 else { continue }
            let end = ends[Int(number) &- 1]
            if end > 0 { touched ^= UInt64(bytes[end &- 1]) }
        }
        lastTouched = touched
    }

    /// The number of a text; a new text gets one, for which room is reserved. `nil` when no numbers are left.
    private func number(of text: UnsafeRawBufferPointer, hash: UInt64, home: Int) -> Int? {
        var (hash, home) = (hash, home)
        while true {
            let place = table.place(of: hash, from: home)
            guard place.pointee != 0 else {
                guard count < Self.countMax else { return nil }
                bytes.append(contentsOf: text)
                ends.append(bytes.count)
                place.pointee = UInt32(truncatingIfNeeded: count)
                return count - 1
            }
            let number = Int(place.pointee) - 1
            if isText(number, text) { return number }
            hash = max(1, hash &+ 1)
            home = table.home(of: hash)
        }
    }

    @inline(__always)
    private func isText(_ number: Int, _ text: UnsafeRawBufferPointer) -> Bool {
        let range = range(of: number)
        guard range.count == text.count else { return false }
        return bytes.withUnsafeBytes { known in
            guard let known = known.baseAddress, let base = text.baseAddress else { return true }
            return memcmp(known + range.lowerBound, base, text.count) == 0
        }
    }
}

extension KeyTextTable {
    /// Appends the number of a key of the last line; see ``TraceDecoder/settle(_:)``.
    @inline(__always)
    func append(
        _ text: UnsafeRawBufferPointer, to keys: inout [UInt64], _ window: ByteWindow
    ) throws(TraceFault) {
        try window.requireText(text)
        guard append(text, to: &keys) else { throw window.fault(.tooMany("keys", limit: Self.countMax)) }
    }
}

extension ByteWindow {
    /// Refuses a field of the last line that is no text key.
    @inline(__always)
    func requireText(_ text: UnsafeRawBufferPointer) throws(TraceFault) {
        guard let base = text.baseAddress, !text.isEmpty, memchr(base, 0, text.count) == nil else {
            throw fault(
                .notARecord(found: text.isEmpty ? "an empty key" : "a NUL byte", allowed: "a text key without NUL"))
        }
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
