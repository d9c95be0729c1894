/// Writes a trace as `oracleGeneral`, `csv`, `tsv` or `keys`, compressed or not.
///
/// The file must be new: no file is ever replaced. It is removed unless ``finish()`` was called without an error.
package final class TraceWriter {
    /// The formats that can be written.
    package static let formats: [TraceFormat] = [.oracleGeneral, .csv, .tsv, .keys]
    private static let bufferByteCount = 64 << 10

    private let path: String
    private let format: TraceFormat
    /// The columns that are written, in addition to the key.
    private let columns: TraceColumns
    private let keyTexts: KeyTexts?
    private let sink: any ByteSink
    private var buffer: [UInt8] = []
    private var requestCount = 0

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - path: the new file; it must not exist.
    ///   - format: one of ``formats``.
    ///   - compression: the compression of the file.
    ///   - columns: the columns that each block has; the header of a CSV file names them.
    ///   - keyTexts: the texts of the keys, by number; `nil` to write the numbers.
    /// - Throws: ``TraceError`` when the file can't be created, or the format can't be written.
    package init(
        path: String, format: TraceFormat, compression: TraceCompression = .none, columns: TraceColumns,
        keyTexts: KeyTexts? = nil
    ) throws(TraceError) {
        do throws(TraceFault) {
            guard Self.formats.contains(format) else {
                throw TraceFault(
                    reason: .writeFailed("only these formats are written: \(TraceFormat.names(Self.formats))"))
            }
            sink = try compression.sink(into: FileByteSink(path: path))
        } catch {
            throw TraceError(path: path, format: format, requestCount: 0, reason: error.reason)
        }
        self.path = path
        self.format = format
        self.columns = columns.intersection(format.columns)
        self.keyTexts = keyTexts
        if format == .csv || format == .tsv { appendHeader() }
    }

    /// Writes requests. An `oracleGeneral` file needs the column `nextAccess`; write a ``NumberedTrace`` to have it
    /// computed. Other missing columns are written as 0, sizes as 1.
    ///
    /// - Throws: ``TraceError`` when a request does not fit the format or the file can't be written.
    package func write(_ block: TraceBlock) throws(TraceError) {
        for index in 0..<block.count {
            do throws(TraceFault) {
                let request = block[index]
                switch format {
                case .oracleGeneral: try appendRecord(request)
                case .keys: try appendKey(request.key, separator: nil)
                default: try appendFields(request)
                }
                requestCount += 1
                if buffer.count >= Self.bufferByteCount { try flush() }
            } catch {
                throw self.error(error)
            }
        }
    }

    /// Writes the rest and gives the file its name. Without this call there is no file.
    ///
    /// - Throws: ``TraceError`` when the file can't be written.
    package func finish() throws(TraceError) {
        do throws(TraceFault) {
            try flush()
            try sink.finish()
        } catch {
            throw self.error(error)
        }
    }

    private func flush() throws(TraceFault) {
        var fault: TraceFault?
        buffer.withUnsafeBytes { bytes in
            do throws(TraceFault) { try sink.write(bytes) } catch { fault = error }
        }
        if let fault { throw fault }
        buffer.removeAll(keepingCapacity: true)
    }

    private func error(_ fault: TraceFault) -> TraceError {
        TraceError(path: path, format: format, requestCount: requestCount, reason: fault.reason)
    }

    private func appendRecord(_ request: TraceRequest) throws(TraceFault) {
        let seconds = (request.timeNanoseconds ?? 0) / 1_000_000_000
        guard let seconds = UInt32(exactly: seconds) else {
            throw TraceFault(
                reason: .outOfRange("time", found: "\(seconds) s", allowed: "0 to \(UInt32.max) s in oracleGeneral"))
        }
        guard let next = request.nextAccess else {
            throw TraceFault(reason: .unusableColumns(found: "no next access", allowed: "one for each request"))
        }
        withUnsafeBytes(of: seconds.littleEndian) { buffer.append(contentsOf: $0) }
        withUnsafeBytes(of: request.key.littleEndian) { buffer.append(contentsOf: $0) }
        withUnsafeBytes(of: request.size.littleEndian) { buffer.append(contentsOf: $0) }
        withUnsafeBytes(of: next.littleEndian) { buffer.append(contentsOf: $0) }
    }

    private func appendHeader() {
        let separator = format == .csv ? "," : "\t"
        let fields = TraceField.allCases.filter { $0 == .key || !columns.isDisjoint(with: $0.column) }
        buffer.append(contentsOf: (fields.map(\.rawValue).joined(separator: separator) + "\n").utf8)
    }

    private func appendFields(_ request: TraceRequest) throws(TraceFault) {
        let separator: UInt8 = format == .csv ? 0x2C : 0x09
        if columns.contains(.time) {
            appendTime(request.timeNanoseconds ?? 0)
            buffer.append(separator)
        }
        try appendKey(request.key, separator: separator)
        // The key has ended the line; the other fields are inserted before that end.
        buffer.removeLast()
        if columns.contains(.size) {
            buffer.append(separator)
            buffer.append(contentsOf: String(request.size).utf8)
        }
        if columns.contains(.operation) {
            buffer.append(separator)
            buffer.append(contentsOf: OperationName.word(request.operation).utf8)
        }
        if columns.contains(.lifetime) {
            buffer.append(separator)
            buffer.append(contentsOf: String(request.lifetimeSeconds ?? 0).utf8)
        }
        buffer.append(0x0A)
    }

    private func appendTime(_ nanoseconds: UInt64) {
        let (seconds, fraction) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        buffer.append(contentsOf: String(seconds).utf8)
        guard fraction > 0 else { return }
        // The leading 1 keeps the zeros after the decimal point; then the point replaces it.
        var digits = Array(String(1_000_000_000 + fraction).utf8)
        digits[0] = 0x2E
        while digits.last == 0x30 { digits.removeLast() }
        buffer.append(contentsOf: digits)
    }

    /// Appends a key and a line end.
    private func appendKey(_ key: UInt64, separator: UInt8?) throws(TraceFault) {
        if let keyTexts, let number = Int(exactly: key), number < keyTexts.count {
            try KeyText.append(keyTexts[number], to: &buffer, separator: separator)
        } else {
            buffer.append(contentsOf: String(key).utf8)
        }
        buffer.append(0x0A)
    }
}

/// A text key, quoted as the format requires.
enum KeyText {
    /// - Parameter separator: the separator of the fields; `nil` for a key alone on its line. Only comma-separated
    ///   files have quotes.
    static func append(
        _ text: ArraySlice<UInt8>, to buffer: inout [UInt8], separator: UInt8?
    ) throws(TraceFault) {
        let needsCare = text.contains { $0 == 0x0A || $0 == 0x0D || $0 == separator || $0 == 0x22 }
        guard needsCare else {
            buffer.append(contentsOf: text)
            return
        }
        if separator == 0x2C {
            buffer.append(0x22)
            for byte in text {
                if byte == 0x22 { buffer.append(0x22) }
                buffer.append(byte)
            }
            buffer.append(0x22)
        } else {
            guard !text.contains(where: { $0 == 0x0A || $0 == separator }), text.last != 0x0D else {
                let found = text.withUnsafeBytes { Excerpt.of($0) }
                throw TraceFault(
                    reason: .outOfRange("key", found: found, allowed: "a key without line end or separator; use csv"))
            }
            buffer.append(contentsOf: text)
        }
    }
}
