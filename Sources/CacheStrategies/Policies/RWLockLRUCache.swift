public import Foundation

/// Least recently used behind a read-write lock: exactly the order of ``LRUCache``.
///
/// What changes nothing shares the lock: a miss, and a hit of the entry that was used last. Every other hit moves its
/// entry to the front of the list, and for that needs the lock alone: it lets go, takes the lock for writing, and looks
/// again, because the entry may have gone meanwhile; that second look is the answer. So most hits take two locks in
/// place of one. That is the price of the exact order, and the reason why this is no faster than `lru` unless most
/// lookups miss; it is here to show it. To gather uses and apply them later would let hits share the lock, and would
/// be another order.
///
/// - Both limits hold at every moment. A value whose cost alone is over the limit is not inserted; the key's older entry
///   is removed all the same.
/// - Loads are not shared. A load under way while its key is written or removed inserts nothing.
/// - Everything costs O(1), amortised; `removeAll` and the end of the cache O(n). Writers go before readers that come
///   later, where the platform can do that (Glibc). What is dropped is released after the lock is open again.
public final class RWLockLRUCache<Key: Hashable & Sendable, Value: CacheableValue>: SynchronousCacheStrategy,
    @unchecked Sendable
{
    // Sound although unchecked: the memory behind `store` is changed only while `guardian` is held for writing and read
    // only while it is held, or by the only owner in `deinit`; keys and values are Sendable; the rest never changes.
    @usableFromInline
    let guardian = ReadWriteLock()
    @usableFromInline
    let store: UnsafeMutablePointer<LRUStore<Key, Value>>
    /// Changed only while `guardian` is held for writing.
    @usableFromInline
    let loads: UnsafeMutablePointer<LoadRegister<Key>>
    @usableFromInline
    let hasher = KeyHasher()

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
            to: LRUStore(entryLimit: configuration.entryLimit, costLimit: configuration.costLimit))
        loads = .allocate(capacity: 1)
        loads.initialize(to: LoadRegister())
    }

    @inlinable
    deinit {
        store.pointee.destroy()
        store.deinitialize(count: 1)
        store.deallocate()
        loads.deinitialize(count: 1)
        loads.deallocate()
        guardian.destroy()
    }

    /// The value of a key, which thereby becomes the newest. O(1).
    @inlinable
    public func value(forKey key: Key) -> Value? {
        let tag = hasher.tag(of: key)
        guardian.lockForReading()
        let found = store.pointee.node(of: key, tag: tag)
        let isOrdered = found == 0 || found == store.pointee.order.newest
        let value = isOrdered && found != 0 ? store.pointee.entries[Int(found)].value : nil
        guardian.unlock()
        if isOrdered { return value }

        guardian.lockForWriting()
        defer { guardian.unlock() }
        let node = store.pointee.node(of: key, tag: tag)
        if node == 0 { return nil }
        store.pointee.order.moveToNewest(node)
        return store.pointee.entries[Int(node)].value
    }

    /// Inserts a value, or replaces the one the key has; the entry becomes the newest. O(1), amortised.
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) {
        let tag = hasher.tag(of: key)
        var dropped = LRUDropped<Key, Value>()
        guardian.lockForWriting()
        loads.pointee.noteWrite(to: key)
        store.pointee.insert(value, forKey: key, tag: tag, cost: max(cost, 0), dropping: &dropped)
        guardian.unlock()
        // Not before this line: otherwise the compiler may release at the last use, inside the lock.
        withExtendedLifetime(dropped) {}
    }

    /// Removes a key's entry, if there is one. O(1).
    @inlinable
    public func removeValue(forKey key: Key) {
        let tag = hasher.tag(of: key)
        guardian.lockForWriting()
        loads.pointee.noteWrite(to: key)
        let node = store.pointee.node(of: key, tag: tag)
        let removed = node == 0 ? nil : store.pointee.remove(node)
        guardian.unlock()
        withExtendedLifetime(removed) {}
    }

    /// Removes all entries, and gives their memory back. O(1) for other callers, O(n) for this one.
    @inlinable
    public func removeAll() {
        guardian.lockForWriting()
        loads.pointee.noteRemovalOfAll()
        let old = store.pointee
        store.pointee = LRUStore(entryLimit: old.entryLimit, costLimit: old.costLimit)
        store.pointee.evictions = old.evictions
        guardian.unlock()
        old.destroy()
    }

    @inlinable
    public func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        return try await LoadRegister.load(key, fetch, begin: beginLoad(of:), end: endLoad)
    }

    @inlinable
    public func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        return try LoadRegister.loadBlocking(key, fetch, begin: beginLoad(of:), end: endLoad)
    }

    @inlinable
    func beginLoad(of key: Key) -> LoadRegister<Key>.Ticket {
        guardian.lockForWriting()
        defer { guardian.unlock() }
        return loads.pointee.begin(key)
    }

    @inlinable
    func endLoad(_ ticket: LoadRegister<Key>.Ticket, _ fetched: Value?) {
        let tag = hasher.tag(of: ticket.key)
        let cost = max(fetched?.cost ?? 0, 0)
        var dropped = LRUDropped<Key, Value>()
        guardian.lockForWriting()
        if loads.pointee.end(ticket), let fetched {
            store.pointee.insert(fetched, forKey: ticket.key, tag: tag, cost: cost, dropping: &dropped)
        }
        guardian.unlock()
        withExtendedLifetime(dropped) {}
    }

    /// Entries, cost, evictions so far and loads under way.
    public func statistics() -> CacheStatistics {
        guardian.lockForReading()
        defer { guardian.unlock() }
        return CacheStatistics(
            entryCount: store.pointee.count, totalCost: store.pointee.totalCost, evictions: store.pointee.evictions,
            loadsUnderWay: loads.pointee.count)
    }

    /// All keys, the one used last first. O(n).
    package func keysByRecency() -> [Key] {
        guardian.lockForReading()
        defer { guardian.unlock() }
        var keys: [Key] = []
        var node = Int(store.pointee.order.newest)
        while node != 0 {
            keys.append(store.pointee.entries[node].key)
            node = Int(store.pointee.order.links[node].next)
        }
        return keys
    }
}
