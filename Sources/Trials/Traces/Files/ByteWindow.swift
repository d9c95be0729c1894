import Foundation
import Platform
import TrialModel

/// A window on the bytes of a trace file, decompressed, which advances as they are used. Its memory is constant.
///
/// The file is not mapped: if another process truncates a mapped file, the reading process crashes.
final class ByteWindow {
    /// The window fits into the L2 cache of common processors, and makes system calls rare.
    static let byteCount = 256 << 10
    /// The maximum length of a line; a longer line is an error.
    static let lineByteCountMax = 64 << 10

    /// The compression of the file, which its first bytes tell.
    let compression: TraceCompression
    private let descriptor: Int32
    /// What the system told of the file when it was opened; `nil` for standard input, which may be a pipe.
    private let atOpening: stat?
    /// The first bytes of standard input, which were read to know its compression.
    @exclusivity(unchecked) private var head: [UInt8] = []
    private let decompressor: (any Decompressor)?
    private let base: UnsafeMutableRawPointer
    /// Memory for compressed bytes; empty for a file that isn't compressed.
    private let packed: UnsafeMutableRawBufferPointer
    // A single thread reads a trace, and there are no callbacks: checks of exclusive access would cost more than a
    // line.
    /// The end of the used bytes and the start of the unused ones.
    @exclusivity(unchecked) private var start = 0
    @exclusivity(unchecked) private var end = 0
    @exclusivity(unchecked) private var baseOffset: UInt64 = 0
    @exclusivity(unchecked) private var lineStart = 0
    @exclusivity(unchecked) private var lineNumber = 0
    @exclusivity(unchecked) private var previousLineNumber = 0
    @exclusivity(unchecked) private var isAtEnd = false
    /// The number of bytes that were read from the file.
    @exclusivity(unchecked) private var readCount = 0
    /// The bytes in `packed` that are not yet decompressed.
    @exclusivity(unchecked) private var packedBytes = UnsafeRawBufferPointer(start: nil, count: 0)
    @exclusivity(unchecked) private var isPackedAtEnd = false
    /// Whether compressed data may end after those that were decompressed.
    @exclusivity(unchecked) private var mayEnd = false
    /// Damage behind good bytes.
    @exclusivity(unchecked) private var failure: TraceFault?

    /// Opens a file, or standard input, which can be read once.
    ///
    /// - Throws: a fault when the file can't be opened or is not a regular file. It never waits, not even for the
    ///   writer of a FIFO, except for the first bytes of standard input.
    init(path: String) throws(TraceFault) {
        if path == TraceReader.standardInput {
            descriptor = dup(STDIN_FILENO)
            atOpening = nil
            guard descriptor >= 0 else { throw TraceFault(reason: .cannotOpen(Self.systemMessage)) }
            do throws(TraceFault) { head = try Self.head(ofStream: descriptor) } catch {
                close(descriptor)
                throw error
            }
            compression = TraceCompression(magic: head)
        } else {
            do throws(RegularFile.Obstacle) {
                let opened = try RegularFile.opened(path)
                (descriptor, atOpening) = (opened.descriptor, opened.status)
            } catch .kind(let kind) {
                throw TraceFault(reason: .notARegularFile(kind))
            } catch {
                throw TraceFault(reason: .cannotOpen(error.message))
            }
            compression = TraceCompression(ofFile: descriptor)
        }
        do throws(Damage) { decompressor = try compression.decompressor() } catch {
            close(descriptor)
            throw TraceFault(reason: .corrupt(error.what))
        }
        base = .allocate(byteCount: Self.byteCount, alignment: 64)
        packed = .allocate(byteCount: decompressor == nil ? 0 : 128 << 10, alignment: 16)
    }

