import Locks
package import NIOCore
import NIOPosix

/// A connection with many requests in flight: each is sent without waiting for earlier replies, and the server answers
/// in order.
///
/// ```swift
/// let connection = PipelinedConnection<RESPDecoder>(to: address)
/// let reply = try await connection.submit(RESPCommand("PING").bytes).value()
/// ```
///
/// - Requests reach the server in the order of `submit`, as long as the connection lives.
/// - It connects with the first request. When it ends, every caller that waits gets an error, and the next request
///   connects anew. Nothing is sent twice.
/// - A reply that takes longer than the time limit ends the connection, so that no caller waits for ever.
/// - A caller that waits must hold a reference to the connection: it ends with its last reference.
/// - Requests that are submitted while the event loop is busy leave with one system call.
package final class PipelinedConnection<Decoder: ReplyDecoder>: Sendable {
    private typealias Request = ReplyHandler<Decoder>.Request

    /// Requests that the event loop hasn't taken yet.
    private struct Queue {
        var requests: [Request] = []
        var isClosed = false
    }

    package let address: ServerAddress
    private let link: Link<Decoder>
    private let queue = Locked(Queue())

    /// - Parameters:
    ///   - timeLimit: the longest time for connecting, and for an answer.
    ///   - greeting: the first request of each connection; if its reply is a refusal, all callers that wait get an
    ///     error.
    package init(
        to address: ServerAddress, timeLimit: Duration = .seconds(5), greeting: Greeting<Decoder.Reply>? = nil
    ) {
        self.address = address
        link = Link(
            address: address, loop: MultiThreadedEventLoopGroup.singleton.next(), timeLimit: TimeAmount(timeLimit),
            greeting: greeting)
    }

    deinit { link.loop.execute { [link] in link.end() } }

    /// Sends a request. Never blocks.
    package func submit(_ bytes: ByteBuffer) -> PendingReply<Decoder.Reply> {
        let request = Request(bytes: bytes, reply: PendingReply())
        let (isTaken, isFirst): (Bool, Bool) = queue.withLock { queue in
            if queue.isClosed { return (false, false) }
            // The event loop already knows about the requests in the queue.
            let isFirst = queue.requests.isEmpty
            queue.requests.append(request)
            return (true, isFirst)
        }
        if !isTaken {
            request.reply.open(with: .failure(.closed(server: "\(address)")))
        } else if isFirst {
            link.loop.execute { [link, queue] in link.send(Self.takeAll(of: queue)) }
        }
        return request.reply
    }

    /// Ends the connection because its replies can't be trusted any more; the next request connects anew.
    package func reset(_ reason: String) {
        let error = ServerError.protocolViolation(server: "\(address)", reason: reason)
        link.loop.execute { [link] in link.handler?.end(error) }
    }

    /// Ends the connection. Every caller that waits gets an error, and so do later requests.
    package func close() {
        queue.withLock { $0.isClosed = true }
        link.loop.execute { [link] in link.end() }
    }

    private static func takeAll(of queue: Locked<Queue>) -> [Request] {
        queue.withLock { queue in
            let requests = queue.requests
            queue.requests = []
            return requests
        }
    }
}

/// The state that a connection's event loop keeps.
private final class Link<Decoder: ReplyDecoder>: @unchecked Sendable {
    // Sound although unchecked: `handler` and `backlog` are used only on `loop`, which every method checks.
    typealias Request = ReplyHandler<Decoder>.Request

    let address: ServerAddress
    let loop: any EventLoop
    private let timeLimit: TimeAmount
    private let greeting: Greeting<Decoder.Reply>?
    /// The handler of the connection, while it is open.
    private(set) var handler: ReplyHandler<Decoder>?
    /// Requests that wait for the connection; `nil` when it isn't connecting.
    private var backlog: [Request]?

    init(address: ServerAddress, loop: any EventLoop, timeLimit: TimeAmount, greeting: Greeting<Decoder.Reply>?) {
        self.address = address
        self.loop = loop
        self.timeLimit = timeLimit
        self.greeting = greeting
    }

    func send(_ requests: [Request]) {
        loop.preconditionInEventLoop()
        // A handler that has ended fails its waiting callers before its channel reports that it is closed.
        if let handler, !handler.hasEnded { return handler.send(requests) }
        if backlog != nil {
            backlog?.append(contentsOf: requests)
        } else if !requests.isEmpty {
            backlog = requests
            connect()
        }
    }

    func end() {
        loop.preconditionInEventLoop()
        handler?.end(.closed(server: "\(address)"))
        fail(.closed(server: "\(address)"))
    }

    private func connect() {
        let server = "\(address)"
        let timeLimit = timeLimit
        ClientBootstrap(group: loop)
            .connectTimeout(timeLimit)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        ReplyHandler<Decoder>(server: server, timeLimit: timeLimit))
                }
            }
            .connect(host: address.host, port: address.port)
            .whenComplete { result in
                self.loop.preconditionInEventLoop()
                switch result {
                case .success(let channel): self.open(channel)
                case .failure(let error): self.fail(.unreachable(server: server, reason: Self.reason(error)))
                }
            }
    }

    private func open(_ channel: any Channel) {
        guard let requests = backlog,
            let handler = try? channel.pipeline.syncOperations.handler(type: ReplyHandler<Decoder>.self)
        else {
            // It was closed meanwhile.
            channel.close(promise: nil)
            return
        }
        backlog = nil
        self.handler = handler
        channel.closeFuture.assumeIsolated().whenComplete { [weak self] _ in
            guard let self, self.handler === handler else { return }
            self.handler = nil
        }
        let first = greeting.map { Request(bytes: $0.bytes, reply: PendingReply(), refusal: $0.refusal) }
        handler.send([first].compactMap(\.self) + requests)
    }

    private func fail(_ error: ServerError) {
        let requests = backlog ?? []
        backlog = nil
        for request in requests { request.reply.open(with: .failure(error)) }
    }

    /// The reason of an error, without the library's own text around it.
    private static func reason(_ error: any Error) -> String {
        if let error = error as? NIOConnectionError {
            guard let first = error.connectionErrors.first?.error else { return "the host \(error.host) is not known" }
            return (first as? IOError)?.text ?? "\(first)"
        }
        return "\(error)"
    }
}
