import NIOCore
import NIOHTTP1

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
