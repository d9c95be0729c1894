import Locks
import NIOCore
import Platform

/// The last stage of a connection's pipeline: sends requests, and passes replies to the waiting callers, in order.
///
/// Belongs to its connection's event loop and is used only there.
final class ReplyHandler<Decoder: ReplyDecoder>: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// A request and its pending reply.
    struct Request: Sendable {
        let bytes: ByteBuffer
        let reply: PendingReply<Decoder.Reply>
        /// Why a reply ends the connection; `nil` where it doesn't.
        var refusal: (@Sendable (Decoder.Reply) -> String?)?
    }

    private let server: String
    private let timeLimit: TimeAmount
    private var decoder = Decoder()
    private var waiting = CircularBuffer<(request: Request, deadline: NIODeadline)>()
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    /// Why the connection ends, when this handler ended it.
    private var failure: ServerError?

    /// Whether it accepts no more requests.
    var hasEnded: Bool { failure != nil }

    init(server: String, timeLimit: TimeAmount) {
        self.server = server
        self.timeLimit = timeLimit
    }

    /// Sends requests, with one system call where they fit.
    func send(_ requests: [Request]) {
        guard let context, context.channel.isActive, failure == nil else {
            let lost = failure ?? .connectionLost(server: server, reason: "it was closed")
            for request in requests { request.reply.open(with: .failure(lost)) }
            return
        }
        let deadline = NIODeadline.now() + timeLimit
        for request in requests {
            waiting.append((request, deadline))
            context.write(wrapOutboundOut(request.bytes), promise: nil)
        }
        context.flush()
        watch()
    }

    /// Ends the connection; all callers that wait get the error.
    func end(_ error: ServerError) {
        if failure == nil { failure = error }
        context?.close(promise: nil)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        failAll("it was closed")
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard failure == nil else { return }
        decoder.append(unwrapInboundIn(data))
        do {
            while let reply = try decoder.next() {
                guard let first = waiting.popFirst() else { throw WireError("a reply without a request") }
                if let reason = first.request.refusal?(reply) {
                    return end(.refused(server: server, reason: reason))
                }
                first.request.reply.open(with: .success(reply))
            }
        } catch {
            end(.protocolViolation(server: server, reason: "\(error)"))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        failAll("the server closed it")
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(.connectionLost(server: server, reason: (error as? IOError)?.text ?? "\(error)"))
    }

    /// Fails all callers that wait, however the connection ended.
    private func failAll(_ reason: String) {
        timer?.cancel()
        timer = nil
        let error = failure ?? .connectionLost(server: server, reason: reason)
        failure = error
        let abandoned = waiting
        waiting.removeAll()
        for (request, _) in abandoned { request.reply.open(with: .failure(error)) }
    }

    /// Replies come in order, so the time limit of the first one covers all.
    private func watch() {
        guard timer == nil, let first = waiting.first, let context else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: first.deadline) { [weak self] in
            self?.timeIsOver()
        }
    }

    private func timeIsOver() {
        timer = nil
        if let first = waiting.first, first.deadline <= NIODeadline.now() {
            end(.timedOut(server: server, seconds: Double(timeLimit.nanoseconds) / 1e9))
        } else {
            watch()
        }
    }
}

extension IOError {
    /// The system's text, without the library's own text around it.
    var text: String { String(cString: strerror(errnoCode)) }
}
