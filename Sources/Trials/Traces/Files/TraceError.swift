package import TrialModel

/// Why a trace can't be read or written, and where the error is.
package struct TraceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    package enum Reason: Sendable, Hashable {
        /// The file can't be opened; with the system's message.
        case cannotOpen(String)
        /// A folder, FIFO, device or socket.
        case notARegularFile(String)
        /// A read failed; with the system's message.
        case readFailed(String)
        /// The file's size or modification time has changed since reading began.
        case changed
        /// The file holds no request.
        case empty
        /// The data end inside the named part.
        case truncated(String)
        /// The compressed data are damaged, or need more memory than is allowed.
        case corrupt(String)
        /// A line or a record does not have this format.
        case notARecord(found: String, allowed: String)
        /// A number is readable but out of range.
        case outOfRange(String, found: String, allowed: String)
        /// A line is longer than a trace may have.
        case lineTooLong(limit: Int)
        /// The header or the caller names columns that don't make a trace.
        case unusableColumns(found: String, allowed: String)
        /// Neither name nor content identifies the format; these formats are possible.
        case ambiguousFormat([TraceFormat])
        /// The content fits a format, but the result would be absurd or another format fits as well; with the reason.
        case unsureFormat(String, [TraceFormat])
        /// Something known that is no trace in a format that is read; what it is, and what to do.
        case foreign(String)
        /// The content does not have the format that the name says.
        case contradictoryFormat(name: TraceFormat, content: [TraceFormat])
        /// More keys, or more requests, than can be numbered.
        case tooMany(String, limit: Int)
        /// The task was cancelled before the end.
        case interrupted
        /// The output can't be written; with the message of the system or the compressor.
        case writeFailed(String)
    }

    /// The path of the file, as given.
    package var path: String
    /// The format that the file was read as; `nil` if it isn't known yet.
    package var format: TraceFormat?
    /// The offset of the bad part, in the uncompressed data.
    package var byteOffset: UInt64?
    /// The line of the bad part, counted from 1, in text formats.
    package var line: Int?
    /// The number of requests that were read before the error; all of them are valid.
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

    /// The place, what was found, what is allowed, and how many requests were read.
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
        case .notARegularFile(let kind):
            "is \(kind); a trace is a regular file, or '-' for standard input, as in: cat trace | replay -"
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
        case .unsureFormat(let why, let formats):
            "unclear which format this is: \(why); choose with --trace-format \(formats.filter { $0 != .csv }.map(\.rawValue).joined(separator: " or ")), "
                + "or name its columns, such as --columns time,key,size"
        case .foreign(let what): "is \(what)"
        case .contradictoryFormat(let name, let content):
            "its name says \(name.rawValue), its content does not; give one of "
                + TraceFormat.names(content.isEmpty ? TraceFormat.allCases : content)
        case .tooMany(let what, let limit): "more than \(limit) \(what)"
        case .interrupted: "was interrupted before its end"
        case .writeFailed(let message): "can't be written: \(message)"
        }
    }
}

/// What a decoder or a decompressor knows about an error; the reader adds path, format and request count.
struct TraceFault: Error {
    var reason: TraceError.Reason
    var byteOffset: UInt64?
    var line: Int?
}
