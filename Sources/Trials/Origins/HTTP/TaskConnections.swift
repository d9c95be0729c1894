import Platform

#if HTTP
    import Locks
    import NIOCore
    import NIOPosix
    import TrialModel

    /// The connections of the tasks that use one origin: one for each request in flight, and idle ones for the next
    /// requests.
    final class TaskConnections: Sendable {
        private struct State {
            /// The idle connections, the most recently used one at the end.
            var idle: [TaskConnection] = []
            var isClosed = false
        }

        private let addresses: [ResolvedAddress]
        private let bodyByteCountMax: Int
        private let state = Locked(State())

        init(to addresses: [ResolvedAddress], bodyByteCountMax: Int) {
            self.addresses = addresses
            self.bodyByteCountMax = bodyByteCountMax
        }

        /// Asks the system for the addresses of a name, on a thread that may block.
        static func resolve(_ endpoint: ServerEndpoint) async throws(ExchangeFailure) -> [ResolvedAddress] {
            try await blocking { () throws(ExchangeFailure) in try endpoint.resolve() }
        }

        /// Sends a request and waits for its answer.
        ///
        /// If it fails, its connection is closed. The connection is also closed as soon as the caller's task is
        /// cancelled.
        func exchange(_ request: HTTPRequest, until deadline: UInt64) async throws(ExchangeFailure) -> HTTPResponse {
            guard Nanoclock.now() < deadline else { throw .timedOut }
            let connection: TaskConnection
            if let kept = sendOverIdle(request, until: deadline) {
                connection = kept
            } else {
                connection = try await open(until: deadline)
                if Task.isCancelled { throw .cancelled }
                guard connection.send(request, until: deadline) else {
                    throw .unreachable("the server closed the connection at once")
                }
            }
            let response = try await connection.answer()
            if response.keepsAlive {
                state.withLock { state in
                    if !state.isClosed { state.idle.append(connection) }
                }
            }
            return response
        }

        /// Does the same for a request that is sent and awaited even when the caller's task is cancelled.
        func uncancelledExchange(
            _ request: HTTPRequest, until deadline: UInt64
        ) async throws(ExchangeFailure) -> HTTPResponse {
            let task = Task { () async -> Result<HTTPResponse, ExchangeFailure> in
                do throws(ExchangeFailure) {
                    return .success(try await exchange(request, until: deadline))
                } catch {
                    return .failure(error)
                }
            }
            return try await task.value.get()
        }

        /// Closes the idle connections at once, and those in use as their requests end. No request may follow.
        func close() async {
            let idle = state.withLock { state in
                let idle = state.idle
                state = State(isClosed: true)
                return idle
            }
            for connection in idle { connection.shutDown() }
            // An error here means that the channel was closed before.
            for connection in idle { try? await connection.channel.closeFuture.get() }
        }

        /// Sends the request over an idle connection.
        ///
        /// It tries another connection only if not a byte was sent over the one before: the server counts requests, and
        /// one that was sent may have been counted.
        ///
        /// - Returns: the connection that awaits its answer; `nil` when none was usable.
        private func sendOverIdle(_ request: HTTPRequest, until deadline: UInt64) -> TaskConnection? {
            while let connection = state.withLock({ $0.idle.popLast() }) {
                if connection.send(request, until: deadline) { return connection }
            }
            return nil
        }

        private func open(until deadline: UInt64) async throws(ExchangeFailure) -> TaskConnection {
            guard state.withLock({ !$0.isClosed }) else { throw .unreachable("the origin was shut down") }
            let (addresses, bodyByteCountMax) = (addresses, bodyByteCountMax)
            let socket = try await Self.blocking { () throws(ExchangeFailure) in
                try Socket.connected(to: addresses, until: deadline)
            }
            guard let copy = socket.copiedDescriptor() else { throw .unreachable("too many open files") }
            do {
                // The channel reads only once a handler takes the bytes.
                let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .channelOption(.autoRead, value: false)
                    .withConnectedSocket(copy).get()
                return try await channel.eventLoop.submit {
                    let connection = TaskConnection(socket, channel)
                    let handler = AnswerHandler(connection, bodyByteCountMax: bodyByteCountMax)
                    try channel.pipeline.syncOperations.addHandler(handler)
                    try channel.syncOptions?.setOption(.autoRead, value: true)
                    return connection
                }.get()
            } catch {
                socket.shutDown()
                throw .unreachable("\(error)")
            }
        }

        /// Runs a blocking body on a thread that may block.
        private static func blocking<Value: Sendable>(
            _ body: @escaping @Sendable () throws(ExchangeFailure) -> Value
        ) async throws(ExchangeFailure) -> Value {
            let result: Result<Value, ExchangeFailure>
            do {
                result = try await NIOThreadPool.singleton.runIfActive { Result(catching: body) }
            } catch {
                throw .unreachable("\(error)")
            }
            return try result.get()
        }
    }

    /// A connection for callers that are tasks. A request is sent from the caller's thread; its answer arrives on an
    /// event loop, which resumes the task.
    ///
    /// The request does not go through the loop, because waking the loop's thread costs as much as waking the server.
    /// So the connection has two descriptors: the socket's own, and the channel's, which the loop may close at any
    /// time.
    ///
    /// It carries one request at a time. It lives as long as its user holds it, and ends for the server at once with
    /// ``shutDown()`` or its last reference; the channel closes when it reads the end.
    final class TaskConnection: Sendable {
        typealias Answer = Result<HTTPResponse, ExchangeFailure>

        private enum Exchange {
            case idle
            /// The caller's task, once it waits.
            case inFlight(CheckedContinuation<Void, Never>?)
            case done(Answer)
        }

        private struct State {
            var exchange = Exchange.idle
            var deadline = UInt64.max
            /// When the loop checks the deadline next.
            var alarm = UInt64.max
            var lastUse = Nanoclock.now()
        }

        let channel: any Channel
        private let socket: Socket
        private let state = Locked(State())

        /// A connection whose channel has another descriptor of the same socket.
        init(_ socket: Socket, _ channel: any Channel) {
            self.socket = socket
            self.channel = channel
        }

        deinit { socket.shutDown() }

        /// Ends the connection for the server, at once and from any thread.
        func shutDown() { socket.shutDown() }

        /// Sends a request; ``answer()`` waits for its answer.
        ///
        /// - Returns: `false` when the connection can't be used and not a byte was sent, so the server can't have
        ///   counted the request.
        func send(_ request: HTTPRequest, until deadline: UInt64) -> Bool {
            guard socket.isQuiet else { return false }
            let (isFresh, needsAlarm): (Bool, Bool) = state.withLock { state in
                let isFresh = Nanoclock.now() < state.lastUse &+ ThreadConnection.idleNanosecondsMax
                guard isFresh, case .idle = state.exchange else { return (false, false) }
                // This is set before sending, because the answer may arrive before this function continues.
                state.exchange = .inFlight(nil)
                state.deadline = deadline
                // One alarm serves many requests, because their deadlines follow each other. An earlier deadline is
                // rare.
                guard deadline < state.alarm else { return (true, false) }
                state.alarm = deadline
                return (true, true)
            }
            guard isFresh else { return false }
            guard let sentCount = socket.sendSome(request.bytes[...]) else { return false }
            if sentCount < request.bytes.count {
                channel.writeAndFlush(ByteBuffer(bytes: request.bytes[sentCount...]), promise: nil)
            }
            if needsAlarm { setAlarm(deadline) }
            return true
        }

        /// Waits for the answer to the request that was sent. A cancelled caller does not wait: the connection ends.
        func answer() async throws(ExchangeFailure) -> HTTPResponse {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isThere: Bool = state.withLock { state in
                        guard case .inFlight = state.exchange else { return true }
                        state.exchange = .inFlight(continuation)
                        return false
                    }
                    if isThere { continuation.resume() }
                }
            } onCancel: {
                fail(.cancelled)
            }
            // The answer is not passed through the continuation: when one is resumed before its task has suspended,
            // Swift's runtime (6.3) doesn't tell Thread Sanitizer.
            let answer: Answer = state.withLock { state in
                guard case .done(let answer) = state.exchange else { return .failure(.cancelled) }
                state.exchange = .idle
                state.lastUse = Nanoclock.now()
                return answer
            }
            return try answer.get()
        }

        /// Whether a request is in flight. Bytes received at any other time are unrequested.
        var isAwaited: Bool {
            state.withLock { state in
                if case .inFlight = state.exchange { true } else { false }
            }
        }

        /// Sets the answer. Later answers are ignored.
        func finish(_ answer: Answer) {
            let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
                guard case .inFlight(let waiting) = state.exchange else { return nil }
                state.exchange = .done(answer)
                return waiting
            }
            waiting?.resume()
        }

        /// Ends the connection, which makes the request in flight fail.
        func fail(_ failure: ExchangeFailure) {
            // The failure is set first: the loop may read the end at once, and would report that the server closed the
            // connection.
            finish(.failure(failure))
            socket.shutDown()
        }

        /// Lets the loop check the deadline at a point in time.
        private func setAlarm(_ time: UInt64) {
            let due = NIODeadline.uptimeNanoseconds(min(time, UInt64(Int64.max)))
            channel.eventLoop.scheduleTask(deadline: due) { [weak self] in self?.ring(time) }
        }

        private func ring(_ time: UInt64) {
            let (isOver, next): (Bool, UInt64?) = state.withLock { state in
                // Another alarm has replaced this one.
                guard state.alarm == time else { return (false, nil) }
                state.alarm = .max
                guard case .inFlight = state.exchange else { return (false, nil) }
                if Nanoclock.now() >= state.deadline { return (true, nil) }
                state.alarm = state.deadline
                return (false, state.deadline)
            }
            if isOver { fail(.timedOut) }
            if let next { setAlarm(next) }
        }
    }

    /// The handler at the end of a connection's pipeline: reads answers. Belongs to its event loop.
    final class AnswerHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        // The reference is weak, so that a connection without a user ends, and its channel with it.
        private weak var connection: TaskConnection?
        private var parser: ResponseParser

        init(_ connection: TaskConnection, bodyByteCountMax: Int) {
            self.connection = connection
            parser = ResponseParser(bodyByteCountMax: bodyByteCountMax)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            // No request is waiting for these bytes.
            guard let connection, connection.isAwaited else { return end(context) }
            let parsed = unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
                Result { () throws(ExchangeFailure) in try parser.consume(bytes) }
            }
            switch parsed {
            case .success(let response?): connection.finish(.success(response))
            case .success(nil): break
            case .failure(let failure):
                connection.fail(failure)
                end(context)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            let failure = (error as? IOError).map { ExchangeFailure.systemError($0.errnoCode) }
            connection?.fail(failure ?? .unreachable("\(error)"))
            end(context)
        }

        func channelInactive(context: ChannelHandlerContext) {
            connection?.fail(parser.failureAtEnd)
            context.fireChannelInactive()
        }

        private func end(_ context: ChannelHandlerContext) {
            connection?.shutDown()
            context.close(promise: nil)
        }
    }
#endif
