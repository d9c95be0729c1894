import CZstd
import Foundation
package import TrialModel

/// Writes a trace as `oracleGeneral` or `csv`, uncompressed unless the name of the file ends with `.zst`.
///
/// The file must be new: no file is ever replaced. Until it is complete it is a hidden file in the same folder, which is
/// removed when there is an error, because a partial trace can often be read as a complete one.
package final class TraceWriter {
    /// The formats that can be written.
    package static let formats: [TraceFormat] = [.oracleGeneral, .csv]
    /// The path that means standard output.
    package static let standardOutput = "-"
    private static let bufferByteCount = 64 << 10

    private let path: String
    private let temporaryPath: String
    private let descriptor: Int32
    private let compressor: ZstdCompressor?
    private var isOpen: Bool
    private var buffer: [UInt8] = []

    /// Writes a whole trace, and computes the next requests that `oracleGeneral` has.
    ///
    /// - Parameters:
    ///   - trace: at most 2^32 - 1 requests.
    ///   - path: the new file, or ``standardOutput``.
    ///   - format: one of ``formats``.
    /// - Throws: ``TraceError`` when a request does not fit the format or the file can't be written; no file is left then.
    /// - Complexity: O(requests); 4 bytes for each request and key in addition to the trace.
    package static func write(_ trace: NumberedTrace, path: String, format: TraceFormat) throws(TraceError) {
        var requestCount = 0
        do throws(TraceFault) {
            guard formats.contains(format) else {
                throw TraceFault(reason: .writeFailed("only these formats are written: \(TraceFormat.names(formats))"))
            }
            let writer = try TraceWriter(path: path)
            let columns = trace.informativeColumns
            if format == .csv { writer.appendHeader(columns) }
            let next = format == .oracleGeneral ? NextRequests([ReplayBlock(ids: trace.ids)]).indices : []
            for index in 0..<trace.count {
                let request = trace.requests.request(index, key: trace.keys[Int(trace.ids[index])])
                if format == .oracleGeneral {
                    try writer.appendRecord(request, next: next[index])
                } else {
                    writer.appendFields(request, columns, trace.keyTexts)
                }
                requestCount += 1
                try writer.flushIfFull()
            }
            try writer.finish()
        } catch {
            throw TraceError(
                path: name(of: path), format: format, requestCount: requestCount, reason: error.reason)
        }
    }

    /// What messages call an output.
    static func name(of path: String) -> String { path == standardOutput ? "standard output" : path }

    init(path: String) throws(TraceFault) {
        self.path = path
        compressor = path.hasSuffix(".zst") ? try ZstdCompressor() : nil
        isOpen = path != Self.standardOutput
        guard isOpen else {
            (temporaryPath, descriptor) = ("", STDOUT_FILENO)
            return
        }
        guard !path.utf8.contains(0) else { throw TraceFault(reason: .writeFailed("a NUL byte in the path")) }
        guard !Self.exists(path) else { throw Self.fault(EEXIST) }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        temporaryPath = "\(folder).trace-\(String(UInt64.random(in: .min ... .max), radix: 36)).partial"
        descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.fault(errno) }
    }

    deinit {
        if isOpen {
            close(descriptor)
            unlink(temporaryPath)
        }
    }

    /// Writes the buffer, if it holds enough for a write.
    func flushIfFull() throws(TraceFault) {
        if buffer.count >= Self.bufferByteCount { try flush() }
    }

    /// Writes the buffer.
    private func flush(isLast: Bool = false) throws(TraceFault) {
        if Task.isCancelled { throw TraceFault(reason: .interrupted) }
        if let compressor { buffer = try compressor.compressed(buffer, isLast: isLast) }
        var written = 0
        while written < buffer.count {
            let count = buffer[written...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // A reader that has closed the pipe, as `head` does, needs no more.
            if count < 0, errno == EPIPE, path == Self.standardOutput { break }
            guard count > 0 else { throw Self.fault(errno) }
            written += count
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes the rest, and gives the file its name.
    func finish() throws(TraceFault) {
        try flush(isLast: true)
        guard isOpen else { return }
        isOpen = false
        // The last error of a write may be reported only by `close`.
        var code = close(descriptor) == 0 ? 0 : errno
        if code == 0 { code = giveName() }
        unlink(temporaryPath)
        guard code == 0 else { throw Self.fault(code) }
    }

    /// Adds a hard link, which fails where a file exists; a rename would replace it.
    private func giveName() -> Int32 {
        if link(temporaryPath, path) == 0 { return 0 }
        let code = errno
        guard code != EEXIST, !Self.exists(path) else { return EEXIST }
        // Some file systems have no hard links.
        guard code == EPERM || code == ENOTSUP || code == ENOSYS || code == EMLINK else { return code }
        return rename(temporaryPath, path) == 0 ? 0 : errno
    }

    private static func exists(_ path: String) -> Bool {
        var information = stat()
        return lstat(path, &information) == 0
    }

    private static func fault(_ code: Int32) -> TraceFault {
        TraceFault(reason: .writeFailed(String(cString: strerror(code))))
    }
}

/// The formats.
extension TraceWriter {
    private func appendRecord(_ request: TraceRequest, next: UInt32) throws(TraceFault) {
        let seconds = (request.timeNanoseconds ?? 0) / 1_000_000_000
        guard let seconds = UInt32(exactly: seconds) else {
            throw TraceFault(
                reason: .outOfRange("time", found: "\(seconds) s", allowed: "0 to \(UInt32.max) s in oracleGeneral"))
        }
        guard let size = UInt32(exactly: request.size) else {
            throw TraceFault(
                reason: .outOfRange(
                    "size", found: "\(request.size)",
                    allowed: "0 to \(UInt32.max) in oracleGeneral; csv has larger sizes"))
        }
        // The file numbers requests from 1.
        let next = next == NextRequests.never ? -1 : Int64(next) + 1
        withUnsafeBytes(of: seconds.littleEndian) { buffer.append(contentsOf: $0) }
        withUnsafeBytes(of: request.key.littleEndian) { buffer.append(contentsOf: $0) }
        withUnsafeBytes(of: size.littleEndian) { buffer.append(contentsOf: $0) }
        withUnsafeBytes(of: next.littleEndian) { buffer.append(contentsOf: $0) }
    }

    func appendHeader(_ columns: TraceColumns) {
        let fields = TraceField.allCases.filter { $0 == .key || !columns.isDisjoint(with: $0.column) }
        append(fields.map(\.rawValue).joined(separator: ",") + "\n")
    }

    func appendFields(_ request: TraceRequest, _ columns: TraceColumns, _ texts: KeyTextTable?) {
        if columns.contains(.time) {
            appendTime(request.timeNanoseconds ?? 0)
            append(",")
        }
        if let texts {
            texts.withText(of: Int(request.key)) { appendText($0) }
        } else {
            append("\(request.key)")
        }
        if columns.contains(.size) { append(",\(request.size)") }
        if columns.contains(.operation) { append(",\(request.operation)") }
        if columns.contains(.lifetime) { append(",\(request.lifetimeSeconds ?? 0)") }
        if columns.contains(.cost) { append(",\(request.cost)") }
        append("\n")
    }

    private func append(_ text: String) { buffer.append(contentsOf: text.utf8) }

    private func appendTime(_ nanoseconds: UInt64) {
        let (seconds, fraction) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        append("\(seconds)")
        guard fraction > 0 else { return }
        // The leading 1 keeps the zeros after the decimal point; then the point replaces it.
        var digits = Array(String(1_000_000_000 + fraction).utf8)
        digits[0] = 0x2E
        while digits.last == 0x30 { digits.removeLast() }
        buffer.append(contentsOf: digits)
    }

    /// Appends a text key, quoted where it must be.
    private func appendText(_ text: UnsafeRawBufferPointer) {
        guard text.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0x2C || $0 == 0x22 }) else {
            return buffer.append(contentsOf: text)
        }
        buffer.append(0x22)
        for byte in text {
            if byte == 0x22 { buffer.append(0x22) }
            buffer.append(byte)
        }
        buffer.append(0x22)
    }
}

