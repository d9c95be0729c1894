import CacheStrategies

/// File operations that are not done yet: for each file at most one waits, and at most one is in flight.
///
/// A later operation on a file replaces the one that waits, and itself waits while one is in flight, so that a file
/// ends as the last caller wanted. Plain state, without I/O and without a lock; everything is O(1), amortised, except for
/// callers that wait for the end.
struct PendingFileOperations {
    enum Kind: Sendable, Hashable {
        /// Write the file of the staged value.
        case write
        /// Remove the file.
        case remove
    }

    private struct Waiting {
        var kind: Kind
        let ticket: UInt64
    }

    private struct Watcher {
        let ticket: UInt64
        var remaining: Int
        let call: @Sendable () -> Void
    }

    private var waiting: [KeyDigest: Waiting] = [:]
    private var inFlight: [KeyDigest: UInt64] = [:]
    private var queue = FirstInFirstOut<KeyDigest>()
    private var lastTicket: UInt64 = 0
    private var watchers: [Watcher] = []

    /// Operations that wait or are in flight.
    var count: Int { waiting.count + inFlight.count }

    /// Whether the folder may hold a file without an entry in the index.
    func mayHaveFile(_ digest: KeyDigest) -> Bool {
        inFlight[digest] != nil || waiting[digest]?.kind == .remove
    }

    /// Names in the queue, of which some may be of cancelled operations.
    var queuedCount: Int { queue.count }

    /// Adds an operation, or replaces the one that waits for the same file.
    ///
    /// - Returns: whether a worker must call ``begin()`` once more.
    mutating func schedule(_ kind: Kind, _ digest: KeyDigest) -> Bool {
        if waiting[digest] != nil {
            waiting[digest]?.kind = kind
            return false
        }
        lastTicket += 1
        waiting[digest] = Waiting(kind: kind, ticket: lastTicket)
        guard inFlight[digest] == nil else { return false }
        // While the device is slow, keys that come and go would leave their names here without an end.
        if queue.count >= 2 * waiting.count + Self.cancelledMax { dropCancelled() }
        queue.append(digest)
        return true
    }

    /// Names of cancelled operations that may stay in the queue however few wait.
    static var cancelledMax: Int { 64 }

    private mutating func dropCancelled() {
        var kept: Set<KeyDigest> = []
        let (waiting, inFlight) = (waiting, inFlight)
        queue.keep { waiting[$0] != nil && inFlight[$0] == nil && kept.insert($0).inserted }
    }

    /// Cancels an operation that has not begun.
    ///
    /// - Returns: the callbacks of callers for which everything is done now.
    mutating func cancel(_ digest: KeyDigest) -> [@Sendable () -> Void] {
        waiting.removeValue(forKey: digest).map { settle($0.ticket) } ?? []
    }

    /// Starts the next operation; `nil` when none can begin.
    mutating func begin() -> (digest: KeyDigest, kind: Kind)? {
        // A name may be queued twice after a cancel; the operation is still returned once, and never beside another.
        while let digest = queue.popFirst() {
            guard inFlight[digest] == nil, let next = waiting.removeValue(forKey: digest) else { continue }
            inFlight[digest] = next.ticket
            return (digest, next.kind)
        }
        return nil
    }

    /// Notes that an operation has ended. A worker must call ``begin()`` once more.
    ///
    /// - Parameter isDone: whether the file is as the operation wanted it. Otherwise callers that wait for this operation
    ///   wait for the next one on its file.
    /// - Returns: the callbacks of callers for which everything is done.
    mutating func end(_ digest: KeyDigest, isDone: Bool = true) -> [@Sendable () -> Void] {
        guard let ticket = inFlight.removeValue(forKey: digest) else { return [] }
        guard let next = waiting[digest] else { return settle(ticket) }
        queue.append(digest)
        if isDone { return settle(ticket) }
        // A caller that waits for both operations waits for one less.
        waiting[digest] = Waiting(kind: next.kind, ticket: ticket)
        return settle(next.ticket)
    }

    /// Calls `call` when all operations that exist now are done; later ones don't delay it.
    ///
    /// - Returns: `false` when there are none; `call` is not kept then.
    mutating func whenDone(_ call: @escaping @Sendable () -> Void) -> Bool {
        guard count > 0 else { return false }
        watchers.append(Watcher(ticket: lastTicket, remaining: count, call: call))
        return true
    }

    private mutating func settle(_ ticket: UInt64) -> [@Sendable () -> Void] {
        guard !watchers.isEmpty else { return [] }
        for position in watchers.indices where ticket <= watchers[position].ticket {
            watchers[position].remaining -= 1
        }
        let calls = watchers.filter { $0.remaining == 0 }.map(\.call)
        if !calls.isEmpty { watchers.removeAll { $0.remaining == 0 } }
        return calls
    }
}
