package import TrialModel

/// Reads a trace, a block of requests at a time, with constant memory.
///
/// ```swift
/// let reader = try TraceReader(path: path, options: TraceReadingOptions(columns: .keyOnly))
/// var block = TraceBlock()
/// while try reader.read(into: &block) {
///     for key in block.keys { sum &+= key }
/// }
/// ```
///
/// Every request before the first error is either delivered or counted in the error; none is delivered after it.
package final class TraceReader {
    /// The path that means standard input, which can be read once.
    package static let standardInput = "-"

    /// The path of the file, as messages name it.
    package let path: String
    /// The format of the requests.
    package let format: TraceFormat
    /// The columns of the blocks: those that the trace has and the options ask for.
    package let columns: TraceColumns
    /// The number of requests that were read so far.
    package private(set) var requestCount = 0
    /// The number of different keys among the requests that were read and numbered so far.
    package private(set) var numberedKeyCount = 0

    let window: ByteWindow
    private var decoder: any TraceDecoder
    private let blockRequestCount: Int
    /// Whether only the content speaks for the format, which neither the caller nor the file's name gives.
    private let isGuess: Bool
    /// Made for the first block that is numbered.
    private var numbering: TraceNumbering?
    private var failure: TraceError?

    /// Opens a trace, and reads its header if it has one.
    ///
    /// - Parameters:
    ///   - path: a regular file or ``standardInput``, compressed with gzip, xz, zstd or not at all; its first bytes tell which.
    ///   - format: `nil` to detect it; see ``detect(path:)``.
    ///   - options: which columns to read, and how to read CSV.
    /// - Throws: ``TraceError`` when the file can't be opened or its format is unclear.
    package init(
        path: String, format: TraceFormat? = nil, options: TraceReadingOptions = TraceReadingOptions()
    ) throws(TraceError) {
        var known = format
        do throws(TraceFault) {
            window = try ByteWindow(path: path)
            try Self.skip(options, in: window, format)
            let found: TraceFormat
            if let format {
                found = format
            } else {
                found = try TraceFormat.detect(path: path, window: window, options: options)
            }
            known = found
            isGuess =
                format == nil && !TraceFormat.named(by: path).contains(found) && options.csvColumns == nil
                && options.csvNames == nil && !TraceHead(bytes: window.unused, isWhole: false).hasHeader(found)
            decoder = try found.decoder(for: window, options: options)
            self.format = found
        } catch {
            throw TraceError(
                path: Self.name(of: path), format: known, byteOffset: error.byteOffset, line: error.line,
                requestCount: 0, reason: error.reason)
        }
        self.path = Self.name(of: path)
        columns = decoder.columns
        blockRequestCount = max(1, options.blockRequestCount)
    }

    /// What messages call a trace.
    private static func name(of path: String) -> String { path == standardInput ? "standard input" : path }

    /// Leaves out what is before the first request of a text: a byte order mark, and the lines that the caller names.
    private static func skip(
        _ options: TraceReadingOptions, in window: ByteWindow, _ format: TraceFormat?
    ) throws(TraceFault) {
        guard format?.isText ?? true else { return }
        if try window.begins(with: [0xEF, 0xBB, 0xBF]) { window.use(3) }
        for _ in 0..<options.skippedLines { _ = try window.nextLine() }
        while let comment = options.csvComment, try window.begins(with: [comment]) { _ = try window.nextLine() }
    }

    /// What the trace is read as: its format, the columns that are used, and those that are ignored.
    package var readAs: String {
        let names: [(TraceColumns, String)] = [
            (.size, "size"), (.time, "time"), (.operation, "operation"), (.lifetime, "lifetime"), (.cost, "cost"),
            (.nextAccess, "next access"),
        ]
        let used = ["key"] + names.filter { columns.contains($0.0) }.map(\.1)
        var ignored = decoder.ignored
        // The header of a file of columns has names of its own.
        if format != .csv, format != .tsv {
            ignored = names.filter { format.columns.contains($0.0) && !columns.contains($0.0) }.map(\.1) + ignored
        }
        return "read as \(format.rawValue): \(used.joined(separator: ", "))"
            + (ignored.isEmpty ? "" : "; ignored: \(ignored.joined(separator: ", "))")
    }

    /// From how many requests on it is absurd that each has a key of its own.
    private static let absurdRequestCount = 100

    /// Refuses a guess whose result is absurd: with the right format, some key would occur twice.
    private func requireSense() throws(TraceError) {
        guard isGuess, requestCount >= Self.absurdRequestCount, numberedKeyCount == requestCount else { return }
        throw error(
            .unsureFormat("read as \(format.rawValue), each of its \(requestCount) keys occurs once", [format, .csv]))
    }

    /// The format of a trace, by its name and the beginning of its content, which must agree.
    ///
    /// - Throws: ``TraceError/Reason/ambiguousFormat(_:)`` when neither identifies the format,
    ///   ``TraceError/Reason/contradictoryFormat(name:content:)`` when they don't agree.
    package static func detect(path: String) throws(TraceError) -> TraceFormat {
        try TraceReader(path: path).format
    }

    /// The texts of the keys, when the trace has text keys and they are numbered.
    package var keyTexts: KeyTextTable? { decoder.keyTexts }

    /// Whether the keys of a CSV or TSV file were read as numbers, and later keys were not numbers; see
    /// ``TraceCSVKeys/automatic``.
    package var hasStrayTexts: Bool { decoder.hasStrayTexts }

    /// Replaces the content of the block by the next requests.
    ///
    /// - Returns: `false` at the end; the block is empty then.
    /// - Throws: the first ``TraceError``, and the same one on each later call. An error that follows good requests
    ///   of the same block is thrown in their place, and counts them.
    package func read(into block: inout TraceBlock) throws(TraceError) -> Bool {
        if let failure { throw failure }
        block.removeAll(columns: columns)
        do throws(TraceFault) {
            try decoder.decode(from: window, into: &block, limit: blockRequestCount)
        } catch {
            _ = decoder.settle(&block.keys)
            throw fail(error, after: block.keys.count, &block)
        }
        guard decoder.settle(&block.keys) else {
            throw fail(TraceFault(reason: .tooMany("keys", limit: KeyTextTable.countMax)), after: 0, &block)
        }
        requestCount += block.count
        if requestCount == 0 { throw fail(TraceFault(reason: .empty), after: 0, &block) }
        return block.count > 0
    }

    /// Reads the next block as ``read(into:)`` does, and replaces `ids` by the numbers of its keys, which count from 0
    /// in the order of first appearance. Memory grows with the number of different keys, not with the requests.
    ///
    /// - Throws: the errors of ``read(into:)``, and ``TraceError/Reason/tooMany(_:limit:)`` when there are more keys than
    ///   can be numbered.
    package func read(into block: inout TraceBlock, ids: inout [UInt32]) throws(TraceError) -> Bool {
        guard try read(into: &block) else {
            try requireSense()
            return false
        }
        if let keyTexts {
            ids.setCount(block.count)
            ids.withUnsafeMutableBufferPointer { ids in
                for (index, key) in block.keys.enumerated() { ids[index] = UInt32(truncatingIfNeeded: key) }
            }
            numberedKeyCount = keyTexts.count
            return true
        }
        do throws(TraceFault) {
            var own = if let known = numbering.take() { known } else { try TraceNumbering() }
            try own.number(block.keys, into: &ids)
            numberedKeyCount = own.keyCount
            numbering = consume own
        } catch {
            throw self.error(error.reason)
        }
        return true
    }

    /// A word that identifies a key and depends only on the key: the number itself, or a hash of the text.
    ///
    /// - Parameter key: a key of a block that was read.
    /// - Complexity: O(bytes of the text).
    func content(of key: UInt64) -> UInt64 {
        guard let keyTexts else { return key }
        return keyTexts.withText(of: Int(key)) { TextHash.of($0, seed: 0) }
    }

    /// An error of this trace without a place in the file.
    func error(_ reason: TraceError.Reason) -> TraceError {
        TraceError(path: path, format: format, requestCount: requestCount, reason: reason)
    }

    private func fail(_ fault: TraceFault, after count: Int, _ block: inout TraceBlock) -> TraceError {
        requestCount += count
        var error = error(fault.reason)
        error.byteOffset = fault.byteOffset
        error.line = fault.line
        block.removeAll(columns: columns)
        failure = error
        return error
    }
}
