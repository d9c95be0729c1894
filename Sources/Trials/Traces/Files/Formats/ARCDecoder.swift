/// Lines of `start count x x`: requests for `count` keys from `start` on. The meaning of the last two numbers differs
/// between traces; they must be there, but are ignored. Source: Megiddo and Modha, FAST 2003.
struct ARCDecoder: TraceDecoder {
    /// A longer run of keys in one line counts as damage, unless the caller allows it: published traces have at most 512.
    static let runCountMax: UInt64 = 512
    /// The longest run that a caller can allow.
    static let longRunCountMax: UInt64 = 1 << 20

    let columns = TraceColumns.keyOnly
    /// The rest of the last line that was read.
    private var nextKey: UInt64 = 0
    private var remaining = 0
    private let runCountMax: UInt64

    init(allowsLongRuns: Bool) { runCountMax = allowsLongRuns ? Self.longRunCountMax : Self.runCountMax }

    var ignored: [String] { ["the third and fourth number"] }

    mutating func decode(from window: ByteWindow, into block: inout TraceBlock, limit: Int) throws(TraceFault) {
        while block.keys.count < limit {
            if remaining == 0 {
                guard let line = try window.nextLine() else { return }
                try read(line, window)
            }
            if remaining == 1 {
                block.keys.append(nextKey)
                remaining = 0
            } else {
                let count = min(remaining, limit - block.keys.count)
                // The last key of a run may be the largest number, so the one after it may not exist.
                for step in 0..<UInt64(count) { block.keys.append(nextKey &+ step) }
                nextKey &+= UInt64(count)
                remaining -= count
            }
        }
    }

    @inline(__always)
    private mutating func read(_ line: UnsafeRawBufferPointer, _ window: ByteWindow) throws(TraceFault) {
        var fields = BlankSeparatedFields(line: line)
        let start = fields.next()
        let count = fields.next()
        guard !fields.next().isEmpty, !fields.next().isEmpty, fields.next().isEmpty else {
            throw window.fault(
                .notARecord(found: Excerpt.of(line), allowed: "four numbers, such as `1845 8 0 0`: start, count, x, x"))
        }
        nextKey = try window.number(start, "start")
        let run = try window.number(count, "count")
        guard (1...runCountMax).contains(run), run - 1 <= UInt64.max - nextKey else {
            throw window.fault(
                .outOfRange(
                    "count", found: Excerpt.of(line),
                    allowed: "1 to \(runCountMax), and no key beyond 2^64 - 1"
                        + (runCountMax < Self.longRunCountMax ? "; longer runs with --long-runs" : "")))
        }
        remaining = Int(run)
    }
}

/// The words of a line, in order.
struct BlankSeparatedFields {
    let line: UnsafeRawBufferPointer
    private var position = 0

    init(line: UnsafeRawBufferPointer) { self.line = line }

    /// The next word; empty when there is none.
    @inline(__always)
    mutating func next() -> UnsafeRawBufferPointer {
        while position < line.count, line[position] == 0x20 || line[position] == 0x09 { position += 1 }
        let start = position
        while position < line.count, line[position] != 0x20, line[position] != 0x09 { position += 1 }
        return UnsafeRawBufferPointer(rebasing: line[start..<position])
    }
}
