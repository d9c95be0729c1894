/// Why a trace can't be read or written, and where that is.
package struct TraceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    package enum Reason: Sendable, Hashable {
        /// The file can't be opened; what the system says.
        case cannotOpen(String)
        /// A folder, FIFO, device or socket.
        case notARegularFile(String)
        /// A read failed; what the system says.
        case readFailed(String)
        /// The file's size or time is no longer what it was when reading began.
        case changed
        /// The file holds no request.
        case empty
        /// The data end inside something.
        case truncated(String)
        /// The compressed data are damaged, or need more memory than is allowed.
        case corrupt(String)
        /// A line or a record is none of this format.
        case notARecord(found: String, allowed: String)
        /// A number is readable but not allowed.
        case outOfRange(String, found: String, allowed: String)
        /// A line is longer than any trace's.
        case lineTooLong(limit: Int)
        /// The header or the caller names columns that don't make a trace.
        case unusableColumns(found: String, allowed: String)
        /// Neither name nor content says which format it is; these could be given.
        case ambiguousFormat([TraceFormat])
        /// The name says one format, and the content is none of it.
        case contradictoryFormat(name: TraceFormat, content: [TraceFormat])
        /// More keys, or more requests, than can be numbered.
        case tooMany(String, limit: Int)
        /// Nobody waits for it any more: the task was cancelled.
        case interrupted
        /// The output can't be made; what the system or the compressor says.
        case writeFailed(String)
    }

    /// The file, as it was given.
    package var path: String
    /// The format it was read as; `nil` before that is known.
    package var format: TraceFormat?
    /// Where the bad part begins, in the uncompressed data.
    package var byteOffset: UInt64?
    /// The line of the bad part, counted from 1, in text formats.
    package var line: Int?
    /// Requests that were read before; all of them are right.
    package var requestCount: Int
    /// What is wrong.
    package var reason: Reason

    package init(
        path: String, format: TraceFormat? = nil, byteOffset: UInt64? = nil, line: Int? = nil, requestCount: Int,
        reason: Reason
    ) {
        self.path = path
        self.format = format
        self.byteOffset = byteOffset
        self.line = line
        self.requestCount = requestCount
        self.reason = reason
    }

    /// Where, what was found, what is allowed, and how far it went.
    package var description: String {
        var place = path
        if let line { place += ":\(line)" }
        var notes: [String] = []
        if let byteOffset { notes.append("byte \(byteOffset)") }
        if let format { notes.append("read as \(format.rawValue)") }
        if requestCount > 0 { notes.append("after \(requestCount) requests") }
        return "\(place): \(reason)" + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))")
    }
}

extension TraceError.Reason: CustomStringConvertible {
    /// The message without its place.
    package var description: String {
        switch self {
        case .cannotOpen(let message): "can't be opened: \(message)"
        case .notARegularFile(let kind): "is \(kind); a trace is a regular file"
        case .readFailed(let message): "can't be read: \(message)"
        case .changed: "changed while it was read; copy it, or wait until it is complete"
        case .empty: "holds no request"
        case .truncated(let what): "is cut off: \(what)"
        case .corrupt(let what): "is damaged: \(what)"
        case .notARecord(let found, let allowed): "not a record: found \(found); allowed is \(allowed)"
        case .outOfRange(let name, let found, let allowed):
            "\(name) out of range: found \(found); allowed is \(allowed)"
        case .lineTooLong(let limit): "a line has more than \(limit) bytes"
        case .unusableColumns(let found, let allowed): "unusable columns: found \(found); allowed is \(allowed)"
        case .ambiguousFormat(let formats): "unclear which format this is; give one of \(TraceFormat.names(formats))"
        case .contradictoryFormat(let name, let content):
            "its name says \(name.rawValue), its content does not; give one of "
                + TraceFormat.names(content.isEmpty ? TraceFormat.allCases : content)
        case .tooMany(let what, let limit): "more than \(limit) \(what)"
        case .interrupted: "was left before its end"
        case .writeFailed(let message): "can't be written: \(message)"
        }
    }
}

/// What a decoder or a decompressor knows of an error; the reader adds path, format and count.
struct TraceFault: Error {
    var reason: TraceError.Reason
    var byteOffset: UInt64?
    var line: Int?
}
