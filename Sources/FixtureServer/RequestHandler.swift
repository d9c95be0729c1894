import NIOCore
import NIOHTTP1

/// The handler at the end of a connection's pipeline: answers its requests, one at a time, on the event loop that reads
/// them.
///
/// It belongs to its connection's event loop; no other thread uses it.
final class RequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    let wire: WireHandler
    private let responder: FixtureResponder
    private let background: BackgroundWork
    private var table: ConnectionTable?
    private(set) var context: ChannelHandlerContext?

    private var incoming: IncomingRequest?
    /// The next request to answer, once it was received completely.
    private var received: IncomingRequest?
    /// How many requests were received.
    private(set) var receivedCount: UInt64 = 0
    private var isResponding = false
    private var isInFlight = false
    private var task: Task<Void, Never>?
    private(set) var isCallerGone = false
    /// When the last answer was sent, in uses of its event loop's table.
    private(set) var lastUse: UInt64 = 0

    private let sender = AnswerSender()
    /// A load whose answer has to wait.
    var held: HeldLoad?

    init(_ responder: FixtureResponder, _ wire: WireHandler, _ background: BackgroundWork) {
        self.responder = responder
        self.wire = wire
        self.background = background
    }

    /// Whether no request is waiting for its answer.
    var isIdle: Bool { !isInFlight && received == nil }

    func joined(_ table: ConnectionTable) {
        self.table = table
        lastUse = table.nextUse()
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        table?.remove(self)
    }

    // MARK: Receiving

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // A request that was read together with the connection's last one is dropped.
        guard !wire.isLeaving else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): incoming = IncomingRequest(head)
        case .body(let part): incoming?.append(part, byteCountMax: responder.bodyByteCountMax)
        case .end:
            received = incoming
            incoming = nil
            receivedCount &+= 1
            respond()
        }
    }

    /// Answers received requests. When an answer ends, the next request of a client that doesn't wait is taken in the
    /// call that ended it: thousands of them must not grow the stack.
    private func respond() {
        guard !isResponding else { return }
        isResponding = true
        while let request = received {
            received = nil
            isInFlight = true
            respond(to: request)
        }
        isResponding = false
    }

    private func respond(to request: IncomingRequest) {
        sender.begin(request)
        switch responder.decide(request) {
        case .answer(let answer): send(answer)
        case .load(let load): answer(load)
        case .registration(let id):
            inBackground { [responder] in
                await responder.register(id, request)
            } then: {
                $0.send($1)
            }
        }
    }

    /// Does slow work off the event loop, and returns to the loop with the result.
    func inBackground<Made: Sendable>(
        _ work: @escaping @Sendable () async -> Made, then proceed: @escaping @Sendable (RequestHandler, Made) -> Void
    ) {
        guard let context else { return }
        let eventLoop = context.eventLoop
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        task = background.start {
            let made = await work()
            eventLoop.execute {
                bound.value.task = nil
                proceed(bound.value, made)
            }
        }
    }

    // MARK: Sending

    func send(_ answer: Answer) {
        guard let context else { return }
        if sender.send(answer, to: context) { finish() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if sender.proceed(context) { finish() }
        context.fireChannelWritabilityChanged()
    }

    /// Ends an answer, which allows the next request.
    private func finish() {
        guard let context else { return }
        isInFlight = false
        lastUse = table?.nextUse() ?? 0
        let isLast = !sender.keepsAlive
        if isLast { wire.stopReading() }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        if isLast || (isCallerGone && isIdle) { wire.leave() }
    }

    // MARK: The end

    /// The caller has closed its sending side, or the connection is gone: held loads are no longer waited for.
    func callerLeft() {
        isCallerGone = true
        if let held {
            self.held = nil
            held.timer?.cancel()
            abandon(held.load)
        } else if isIdle {
            wire.leave()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        task?.cancel()
        callerLeft()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // NIO's handler has already answered a request that is not HTTP.
        if error is HTTPParserError { wire.leave() } else { wire.close() }
    }
}
