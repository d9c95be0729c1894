import Foundation
import NIOCore
import NIOHTTP1
import Origins
import TrialModel

/// An answer to a request that is valid HTTP; see ``Load/brokenAnswer(_:)`` for the others.
struct Answer: Sendable {
    enum Body: Sendable {
        case bytes(ByteBuffer)
        /// A table that is sent in pieces, each with its size.
        case table(OriginLogTable)
    }

    let status: HTTPResponseStatus
    var fields: HTTPHeaders = [:]
    var body = Body.bytes(ByteBuffer())

    /// An encoded payload.
    static func payload(_ body: ByteBuffer, of load: Load) -> Answer {
        Answer(
            status: .ok,
            fields: [
                "content-type": load.trial.registration.values.kind.contentType,
                "x-version": String(load.ticket.version),
            ],
            body: .bytes(body))
    }

    /// An error answer that a fault of the scenario causes.
    static func fault(_ kind: OriginFaultKind, status: Int) -> Answer {
        var answer = text(.init(statusCode: status), "the scenario's fault \(kind.rawValue)")
        if kind == .unavailable { answer.fields.add(name: "retry-after", value: "1") }
        return answer
    }

    /// An answer of one or more lines of text.
    static func text(_ status: HTTPResponseStatus, _ text: String) -> Answer {
        Answer(
            status: status, fields: ["content-type": "text/plain; charset=utf-8"],
            body: .bytes(ByteBuffer(string: text.hasSuffix("\n") ? text : text + "\n")))
    }

    static func unknownTrial(_ id: String) -> Answer {
        .text(.notFound, "no trial '\(id)' is registered; PUT /trials/\(id) registers it")
    }

    static func json(_ value: some Encodable) -> Answer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            let body = ByteBuffer(bytes: try encoder.encode(value))
            return Answer(status: .ok, fields: ["content-type": "application/json"], body: .bytes(body))
        } catch {
            return .text(.internalServerError, "\(error)")
        }
    }

    static func csv(_ table: OriginLogTable) -> Answer {
        Answer(
            status: .ok, fields: ["content-type": "text/csv; charset=utf-8; header=present"], body: .table(table))
    }
}

/// Sends the answers of a connection no faster than its caller reads them. The end of an answer, which allows the next
/// request, waits until the connection accepts more bytes. So at most one body is kept for a caller that doesn't read.
final class AnswerSender {
    private var version = HTTPVersion.http1_1
    private var hasBody = true
    /// Whether another request may follow.
    private(set) var keepsAlive = true
    /// The unsent pieces of a table.
    private var pieces: AnyIterator<String>?
    private var isSending = false
    /// Whether a call is in progress: what it writes can change whether the connection accepts more, which calls again.
    private var isBusy = false

    /// Takes the properties of the request on which the answer depends.
    func begin(_ request: IncomingRequest) {
        version = request.head.version == .http1_0 ? .http1_0 : .http1_1
        hasBody = request.head.method != .HEAD
        keepsAlive = request.keepsAlive
    }

    /// Begins an answer.
    ///
    /// - Returns: whether its end may be sent.
    func send(_ answer: Answer, to context: ChannelHandlerContext) -> Bool {
        var head = HTTPResponseHead(version: version, status: answer.status, headers: answer.fields)
        if !keepsAlive { head.headers.add(name: "connection", value: "close") }
        isBusy = true
        switch answer.body {
        case .bytes(let bytes):
            head.headers.add(name: "content-length", value: String(bytes.readableBytes))
            write(.head(head), to: context)
            if hasBody, bytes.readableBytes > 0 { write(.body(.byteBuffer(bytes)), to: context) }
        case .table(let table):
            write(.head(head), to: context)
            pieces = AnyIterator(table.pieces().makeIterator())
        }
        isBusy = false
        isSending = true
        return proceed(context)
    }

    /// Sends what the connection accepts, if an answer is in progress.
    ///
    /// - Returns: whether the answer's end may be sent.
    func proceed(_ context: ChannelHandlerContext) -> Bool {
        guard isSending, !isBusy else { return false }
        isBusy = true
        defer { isBusy = false }
        while true {
            while context.channel.isWritable, let pieces {
                if let piece = pieces.next() {
                    write(.body(.byteBuffer(ByteBuffer(string: piece))), to: context)
                } else {
                    self.pieces = nil
                }
            }
            guard pieces != nil || !context.channel.isWritable else {
                isSending = false
                return true
            }
            context.flush()
            guard context.channel.isWritable else { return false }
        }
    }

    private func write(_ part: HTTPServerResponsePart, to context: ChannelHandlerContext) {
        context.write(NIOAny(part), promise: nil)
    }
}

/// The entries of a log as CSV, in the order in which the requests ended.
struct OriginLogTable: Sendable {
    static let header = "phase,key,version,start_ns,end_ns,status,fault\r\n"
    private static let rowCountOfPiece = 1_000

    let entries: [OriginLogEntry]
    /// The phase to list, or `nil` for all.
    let phase: UInt16?

    /// The table in pieces of at most a thousand rows, made on request.
    func pieces() -> some Sequence<String> {
        let starts = stride(from: 0, to: entries.count, by: Self.rowCountOfPiece).lazy
        return [[Self.header], starts.map { piece(from: $0) }].lazy.joined()
    }

    private func piece(from start: Int) -> String {
        var text = ""
        for entry in entries[start..<min(start + Self.rowCountOfPiece, entries.count)]
        where phase == nil || entry.phase == phase {
            text += "\(entry.phase),\(entry.key),\(entry.version),"
            text += "\(entry.startNanoseconds),\(entry.endNanoseconds),\(entry.ending.rawValue),"
            text += "\(entry.fault?.rawValue ?? "")\r\n"
        }
        return text
    }
}
