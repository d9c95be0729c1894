import Foundation
import NIOCore
import NIOHTTP1

/// The handler at the start of a connection's pipeline, next to the socket. It sends bytes past the HTTP encoder, for
/// answers that HTTP doesn't allow, notices when the caller leaves, and limits what a hostile caller can do.
///
/// It belongs to its connection's event loop; no other thread uses it.
final class WireHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The most bytes that are read while an answer is in progress. Reading is paused meanwhile, except for bytes that
    /// arrived with the request and for bytes before the end of the caller's side.
    private static let aheadByteCountMax = 256 << 10

    private let timeLimit: TimeAmount
    private var context: ChannelHandlerContext?
    private var requests: RequestHandler?
    private var timer: Scheduled<Void>?
    private var aheadByteCount = 0
    private var isInputClosed = false
    private var isOutputClosed = false
    /// Whether the last answer was sent: bytes received from now on are dropped.
    private(set) var isLeaving = false
    private var hasLeft = false

    /// - Parameter timeLimit: how long a request may take from its first byte to its last.
    init(timeLimit: TimeAmount) {
        self.timeLimit = timeLimit
    }

    /// Sets up a connection: this handler, NIO's HTTP handlers, and the handler that answers.
    func addPipeline(to channel: any Channel, _ requests: RequestHandler) throws {
        self.requests = requests
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 8 << 10
        limits.maxHeaderListSize = 32 << 10
        limits.maxHeaderFieldCount = 100
        try channel.pipeline.syncOperations.addHandler(self)
        // Fields of answers aren't validated, because none of them has text that a caller can choose freely.
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: true, withErrorHandling: true, withOutboundHeaderValidation: false,
            withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
        try channel.pipeline.syncOperations.addHandler(requests)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        stopTimer()
        self.context = nil
        requests = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isLeaving, let requests else { return }
        aheadByteCount = requests.isIdle ? 0 : aheadByteCount + unwrapInboundIn(data).readableBytes
        guard aheadByteCount <= Self.aheadByteCountMax else { return close() }
        let count = requests.receivedCount
        context.fireChannelRead(data)
        guard !isLeaving else { return }
        // These bytes were only a part of a request.
        if requests.receivedCount == count, requests.isIdle { startTimer() } else { stopTimer() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        guard case .some(.inputClosed) = event as? ChannelEvent else { return }
        isInputClosed = true
        // This does not use the same event at the end of the pipeline, where it waits behind requests that were read
        // ahead.
        if isOutputClosed { close() } else { requests?.callerLeft() }
    }

    // MARK: Sending

    /// Sends bytes unchanged, and continues when the socket has taken them or never will.
    func send(_ bytes: ByteBuffer, then proceed: @escaping () -> Void) {
        guard let context else { return proceed() }
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in proceed() }
        context.writeAndFlush(wrapOutboundOut(bytes), promise: sent)
    }

    /// Closes the connection.
    ///
    /// - Parameter resetting: whether to reset the connection instead of ending it, which discards what the peer has
    ///   not read.
    func close(resetting: Bool = false) {
        isLeaving = true
        guard let context else { return }
        if resetting, let socket = context.channel as? any SocketOptionProvider {
            // The option is set when the call returns, because this is the channel's event loop.
            _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        context.close(promise: nil)
    }

    /// Drops all bytes received from now on.
    func stopReading() { isLeaving = true }

    /// Closes the connection once everything is sent. Bytes from the peer are read and dropped for a while, until it
    /// closes its sending side, because the system answers unread bytes with a reset that can overtake the last answer.
    func leave() {
        guard !hasLeft else { return }
        hasLeft = true
        isLeaving = true
        stopTimer()
        send(ByteBuffer()) { [self] in
            guard let context, !isInputClosed else { return close() }
            isOutputClosed = true
            context.close(mode: .output, promise: nil)
            startTimer()
        }
    }

    // MARK: Time limit

    private func startTimer() {
        guard timer == nil, let context else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: timeLimit) { [self] in timeIsOver() }
    }

    private func stopTimer() {
        timer?.cancel()
        timer = nil
    }

    private func timeIsOver() {
        timer = nil
        guard !isLeaving else { return close() }
        stopReading()
        // This is sent past the pipeline, which only answers whole requests.
        let text = "the request took longer than \(Double(timeLimit.nanoseconds) / 1e9) s\n"
        let head =
            "HTTP/1.1 408 Request Timeout\r\ncontent-type: text/plain; charset=utf-8\r\n"
            + "content-length: \(text.utf8.count)\r\nconnection: close\r\n\r\n"
        send(ByteBuffer(string: head + text)) { [self] in leave() }
    }
}
