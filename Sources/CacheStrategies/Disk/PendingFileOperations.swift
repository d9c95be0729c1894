/// What is still to be done to files: at most one operation waits for each, and at most one is under way.
///
/// A later operation on a file replaces the one that waits, and waits itself while one is under way, so that a file
/// ends as the last caller wanted. Plain state, without I/O and without a lock; everything is O(1) but for those who
/// wait for the end.
struct PendingFileOperations {
    enum Kind: Sendable, Hashable {
        /// Write the file of the value that is staged for it.
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

    /// Operations that wait or are under way.
    var count: Int { waiting.count + inFlight.count }

    /// Whether the folder may hold a file that no entry of the index speaks for any more.
    func mayHaveFile(_ digest: KeyDigest) -> Bool {
        inFlight[digest] != nil || waiting[digest]?.kind == .remove
    }

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
        queue.append(digest)
        return true
    }

    /// Takes an operation back that has not begun.
    ///
    /// - Returns: whom to tell that all is done.
    mutating func cancel(_ digest: KeyDigest) -> [@Sendable () -> Void] {
        waiting.removeValue(forKey: digest).map { settle($0.ticket) } ?? []
    }

    /// The next operation, which is under way from now on; `nil` when it was taken back.
    mutating func begin() -> (digest: KeyDigest, kind: Kind)? {
        // A name may be queued twice after a cancel; the operation is still given once, and never beside another.
        guard let digest = queue.popFirst(), inFlight[digest] == nil,
            let next = waiting.removeValue(forKey: digest)
        else { return nil }
        inFlight[digest] = next.ticket
        return (digest, next.kind)
    }

    /// Notes that an operation is done.
    ///
    /// - Returns: whether a worker must call ``begin()`` once more, and whom to tell that all is done.
    mutating func end(_ digest: KeyDigest) -> (hasNext: Bool, calls: [@Sendable () -> Void]) {
        guard let ticket = inFlight.removeValue(forKey: digest) else { return (false, []) }
        let hasNext = waiting[digest] != nil
        if hasNext { queue.append(digest) }
        return (hasNext, settle(ticket))
    }

    /// Has `call` called when all operations of now are done; later ones don't delay it.
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
