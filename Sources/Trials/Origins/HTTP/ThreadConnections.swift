import Foundation
import Locks
import Platform
import Synchronization
import TrialModel

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

/// A connection for callers that are threads: it sends and waits on the calling thread, without an event loop.
///
/// It is kept alive between requests; a lost connection is replaced by a new one.
final class ThreadConnection: @unchecked Sendable {
    // It is sound although unchecked: only the thread that has changed `state` from idle to busy, or to closed for
    // good, uses `socket`, `parser` and `lastUse`. The buffer belongs to the same thread, and to `deinit`.
    private enum State: UInt8, AtomicRepresentable {
        case idle, busy, closed
    }

    /// The most bytes that are received at once.
    private static let bufferByteCount = 64 << 10
    /// A connection that was idle for longer isn't used again. Servers close idle connections, the strictest known
    /// server after five seconds, and a request that meets the end of its connection may have been counted.
    static let idleNanosecondsMax: UInt64 = 4_000_000_000

    private let addresses: [ResolvedAddress]
    private let bodyByteCountMax: Int
    private let state = Atomic(State.idle)
    private let buffer: UnsafeMutableRawBufferPointer
    private var socket: Socket?
    private var lastUse: UInt64 = 0

    init(to addresses: [ResolvedAddress], bodyByteCountMax: Int) {
        self.addresses = addresses
        self.bodyByteCountMax = bodyByteCountMax
        buffer = .allocate(byteCount: Self.bufferByteCount, alignment: 16)
    }

    deinit { buffer.deallocate() }

    var isClosed: Bool { state.load(ordering: .relaxed) == .closed }

    /// Sends a request and waits for its answer. One thread at a time.
    ///
    /// If it fails, the connection is closed, and the next request gets a new one.
    func exchange(_ request: HTTPRequest, until deadline: UInt64) throws(ExchangeFailure) -> HTTPResponse {
        guard state.compareExchange(expected: .idle, desired: .busy, ordering: .acquiring).exchanged else {
            throw .unreachable("the origin was shut down")
        }
        defer {
            // The connection was closed in the meantime.
            if !state.compareExchange(expected: .busy, desired: .idle, ordering: .releasing).exchanged { socket = nil }
        }
        guard Nanoclock.now() < deadline else { throw .timedOut }
        let used = try send(request, until: deadline)
        let response = try receive(from: used, until: deadline)
        if response.keepsAlive {
            socket = used
            lastUse = Nanoclock.now()
        }
        return response
    }

    /// Closes the connection: now, or once the request on it has ended.
    func close() {
        if state.exchange(.closed, ordering: .acquiringAndReleasing) == .idle { socket = nil }
    }

    /// Sends the request over the open connection, or over a new one.
    ///
    /// It uses a second connection only if not a byte was sent over the first: the server counts requests, and one that
    /// was sent may have been counted.
    private func send(_ request: HTTPRequest, until deadline: UInt64) throws(ExchangeFailure) -> Socket {
        if let kept = socket.take(), Nanoclock.now() < lastUse &+ Self.idleNanosecondsMax, kept.isQuiet,
            try kept.sendAll(request.bytes, until: deadline)
        {
            return kept
        }
        let fresh = try Socket.connected(to: addresses, until: deadline)
        fresh.letCallsBlock()
        guard try fresh.sendAll(request.bytes, until: deadline) else {
            throw .unreachable("the server closed the connection at once")
        }
        return fresh
    }

    private func receive(from socket: Socket, until deadline: UInt64) throws(ExchangeFailure) -> HTTPResponse {
        var parser = ResponseParser(bodyByteCountMax: bodyByteCountMax)
        while true {
            let count = try socket.receive(into: buffer, until: deadline)
            guard count > 0 else { throw parser.failureAtEnd }
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            if let response = try parser.consume(bytes) { return response }
        }
    }
}
