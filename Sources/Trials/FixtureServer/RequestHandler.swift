import NIOCore
import NIOHTTP1
import Origins
import Platform
import TrialModel

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
        case .head(let head): incoming = IncomingRequest(head: head)
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
        case .load(let load): serve(load)
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

/// A load that is not answered before a point in time, with a timer of the connection's event loop.
struct HeldLoad {
    let load: Load
    /// `nil` if there is no answer, so that it is held for as long as the caller waits.
    let timer: Scheduled<Void>?
    let proceed: () -> Void
}

extension RequestHandler {
    /// Answers a load: in this call, unless its payload must be made or its delay must pass.
    func serve(_ load: Load) {
        if let template = load.keptTemplate { return answer(load, from: .success(template)) }
        inBackground {
            await load.template()
        } then: {
            $0.answer(load, from: $1)
        }
    }

    private func answer(_ load: Load, from template: Result<EncodedTemplate, any Error>) {
        let body: ByteBuffer
        do {
            body = load.body(try template.get(), allocator: context?.channel.allocator ?? ByteBufferAllocator())
        } catch {
            load.end(.failed)
            return send(.text(.internalServerError, "key \(load.ticket.key): \(error)"))
        }
        guard load.isDelayed else { return answer(load, body, isLate: false) }
        let isLate = load.isLate
        hold(load, until: load.due) { [self] in answer(load, body, isLate: isLate) }
    }

    private func answer(_ load: Load, _ body: ByteBuffer, isLate: Bool) {
        // The end is logged before the answer is sent, so the caller's next request does not overlap with this one.
        load.end(load.ending, isLate: isLate)
        guard let broken = load.brokenAnswer(body) else { return send(load.answer(body)) }
        // No other answer may follow, because a reader can't know where these bytes end.
        wire.stopReading()
        if broken.readableBytes == 0 { return wire.close(resetting: true) }
        wire.send(broken) { [wire] in wire.close() }
    }

    /// Continues at a point in ``Nanoclock``, unless the caller leaves before.
    private func hold(_ load: Load, until due: UInt64, then proceed: @escaping () -> Void) {
        guard let context, !isCallerGone else { return abandon(load) }
        guard due > Nanoclock.now() else { return proceed() }
        var timer: Scheduled<Void>?
        if due < .max {
            timer = context.eventLoop.assumeIsolated()
                .scheduleTask(deadline: .uptimeNanoseconds(due)) { [self] in release() }
        }
        held = HeldLoad(load: load, timer: timer, proceed: proceed)
    }

    private func release() {
        guard let held else { return }
        self.held = nil
        held.proceed()
    }

    /// Logs that the caller left before its answer; a caller that only closed its sending side gets an error.
    func abandon(_ load: Load) {
        load.end(.abandoned)
        send(Answer(status: .init(statusCode: Int(RequestEnding.abandoned.rawValue))))
    }

}

/// A request for a value, from its arrival to its end: each one that begins is ended once, which its log relies on.
struct Load: Sendable {
    let trial: OriginTrial
    let ticket: RequestLog.Ticket
    let fault: OriginFault?
    /// When the answer may be sent, in ``Nanoclock``; the largest value if there is none.
    let due: UInt64

    /// Logs that the request has arrived.
    init(key: UInt64, phase: UInt16, of trial: OriginTrial) {
        self.trial = trial
        ticket = trial.begin(key: key, phase: phase)
        fault = trial.registration.fault(key: key, attempt: ticket.version, phase: phase)
        guard fault?.kind != .noAnswer else {
            due = .max
            return
        }
        let delay = trial.registration.delay(
            key: ticket.key, version: ticket.version, phase: ticket.phase, sampler: trial.delays)
        due = ticket.startNanoseconds &+ delay &+ (fault?.extraNanoseconds ?? 0)
    }

    /// Whether the scenario delays it.
    var isDelayed: Bool { due > ticket.startNanoseconds }

    /// Whether its delay had passed more than a millisecond before the payload was made.
    var isLate: Bool { isDelayed && due < .max && Nanoclock.now() > due + 1_000_000 }

    /// The payload's template if it is kept; otherwise `nil`.
    var keptTemplate: EncodedTemplate? { trial.templates.kept(ticket.answered(fault?.kind).key) }

    /// The payload's template, made if necessary.
    func template() async -> Result<EncodedTemplate, any Error> {
        let (key, version) = ticket.answered(fault?.kind)
        do { return .success(try await trial.templates.template(key, version: version)) } catch {
            return .failure(error)
        }
    }

    /// The body of the answer, with the effect of the fault.
    func body(_ template: EncodedTemplate, allocator: ByteBufferAllocator) -> ByteBuffer {
        var body = allocator.buffer(capacity: template.encodedByteCountMax)
        template.write(version: ticket.answered(fault?.kind).version) { body.writeBytes($0) }
        if fault?.kind == .flippedBit {
            let bit = [OriginFault].detail(
                seed: trial.registration.seed, key: ticket.key, attempt: ticket.version, below: body.readableBytes * 8)
            if let byte = body.getInteger(at: body.readerIndex + bit / 8, as: UInt8.self) {
                body.setInteger(byte ^ 1 << UInt8(bit % 8), at: body.readerIndex + bit / 8)
            }
        }
        return body
    }

    /// How the request ends when its caller gets the whole answer.
    var ending: RequestEnding { fault?.kind.isFailure == true ? .failed : .answered }

    /// Logs the end of the request.
    func end(_ ending: RequestEnding, isLate: Bool = false) {
        trial.end(ticket, ending, fault: fault?.kind, isLate: isLate)
    }

    /// The answer with a body from ``body(_:allocator:)``, where the fault still allows valid HTTP.
    func answer(_ body: ByteBuffer) -> Answer {
        guard let kind = fault?.kind, let status = kind.status else { return .payload(body, of: self) }
        return .fault(kind, status: status)
    }

    /// The bytes of an answer that is not valid HTTP, without any if the connection is reset; `nil` for other answers.
    func brokenAnswer(_ body: ByteBuffer) -> ByteBuffer? {
        switch fault?.kind {
        case .resetAtOnce: return ByteBuffer()
        case .garbage: return ByteBuffer(bytes: Array(repeating: 0xA5, count: 64) + Array("\r\n\r\n".utf8))
        case .cutBody:
            var answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\ncontent-length: \(body.readableBytes)\r\n\r\n")
            answer.writeBytes(body.readableBytesView.prefix(body.readableBytes / 2))
            return answer
        default: return nil
        }
    }
}

extension ValueKind {
    /// The media type of an encoded payload.
    var contentType: String {
        switch self {
        case .image: "image/png"
        case .article: "application/json"
        case .bytes: "application/octet-stream"
        }
    }
}
