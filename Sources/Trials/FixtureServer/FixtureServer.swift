import Dispatch
import NIOCore
import NIOPosix
package import Origins
import Platform

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

/// How the fixture server is set up.
package struct FixtureServerConfiguration: Sendable {
    /// The address to listen on.
    package var host = "127.0.0.1"
    /// The port to listen on; 0 for any free port.
    package var port = 0
    /// How many trials may be registered at once.
    package var trialCountMax = 1_000
    /// How many requests of a trial are listed; the counts stay exact beyond it.
    package var entryCountMax = 1_000_000
    /// The most bytes of encoded payloads that are kept for all trials, so that a picture is compressed once for all
    /// strategies and repetitions.
    package var templateByteCountMax = TemplateBudget.byteCountMaxOfServer
    /// The most bytes of the largest values of all trials together, each counted twice. Trials with the same values and
    /// seed count once.
    package var valueByteCountMax = 2 << 30
    /// The folder of the files with sizes and lifetimes of keys that registrations may name; `nil` for none.
    package var keyTableFolder: String?
    /// The largest body of a request, in bytes.
    package var bodyByteCountMax = 64 << 10
    /// How long a request may take from its first byte to its last, in milliseconds.
    package var requestMillisecondsMax: Int64 = 10_000
    /// The most connections at once; fewer where the process may open fewer files. One more connection closes those
    /// that have been idle for longest.
    package var connectionCountMax = 60_000
    /// The number of threads that answer. It is half of the cores, because the trial that waits for the answers needs
    /// the others. On two cores, the single thread serves 64 clients in batches, and shares the log with no other
    /// thread.
    package var eventLoopCount = max(1, min(4, System.coreCount / 2))

    package init() {}
}

/// Why the fixture server refuses a trial.
package enum FixtureServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The id is not 1 to 200 letters, digits, `.`, `_` or `-`.
    case badTrialName(String)
    /// The registration is invalid, for these reasons.
    case badRegistration([String])
    /// The limit of registered trials is reached.
    case tooManyTrials(limit: Int)
    /// The values of this trial don't fit into memory beside those of the others.
    case valuesTooLarge(byteCount: Int, limit: Int)

    package var description: String {
        switch self {
        case .badTrialName(let id):
            "trial id '\(id.prefix(200))': a trial's id is 1 to 200 letters, digits, '.', '_' or '-'"
        case .badRegistration(let mistakes): mistakes.joined(separator: "\n")
        case .tooManyTrials(let limit): "\(limit) trials are registered; DELETE one first"
        case .valuesTooLarge(let byteCount, let limit):
            "the largest values of all trials take \(byteCount) bytes, and \(limit) are allowed; DELETE a trial first"
        }
    }
}

/// The connections of one event loop and their number. Only that event loop uses it.
final class ConnectionTable {
    /// Why a connection isn't served.
    struct Refusal: Error {}

    private let countMax: Int
    private var connections: [ObjectIdentifier: RequestHandler] = [:]
    private var useCount: UInt64 = 0
    private var isClosed = false

    init(countMax: Int) {
        self.countMax = countMax
    }

    /// Admits a connection. When there are too many, those that have been idle for longest are closed first.
    ///
    /// Idle connections have no time limit, because it would race with a client that keeps a connection for its next
    /// load.
    func admit(_ connection: RequestHandler) throws(Refusal) {
        if connections.count >= countMax { closeIdle() }
        guard !isClosed, connections.count < countMax else { throw Refusal() }
        connections[ObjectIdentifier(connection)] = connection
        connection.joined(self)
    }

    func remove(_ connection: RequestHandler) {
        connections[ObjectIdentifier(connection)] = nil
    }

    /// A number that grows with each use and serves as a clock.
    func nextUse() -> UInt64 {
        useCount += 1
        return useCount
    }

    /// Closes a sixteenth of the idle connections, so that a flood of connections rarely needs a sort.
    private func closeIdle() {
        let idle = connections.values.filter(\.isIdle).sorted { $0.lastUse < $1.lastUse }
        for connection in idle.prefix(max(1, idle.count / 16)) {
            remove(connection)
            connection.wire.close()
        }
    }

    /// Closes all connections and admits no more.
    func close() {
        isClosed = true
        for connection in connections.values { connection.wire.close() }
    }
}

/// The tables of all event loops.
struct ConnectionTables: Sendable {
    private let tables: [ObjectIdentifier: NIOLoopBoundBox<ConnectionTable>]

    /// - Parameter countMax: the most connections of all loops together; connections are distributed to the loops in
    ///   turn.
    init(of group: any EventLoopGroup, countMax: Int) {
        let loops = Array(group.makeIterator())
        let share = max(1, countMax / max(1, loops.count))
        var tables: [ObjectIdentifier: NIOLoopBoundBox<ConnectionTable>] = [:]
        for loop in loops {
            tables[ObjectIdentifier(loop)] = .makeBoxSendingValue(ConnectionTable(countMax: share), eventLoop: loop)
        }
        self.tables = tables
    }

    /// The table of the calling event loop.
    func table(of loop: any EventLoop) throws(ConnectionTable.Refusal) -> ConnectionTable {
        guard let box = tables[ObjectIdentifier(loop)] else { throw ConnectionTable.Refusal() }
        return box.value
    }

    /// Closes all connections.
    func close() async {
        for box in tables.values {
            try? await box.eventLoop.submit { box.value.close() }.get()
        }
    }
}

/// Work that takes too long for an event loop, such as compressing a picture. The server waits for these tasks when it
/// stops.
struct BackgroundWork: Sendable {
    private let inFlight = DispatchGroup()

    /// Starts a task.
    func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        inFlight.enter()
        return Task {
            await work()
            inFlight.leave()
        }
    }

    /// Returns when all started tasks have ended.
    func wait() async {
        await withCheckedContinuation { continuation in
            inFlight.notify(queue: .global()) { continuation.resume() }
        }
    }
}
