public import EvictionPolicies
public import Foundation

/// Least recently used behind a read-write lock: exactly the order of ``LRUCache``.
///
/// Lookups that change nothing share the lock: a miss, and a hit of the most recently used entry. Every other hit moves
/// its entry to the front of the list, and needs the lock exclusively: it releases the shared lock, takes the lock for
/// writing, and looks up again, because the entry may have been removed meanwhile. The second lookup is the answer. So
/// most hits take two locks instead of one. That is the price of the exact order, and the reason why this is no faster
/// than `lru` unless most lookups miss; the strategy is here to show it. A cache that gathers uses and applies them
/// later could let hits share the lock, but would have another order.
///
/// - Both limits hold at every moment. A value whose cost alone is over the limit is not inserted; the key's older
///   entry is still removed.
/// - Loads are not shared. A load inserts nothing when its key was written or removed while it was in flight.
/// - Everything costs O(1), amortised; `removeAll` and the deinitialisation cost O(n). Waiting writers go before later
///   readers if the platform supports it (Glibc). Dropped values are released after the lock.
public final class RWLockLRUCache<Key: Hashable & Sendable, Value: CacheableValue>: SynchronousCacheStrategy,
    @unchecked Sendable
{
    // Sound although unchecked: the memory behind `store` is changed only while `guardian` is held for writing and read
    // only while it is held, or by the only owner in `deinit`; keys and values are Sendable; the rest never changes.
    @usableFromInline
    let guardian = ReadWriteLock()
    @usableFromInline
    let store: UnsafeMutablePointer<PolicyStore<Key, Value, LiveLRU>>
    @usableFromInline
    let hasher = KeyHasher()

    /// The strategy's name, `rwlock-lru`, its limits and its promises.
    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "rwlock-lru", summary: "the exact order of lru behind a read-write lock", bounds: [.entries, .cost],
            promises: Promises(keepsNewerWrites: true, limitRules: LimitRules(zero: .holdsNothing)))
    }

    /// An empty cache with the configuration's limits.
    @inlinable
    public init(configuration: StrategyConfiguration) {
        store = .allocate(capacity: 1)
        store.initialize(
            to: PolicyStore(entryLimit: configuration.entryLimit, costLimit: configuration.costLimit))
    }

    @inlinable
    deinit {
        // Not `deinitialize(count:)`, as in ``PolicyShard/destroy()``.
        _ = store.move()
        store.deallocate()
        guardian.destroy()
    }

    /// The value of a key, which becomes the most recently used. O(1).
    @inlinable
    public func value(forKey key: Key) -> Value? {
        let tag = hasher.tag(of: key)
        guardian.lockForReading()
        let found = store.pointee.directory.node(of: key, tag: tag)
        let isOrdered = found == 0 || store.pointee.policy.isNewest(found &- 1)
        let value = isOrdered && found != 0 ? store.pointee.directory.slot(of: found).pointee.value : nil
        guardian.unlock()
        if isOrdered { return value }

        guardian.lockForWriting()
        defer { guardian.unlock() }
        return store.pointee.value(forKey: key, tag: tag)
    }

    /// Inserts a value, or replaces the one the key has; the entry becomes the most recently used. O(1), amortised.
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) {
        let tag = hasher.tag(of: key)
        var dropped = PolicyDropped<Key, Value>()
        guardian.lockForWriting()
        store.pointee.loads.noteWrite(to: key)
        store.pointee.insert(value, forKey: key, tag: tag, fingerprint: 0, cost: max(cost, 0), dropping: &dropped)
        guardian.unlock()
        // Not before this line: otherwise the compiler may release at the last use, inside the lock.
        withExtendedLifetime(dropped) {}
    }

    /// Removes a key's entry, if there is one. O(1).
    @inlinable
    public func removeValue(forKey key: Key) {
        let tag = hasher.tag(of: key)
        var dropped = PolicyDropped<Key, Value>()
        guardian.lockForWriting()
        store.pointee.loads.noteWrite(to: key)
        store.pointee.removeValue(forKey: key, tag: tag, dropping: &dropped)
        guardian.unlock()
        withExtendedLifetime(dropped) {}
    }

    /// Removes all entries, and frees their memory. O(1) for other callers, O(n) for this one.
    @inlinable
    public func removeAll() {
        var empty = PolicyStore<Key, Value, LiveLRU>(scale: store.pointee.scale)
        guardian.lockForWriting()
        store.pointee.exchangeContents(with: &empty)
        guardian.unlock()
        // The entries are released here, outside the lock.
        _ = consume empty
    }

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

    @inlinable
    func beginLoad(of key: Key) -> LoadRegister<Key>.Ticket {
        guardian.lockForWriting()
        defer { guardian.unlock() }
        return store.pointee.loads.begin(key)
    }

    @inlinable
    func endLoad(_ ticket: LoadRegister<Key>.Ticket, _ fetched: Value?) {
        let tag = hasher.tag(of: ticket.key)
        let cost = max(fetched?.cost ?? 0, 0)
        var dropped = PolicyDropped<Key, Value>()
        guardian.lockForWriting()
        if store.pointee.loads.end(ticket), let fetched {
            store.pointee.insert(
                fetched, forKey: ticket.key, tag: tag, fingerprint: 0, cost: cost, dropping: &dropped)
        }
        guardian.unlock()
        withExtendedLifetime(dropped) {}
    }

    /// Entries, cost, evictions so far and loads in flight.
    public func statistics() -> CacheStatistics {
        guardian.lockForReading()
        defer { guardian.unlock() }
        return store.pointee.statistics
    }

    /// All keys, the most recently used first. Doesn't count as a use. O(n).
    package func keysByRecency() -> [Key] {
        guardian.lockForReading()
        defer { guardian.unlock() }
        return store.pointee.keysByRecency
    }

    /// Faults of the data structure, one line each; empty when there are none. O(n).
    package func checkInvariants() -> [String] {
        guardian.lockForReading()
        defer { guardian.unlock() }
        return store.pointee.checkInvariants(tag: hasher.tag(of:))
    }
}
