import Locks

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The connections of the threads that use one origin: each thread has its own.
///
/// A thread finds its connection in thread-local storage. So no lock orders the callers, except in the first request of
/// each thread. When a thread ends, the next new thread takes over its connection.
final class ThreadConnections: Sendable {
    private struct State {
        /// All connections; each belongs to a thread or is in `spare`.
        var all: [ThreadConnection] = []
        var spare: [ThreadConnection] = []
        var isClosed = false
    }

    private let addresses: [ResolvedAddress]
    private let bodyByteCountMax: Int
    private let state = Locked(State())

    init(to addresses: [ResolvedAddress], bodyByteCountMax: Int) {
        self.addresses = addresses
        self.bodyByteCountMax = bodyByteCountMax
    }

    /// Sends a request on the calling thread's connection and waits for its answer.
    func exchange(_ request: HTTPRequest, until deadline: UInt64) throws(ExchangeFailure) -> HTTPResponse {
        let leases = ThreadLeases.current
        if let connection = leases.connection(of: self) { return try connection.exchange(request, until: deadline) }
        return try lease(leases).exchange(request, until: deadline)
    }

    /// Closes the connections; one with a request in flight closes when the request ends. No request may follow.
    func close() {
        let all = state.withLock { state in
            let all = state.all
            state = State(isClosed: true)
            return all
        }
        for connection in all { connection.close() }
    }

    /// Gives the calling thread a connection.
    private func lease(_ leases: ThreadLeases) throws(ExchangeFailure) -> ThreadConnection {
        let connection: ThreadConnection? = state.withLock { state in
            if state.isClosed { return nil }
            if let spare = state.spare.popLast() { return spare }
            let new = ThreadConnection(to: addresses, bodyByteCountMax: bodyByteCountMax)
            state.all.append(new)
            return new
        }
        guard let connection else { throw .unreachable("the origin was shut down") }
        leases.add(connection, of: self)
        return connection
    }

    /// Takes back the connection of a thread that ends.
    fileprivate func giveBack(_ connection: ThreadConnection) {
        state.withLock { state in
            if !state.isClosed { state.spare.append(connection) }
        }
    }
}

/// The connections of one thread, to every origin that it uses. Belongs to its thread, and ends with it.
private final class ThreadLeases {
    private var leases: [(owner: ThreadConnections, connection: ThreadConnection)] = []

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key) { ThreadLeases.release($0) }
        precondition(status == 0, "pthread_key_create failed with error \(status)")
        return key
    }()

    /// The connections of the calling thread.
    static var current: ThreadLeases {
        if let found = pthread_getspecific(key) {
            return Unmanaged<ThreadLeases>.fromOpaque(found).takeUnretainedValue()
        }
        let new = ThreadLeases()
        let status = pthread_setspecific(key, Unmanaged.passRetained(new).toOpaque())
        precondition(status == 0, "pthread_setspecific failed with error \(status)")
        return new
    }

    private static func release(_ pointer: UnsafeMutableRawPointer?) {
        guard let pointer else { return }
        Unmanaged<ThreadLeases>.fromOpaque(pointer).release()
    }

    deinit {
        for (owner, connection) in leases { owner.giveBack(connection) }
    }

    /// Finds the thread's connection to an origin. O(origins that the thread uses), which is one in a trial.
    func connection(of owner: ThreadConnections) -> ThreadConnection? {
        leases.first { $0.owner === owner }?.connection
    }

    /// Adds a connection, and drops those to origins that were shut down.
    func add(_ connection: ThreadConnection, of owner: ThreadConnections) {
        leases.removeAll { $0.connection.isClosed }
        leases.append((owner, connection))
    }
}