/// Compresses with Zstandard's own level.
private final class ZstdCompressor {
    private let context: OpaquePointer

    init() throws(TraceFault) {
        guard let context = ZSTD_createCCtx() else { throw TraceFault(reason: .writeFailed("zstd can't start")) }
        self.context = context
    }

    deinit { ZSTD_freeCCtx(context) }

    /// What these bytes add to the compressed data.
    func compressed(_ bytes: [UInt8], isLast: Bool) throws(TraceFault) -> [UInt8] {
        var result: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: ZSTD_CStreamOutSize())
        var used = 0
        var isOver = false
        while !isOver {
            let (code, count) = bytes.withUnsafeBytes { bytes in
                piece.withUnsafeMutableBytes { piece in
                    var source = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: used)
                    var target = ZSTD_outBuffer(dst: piece.baseAddress, size: piece.count, pos: 0)
                    let code = ZSTD_compressStream2(context, &target, &source, isLast ? ZSTD_e_end : ZSTD_e_continue)
                    used = source.pos
                    return (code, target.pos)
                }
            }
            guard ZSTD_isError(code) == 0 else {
                throw TraceFault(reason: .writeFailed("zstd: \(String(cString: ZSTD_getErrorName(code)))"))
            }
            result += piece.prefix(count)
            // At the end the code is the number of bytes that are still to come.
            isOver = isLast ? code == 0 : used == bytes.count
        }
        return result
    }
}

extension NumberedTrace {
    /// The columns whose values are not all the default.
    fileprivate var informativeColumns: TraceColumns {
        var columns = requests.columns
        if requests.sizes.allSatisfy({ $0 == 1 }) { columns.remove(.size) }
        if requests.operations.allSatisfy({ $0 == .read }) { columns.remove(.operation) }
        if requests.lifetimesSeconds.allSatisfy({ $0 == 0 }) { columns.remove(.lifetime) }
        if requests.costs.allSatisfy({ $0 == 1 }) { columns.remove(.cost) }
        return columns
    }
}
