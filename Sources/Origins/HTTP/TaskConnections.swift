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
#endif
