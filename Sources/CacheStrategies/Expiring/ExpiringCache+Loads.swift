public import Foundation
public import Locks

extension ExpiringCache {
    /// A lookup, and on a miss a fetch and an insert; callers share nothing.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    @inlinable
    public func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        return try await LoadRegister.load(key, fetch, begin: beginLoad(of:), end: endLoad)
    }

    /// ``load(_:fetch:)`` for a caller that may block its thread.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    @inlinable
    public func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        return try LoadRegister.loadBlocking(key, fetch, begin: beginLoad(of:), end: endLoad)
    }

    /// A load begins to fetch.
    @inlinable
    func beginLoad(of key: Key) -> LoadRegister<Key>.Ticket {
        exclusively { store, _ in store.loads.begin(key) }
    }

    /// A load ends: its value is inserted unless its key was written or removed meanwhile.
    @inlinable
    func endLoad(_ ticket: LoadRegister<Key>.Ticket, _ fetched: Value?) {
        let now = clock.now()
        let cost = max(fetched?.cost ?? 0, 0)
        let expiry = now + (fetched.map(lifetime(of:)) ?? .zero)
        exclusively { store, dropped in
            guard store.loads.end(ticket), let fetched else { return }
            store.insert(fetched, forKey: ticket.key, cost: cost, expiry: expiry, now: now, dropped: &dropped)
        }
    }

    /// Runs `body` with the store under the lock. The entries that it drops are released after the lock.
    @inlinable
    func exclusively<Result>(_ body: (inout ExpiringStore<Key, Value>, inout [Node]) -> Result) -> Result {
        var dropped: [Node] = []
        guardian.lock()
        let result = body(&store, &dropped)
        guardian.unlock()
        // Not before this line: otherwise the compiler may release at the last use, inside the lock.
        withExtendedLifetime(dropped) {}
        return result
    }
}

extension ExpiringCache {
    /// The live entries at a time, the one that expires first in front. O(n).
    func liveEntries(at now: Duration) -> [Node] {
        exclusively { store, _ in
            store.table.inOrder.filter { now < $0.expiry }
        }
    }

    /// Throws when the entries contradict each other or a limit. O(n).
    package func checkInvariants() throws {
        try guardian.withLock { try store.checkInvariants() }
    }
}