    deinit {
        close(descriptor)
        base.deallocate()
        packed.deallocate()
    }

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
        let room = UnsafeMutableRawBufferPointer(start: base + end, count: Self.byteCount - end)
        let count = decompressor == nil ? try read(into: room) : try decompress(into: room)
        isAtEnd = count == 0
        end += count
        return count > 0
    }

    /// Whether the unused bytes begin with some bytes.
    func begins(with bytes: [UInt8]) throws(TraceFault) -> Bool {
        try fill(atLeast: bytes.count)
        return unused.starts(with: bytes)
    }

    /// The first of the unused lines, which stays unused; `nil` at the end.
    func upcomingLine() throws(TraceFault) -> UnsafeRawBufferPointer? {
        try fill(atLeast: TraceFormat.headByteCount)
        var lines = HeadLines(unused)
        return lines.next()
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

/// The file below the window.
extension ByteWindow {
    private static var systemMessage: String { String(cString: strerror(errno)) }

    /// Reads bytes of the file as they are, at most as many as the buffer holds; returns 0 only at the end.
    private func read(into buffer: UnsafeMutableRawBufferPointer) throws(TraceFault) -> Int {
        if !head.isEmpty {
            let count = min(head.count, buffer.count)
            buffer.copyBytes(from: head.prefix(count))
            head.removeFirst(count)
            return count
        }
        guard let atOpening else { return try Self.read(fromStream: descriptor, into: buffer) }
        while true {
            let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw TraceFault(reason: .readFailed(Self.systemMessage)) }
            readCount += count
            // Also stops reading a file that grows faster than it is read.
            if count == 0 || readCount > Int(atOpening.st_size) { try requireUnchanged(since: atOpening) }
            return count
        }
    }

    /// The first bytes of a stream: as many as tell its compression, fewer only at its end.
    private static func head(ofStream descriptor: Int32) throws(TraceFault) -> [UInt8] {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: TraceCompression.magicByteCount, alignment: 1)
        defer { bytes.deallocate() }
        var count = 0
        while count < bytes.count {
            let room = UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
            let added = try read(fromStream: descriptor, into: room)
            if added == 0 { break }
            count += added
        }
        return Array(bytes.prefix(count))
    }

    /// Waits for bytes of a stream, and reads them; a cancelled task stops to wait. Returns 0 only at the end.
    private static func read(
        fromStream descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) throws(TraceFault) -> Int {
        while true {
            if Task.isCancelled { throw TraceFault(reason: .interrupted) }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waiting, 1, 100)
            if ready == 0 || (ready < 0 && errno == EINTR) { continue }
            let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count >= 0 else { throw TraceFault(reason: .readFailed(systemMessage)) }
            return count
        }
    }

    private func requireUnchanged(since atOpening: stat) throws(TraceFault) {
        var now = stat()
        guard fstat(descriptor, &now) == 0, now.st_size == atOpening.st_size, readCount == Int(atOpening.st_size),
            now.modification.tv_sec == atOpening.modification.tv_sec,
            now.modification.tv_nsec == atOpening.modification.tv_nsec
        else { throw TraceFault(reason: .changed) }
    }

    /// Decompresses at most as many bytes as the buffer holds; returns 0 only at the end. The data before damage are
    /// good, and are delivered first.
    private func decompress(into buffer: UnsafeMutableRawBufferPointer) throws(TraceFault) -> Int {
        if let failure { throw failure }
        guard let decompressor else { return 0 }
        var room = buffer
        while room.count == buffer.count {
            if packedBytes.isEmpty, !isPackedAtEnd {
                packedBytes = UnsafeRawBufferPointer(rebasing: packed[..<(try read(into: packed))])
                isPackedAtEnd = packedBytes.isEmpty
            }
            if isPackedAtEnd, mayEnd { return 0 }
            let before = packedBytes.count
            do throws(Damage) {
                mayEnd = try decompressor.step(&packedBytes, &room, isLast: isPackedAtEnd)
            } catch {
                let produced = baseOffset + UInt64(end + buffer.count - room.count)
                failure = TraceFault(reason: .corrupt(error.what), byteOffset: produced)
                break
            }
            if isPackedAtEnd, !mayEnd, room.count == buffer.count, packedBytes.count == before {
                throw TraceFault(
                    reason: .truncated("the \(compression) data end too early"), byteOffset: baseOffset + UInt64(end))
            }
        }
        if let failure, room.count == buffer.count { throw failure }
        return buffer.count - room.count
    }
}
