import NIOCore

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
