import EvictionPolicies
public import Platform

/// A ``PolicyStore`` and its lock, in memory of their own: 128 bytes apart from everything else, so that threads on
/// neighbouring shards never wait for each other's cache lines (processors fetch them in pairs).
///
/// The lock is a pthread mutex as in `Lock`. There the allocator chooses the mutex's address: locks allocated one after
/// the other can share a cache line.
@usableFromInline
struct PolicyShard<Key: Hashable & Sendable, Value: Sendable, Policy: LivePolicy & ~Copyable>: @unchecked Sendable {
    // Sound although unchecked: `store` is touched only between `lock` and `unlock`, or by the only owner in `destroy`.
    @usableFromInline
    typealias Store = PolicyStore<Key, Value, Policy>

    @usableFromInline
    let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline
    let store: UnsafeMutablePointer<Store>

    /// Twice the size of a cache line.
    @inlinable
    static var spacing: Int { 128 }

    /// An empty shard; `nil` means no limit. ``destroy()`` must follow, once.
    @inlinable
    init(entryLimit: Int?, costLimit: Int?) {
        let alignment = max(MemoryLayout<Store>.alignment, 16)
        let offset = (MemoryLayout<pthread_mutex_t>.size + alignment - 1) / alignment * alignment
        let byteCount = (offset + MemoryLayout<Store>.size + Self.spacing - 1) / Self.spacing * Self.spacing
        let block = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: Self.spacing)
        mutex = block.initializeMemory(as: pthread_mutex_t.self, to: pthread_mutex_t())
        let status = pthread_mutex_init(mutex, nil)
        precondition(status == 0, "pthread_mutex_init failed with error \(status)")
        store = (block + offset).bindMemory(to: Store.self, capacity: 1)
        store.initialize(to: Store(entryLimit: entryLimit, costLimit: costLimit))
    }

    /// Releases all entries and frees the memory. The shard must not be in use, and not be used afterwards. O(n).
    @inlinable
    func destroy() {
        // Not `deinitialize(count:)`: in optimised builds (Swift 6.3.1) it leaves out the store's `deinit`, and every
        // entry leaks.
        _ = store.move()
        pthread_mutex_destroy(mutex)
        UnsafeMutableRawPointer(mutex).deallocate()
    }

    @inlinable
    @inline(__always)
    func value(forKey key: Key, tag: UInt32) -> Value? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return store.pointee.value(forKey: key, tag: tag)
    }

    @inlinable
    @inline(__always)
    func insert(_ value: consuming Value, forKey key: Key, tag: UInt32, fingerprint: UInt64, cost: Int) {
        var dropped = Store.Dropped()
        pthread_mutex_lock(mutex)
        store.pointee.loads.noteWrite(to: key)
        store.pointee.insert(
            value, forKey: key, tag: tag, fingerprint: fingerprint, cost: max(cost, 0), dropping: &dropped)
        pthread_mutex_unlock(mutex)
        // Not before this line: otherwise the compiler may release at the last use, inside the lock.
        withExtendedLifetime(dropped) {}
    }

    @inlinable
    func removeValue(forKey key: Key, tag: UInt32) {
        var dropped = Store.Dropped()
        pthread_mutex_lock(mutex)
        store.pointee.loads.noteWrite(to: key)
        store.pointee.removeValue(forKey: key, tag: tag, dropping: &dropped)
        pthread_mutex_unlock(mutex)
        withExtendedLifetime(dropped) {}
    }

    @inlinable
    func removeAll() {
        var empty = Store(scale: store.pointee.scale)
        pthread_mutex_lock(mutex)
        store.pointee.exchangeContents(with: &empty)
        pthread_mutex_unlock(mutex)
        // The entries are released here, outside the lock.
        _ = consume empty
    }

    /// A load begins to fetch.
    @inlinable
    func beginLoad(of key: Key) -> LoadRegister<Key>.Ticket {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return store.pointee.loads.begin(key)
    }

    /// A load ends: its value is inserted unless its key was written or removed meanwhile.
    @inlinable
    func endLoad(
        _ ticket: LoadRegister<Key>.Ticket, _ fetched: Value?, cost: Int, tag: UInt32, fingerprint: UInt64
    ) {
        var dropped = Store.Dropped()
        pthread_mutex_lock(mutex)
        if store.pointee.loads.end(ticket), let fetched {
            store.pointee.insert(
                fetched, forKey: ticket.key, tag: tag, fingerprint: fingerprint, cost: max(cost, 0),
                dropping: &dropped)
        }
        pthread_mutex_unlock(mutex)
        withExtendedLifetime(dropped) {}
    }

    /// Runs `body` with the store under the lock. What it drops is released after the lock.
    func locked<Answer>(_ body: (inout Store, inout Store.Dropped) -> Answer) -> Answer {
        var dropped = Store.Dropped()
        pthread_mutex_lock(mutex)
        let answer = body(&store.pointee, &dropped)
        pthread_mutex_unlock(mutex)
        withExtendedLifetime(dropped) {}
        return answer
    }

    var statistics: CacheStatistics {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return store.pointee.statistics
    }

    func checkInvariants(tag: (Key) -> UInt32) -> [String] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return store.pointee.checkInvariants(tag: tag)
    }
}

extension PolicyShard where Policy == LiveLRU {
    /// All keys, the most recently used first. Doesn't count as a use. O(n).
    var keysByRecency: [Key] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return store.pointee.keysByRecency
    }
}
