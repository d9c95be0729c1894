import Foundation

/// A window on the uncompressed bytes of a trace, which advances as they are used. Its memory is constant.
final class ByteWindow {
    /// The window fits into the L2 cache of common processors, and makes system calls rare.
    static let byteCount = 256 << 10
    /// The maximum length of a line; a longer line is an error.
    static let lineByteCountMax = 64 << 10

    private let source: any ByteSource
    private let base: UnsafeMutableRawPointer
    // A single thread reads a trace, and there are no callbacks: checks of exclusive access would cost more than a
    // line.
    /// The end of the used bytes and the start of the unused ones.
    @exclusivity(unchecked) private var start = 0
    @exclusivity(unchecked) private var end = 0
    @exclusivity(unchecked) private var baseOffset: UInt64 = 0
    @exclusivity(unchecked) private var lineStart = 0
    @exclusivity(unchecked) private var lineNumber = 0
    @exclusivity(unchecked) private var previousLineNumber = 0
    @exclusivity(unchecked) private(set) var isAtEnd = false

    init(source: any ByteSource) {
        self.source = source
        base = .allocate(byteCount: Self.byteCount, alignment: 64)
    }

    deinit { base.deallocate() }

    /// The bytes in the window that are not yet used.
    var unused: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base + start, count: end - start) }

    /// The offset of the unused bytes from the start of the data.
    var offset: UInt64 { baseOffset + UInt64(start) }

    /// Marks bytes as used, at most those that are in the window.
    func use(_ count: Int) { start = min(end, start + count) }

    /// Reads more bytes after the unused ones.
    ///
    /// - Returns: `false` when there are no more bytes, or no room for them.
    func fill() throws(TraceFault) -> Bool {
        if start > 0 {
            memmove(base, base + start, end - start)
            baseOffset += UInt64(start)
            lineStart -= start
            end -= start
            start = 0
        }
        guard !isAtEnd, end < Self.byteCount else { return false }
        let count = try source.read(
            into: UnsafeMutableRawBufferPointer(start: base + end, count: Self.byteCount - end))
        isAtEnd = count == 0
        end += count
        return count > 0
    }

    /// Reads until the window holds this many unused bytes, or all that are left; for lookahead.
    func fill(atLeast count: Int) throws(TraceFault) {
        while end - start < count, try fill() {}
    }

    /// The next line without its end (`\n` or `\r\n`), or `nil` at the end. It is valid until the next call.
    ///
    /// - Parameter continues: whether a record continues after a line end, as a quoted field may; it receives each
    ///   piece between two line ends once.
    @inline(__always)
    func nextLine(
        continues: (UnsafeRawBufferPointer) -> Bool = { _ in false }
    ) throws(TraceFault) -> UnsafeRawBufferPointer? {
        var searched = 0
        var asked = 0
        previousLineNumber = lineNumber
        while true {
            if let found = memchr(base + start + searched, 0x0A, end - start - searched) {
                let count = UnsafeRawPointer(found) - UnsafeRawPointer(base + start)
                lineNumber += 1
                guard count <= Self.lineByteCountMax else { break }
                if continues(UnsafeRawBufferPointer(start: base + start + asked, count: count - asked)) {
                    searched = count + 1
                    asked = searched
                    continue
                }
                return take(count, withEnd: 1)
            }
            searched = end - start
            guard searched <= Self.lineByteCountMax else { break }
            if try !fill() {
                guard searched > 0 else { return nil }
                lineNumber += 1
                return take(searched, withEnd: 0)
            }
        }
        lineStart = start
        throw fault(.lineTooLong(limit: Self.lineByteCountMax))
    }

    @inline(__always)
    private func take(_ count: Int, withEnd endCount: Int) -> UnsafeRawBufferPointer {
        let line = base + start
        lineStart = start
        start += count + endCount
        let isReturn = count > 0 && line.load(fromByteOffset: count - 1, as: UInt8.self) == 0x0D
        return UnsafeRawBufferPointer(start: line, count: isReturn ? count - 1 : count)
    }

    /// An error in the last line.
    func fault(_ reason: TraceError.Reason) -> TraceFault {
        TraceFault(
            reason: reason, byteOffset: UInt64(Int64(baseOffset) + Int64(lineStart)), line: previousLineNumber + 1)
    }
}
