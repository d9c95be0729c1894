import Foundation

/// Memory for the fields of one line in which doubled quotes are replaced by single ones.
final class CSVScratch {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: ByteWindow.lineByteCountMax + 1, alignment: 1)

    deinit { bytes.deallocate() }
}

/// Splits a line into fields, which are valid as long as the line and the scratch memory are.
struct CSVSplitter {
    private let line: UnsafeRawBufferPointer
    private let separator: UInt8
    private let isQuoted: Bool
    private let scratch: CSVScratch
    private var scratchCount = 0
    private var position = 0
    private var isDone = false
    /// Whether a quoted field has no end or is followed by other text, or an unquoted field contains a quote.
    private(set) var isBroken = false

    init(line: UnsafeRawBufferPointer, separator: UInt8, isQuoted: Bool, scratch: CSVScratch) {
        self.line = line
        self.separator = separator
        self.isQuoted = isQuoted
        self.scratch = scratch
    }

    /// The next field; `nil` at the end, or when the line is broken.
    @inline(__always)
    mutating func next() -> UnsafeRawBufferPointer? {
        guard !isDone else { return nil }
        if isQuoted, position < line.count, line[position] == 0x22 { return nextQuoted() }
        let end = line.position(of: separator, from: position)
        let field = UnsafeRawBufferPointer(rebasing: line[position..<end])
        // Such a quote would open a field whose end can't be found.
        if isQuoted, Self.hasQuotes(field) {
            isBroken = true
            isDone = true
            return nil
        }
        if end == line.count { isDone = true } else { position = end &+ 1 }
        return field
    }

    @inline(never)
    private mutating func nextQuoted() -> UnsafeRawBufferPointer? {
        let start = position + 1
        var end = start
        var hasDoubledQuotes = false
        while end < line.count {
            if line[end] == 0x22 {
                guard end + 1 < line.count, line[end + 1] == 0x22 else { break }
                hasDoubledQuotes = true
                end += 1
            }
            end += 1
        }
        guard end < line.count, end + 1 == line.count || line[end + 1] == separator else {
            isBroken = true
            isDone = true
            return nil
        }
        position = end + 2
        if end + 1 == line.count { isDone = true }
        let field = UnsafeRawBufferPointer(rebasing: line[start..<end])
        return hasDoubledQuotes ? withSingleQuotes(field) : field
    }

    private mutating func withSingleQuotes(_ field: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let start = scratchCount
        var index = 0
        // All fields of a line together are no longer than the line, and a line fits into the memory.
        while index < field.count {
            scratch.bytes[scratchCount] = field[index]
            scratchCount += 1
            index += field[index] == 0x22 ? 2 : 1
        }
        return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(scratch.bytes)[start..<scratchCount])
    }

    /// Whether the text contains a quote.
    @inline(__always)
    static func hasQuotes(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let base = text.baseAddress, !text.isEmpty else { return false }
        return memchr(base, 0x22, text.count) != nil
    }

    /// Whether the text opens a quoted field without closing it, or closes one that was open before.
    static func hasOddQuotes(_ text: UnsafeRawBufferPointer) -> Bool {
        // A doubled quote closes the field and opens it again.
        var count = 0
        for byte in text where byte == 0x22 { count &+= 1 }
        return count & 1 == 1
    }
}
