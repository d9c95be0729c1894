import NIOCore
import NIOPosix
package import Origins

/// The HTTP server that plays the origin, with scripted delays and sizes, and its log of every request.
///
/// One server serves all trials: each registers under an id (`PUT /trials/<id>`), requests values, reads the log and is
/// freed. `GET /` returns a help page for people.
package struct FixtureServer: Sendable {
    private let configuration: FixtureServerConfiguration
    private let registry: TrialRegistry

    /// Descriptors that the process needs for other purposes than connections.
    private static let spareDescriptorCount = 64
    private static let backlog: Int32 = 4_096

    package init(configuration: FixtureServerConfiguration = FixtureServerConfiguration()) {
        self.configuration = configuration
        registry = TrialRegistry(configuration: configuration)
    }

    /// Registers a trial without a request, as `PUT /trials/<id>` would, but prepares no values.
    ///
    /// - Throws: `FixtureServerError` when the id or the registration is refused.
    package func register(_ registration: TrialRegistration, as id: String) throws(FixtureServerError) {
        _ = try registry.register(registration, as: id)
    }

    /// Serves until the task is cancelled; then it closes all connections and returns.
    ///
    /// - Parameter onReady: called once the server accepts connections, with its port.
    /// - Throws: an I/O error when the server can't listen on the address.
    package func run(onReady: @escaping @Sendable (_ port: Int) async -> Void) async throws {
        let descriptorCount = Int(clamping: FileDescriptorLimit.raise())
        let group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, configuration.eventLoopCount))
        // With few descriptors, half of them are used.
        let affordable = max(descriptorCount - Self.spareDescriptorCount, descriptorCount / 2)
        let connectionCountMax = min(configuration.connectionCountMax, affordable)
        let tables = ConnectionTables(of: group, countMax: connectionCountMax)
        let background = BackgroundWork()
        do {
            let listener = try await bootstrap(group, tables, background)
                .bind(host: configuration.host, port: configuration.port).get()
            await withTaskCancellationHandler {
                await onReady(listener.localAddress?.port ?? configuration.port)
                try? await listener.closeFuture.get()
            } onCancel: {
                listener.close(promise: nil)
            }
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
        // Work in progress reports to its event loop, which must still be there.
        await tables.close()
        await background.wait()
        try await group.shutdownGracefully()
    }

    private func bootstrap(
        _ group: MultiThreadedEventLoopGroup, _ tables: ConnectionTables, _ background: BackgroundWork
    ) -> ServerBootstrap {
        let responder = FixtureResponder(registry: registry, bodyByteCountMax: configuration.bodyByteCountMax)
        let timeLimit = TimeAmount.milliseconds(configuration.requestMillisecondsMax)
        return ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: Self.backlog)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // A client may close its sending side once the request is sent; `nc` does.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let wire = WireHandler(timeLimit: timeLimit)
                    let requests = RequestHandler(responder, wire, background)
                    try wire.addPipeline(to: channel, requests)
                    try tables.table(of: channel.eventLoop).admit(requests)
                }
            }
    }
}
