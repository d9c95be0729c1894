import Foundation
import NIOCore
import NIOHTTP1
import Origins
import TrialModel

/// An answer to a request that is valid HTTP; see ``FaultyAnswer`` for the others.
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
    static func fault(_ kind: OriginFaultKind, status: Int, route: OriginRoute) -> Answer {
        guard kind != .noContent else { return Answer(status: .noContent) }
        var answer = text(.init(statusCode: status), "the scenario's fault \(kind.rawValue)")
        switch kind {
        case .redirectLoop: answer.fields.add(name: "location", value: route.path)
        case .tooManyRequests, .unavailable: answer.fields.add(name: "retry-after", value: "1")
        default: break
        }
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

/// An answer that is not valid HTTP, or is sent in pieces: what is sent, when, and how the connection ends.
struct FaultyAnswer: Sendable {
    /// Bytes that are sent after a pause.
    struct Piece: Sendable {
        var pauseNanoseconds: UInt64 = 0
        var bytes: ByteBuffer
    }

    private(set) var pieces: [Piece] = []
    private(set) var resets = false

    private static let headerPieceCount = 8
    private static let bodyPieceCount = 16
    private static let hugeByteCount = 1 << 40

    /// The answer of a fault that HTTP doesn't allow; `nil` for other faults.
    ///
    /// - Parameters:
    ///   - fault: the scenario's fault.
    ///   - body: the undamaged body.
    ///   - fields: lines of the header, each with its line break, without those that state the body's length.
    init?(_ fault: OriginFault, body: ByteBuffer, fields: String) {
        let count = body.readableBytes
        let head = "HTTP/1.1 200 OK\r\n\(fields)connection: close\r\n"
        let whole = ByteBuffer(string: head + "content-length: \(count)\r\n\r\n")
        let half = body.getSlice(at: body.readerIndex, length: count / 2) ?? ByteBuffer()
        let rest = body.getSlice(at: body.readerIndex + count / 2, length: count - count / 2) ?? ByteBuffer()
        switch fault.kind {
        case .slowHeaders:
            add(Self.cut(whole, into: Self.headerPieceCount), over: fault.extraNanoseconds)
            add([body])
        case .slowBody:
            add([whole])
            add(Self.cut(body, into: Self.bodyPieceCount), over: fault.extraNanoseconds)
        case .stalledBody:
            add([whole, half])
            add([rest], over: fault.extraNanoseconds)
        case .emptyAnswer: break
        case .cutHeaders: add([ByteBuffer(string: String(head.prefix(head.utf8.count / 2)))])
        case .cutBody: add([whole, half])
        case .resetAtOnce: resets = true
        case .resetInBody:
            add([whole, half])
            resets = true
        case .garbage: add([ByteBuffer(repeating: 0xA5, count: 64), ByteBuffer(string: "\r\n\r\n")])
        case .excessBody:
            add([ByteBuffer(string: head + "content-length: \(max(0, count - 1))\r\n\r\n"), body])
        case .malformedChunk:
            add([ByteBuffer(string: head + "transfer-encoding: chunked\r\n\r\nno length\r\n"), half])
        case .hugeBody: add([ByteBuffer(string: head + "content-length: \(Self.hugeByteCount)\r\n\r\n"), half])
        case .slowAnswer, .notFound, .tooManyRequests, .serverError, .badGateway, .unavailable, .redirectLoop,
            .noContent, .noAnswer, .flippedBit, .wrongKey, .oldVersion:
            return nil
        }
    }

    private mutating func add(_ parts: [ByteBuffer], over nanoseconds: UInt64 = 0) {
        let pause = parts.isEmpty ? 0 : nanoseconds / UInt64(parts.count)
        pieces += parts.map { Piece(pauseNanoseconds: pause, bytes: $0) }
    }

    /// Bytes in at most `count` parts of about the same length.
    private static func cut(_ bytes: ByteBuffer, into count: Int) -> [ByteBuffer] {
        var bytes = bytes
        let length = max(1, (bytes.readableBytes + count - 1) / count)
        var parts: [ByteBuffer] = []
        while let part = bytes.readSlice(length: min(length, bytes.readableBytes)), part.readableBytes > 0 {
            parts.append(part)
        }
        return parts
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
