import EvictionPolicies

/// A ``PolicyStore`` and its lock, in memory of their own: 128 bytes apart from everything else, so that threads on
/// neighbouring shards never wait for each other's cache lines (processors fetch them in pairs).
@usableFromInline
struct PolicyShard<Key: Hashable & Sendable, Value: Sendable, Policy: LivePolicy & ~Copyable, Lock: StoreLock>:
    @unchecked Sendable
{
    // Sound although unchecked: `store` is changed only between `lock` and `unlock`, read only between these or
    // `lockForReading` and `unlock`, or touched by the only owner in `destroy`.
    @usableFromInline
    typealias Store = PolicyStore<Key, Value, Policy>

    @usableFromInline
    let lock: Lock
    @usableFromInline
    let store: UnsafeMutablePointer<Store>
    @usableFromInline
    let block: UnsafeMutableRawPointer

    /// Twice the size of a cache line.
    @inlinable
    static var spacing: Int { 128 }

    /// An empty shard; `nil` means no limit. ``destroy()`` must follow, once.
    @inlinable
    init(entryLimit: Int?, costLimit: Int?) {
        let alignment = max(MemoryLayout<Store>.alignment, 16)
        let offset = (Lock.byteCount + alignment - 1) / alignment * alignment
        let byteCount = (offset + MemoryLayout<Store>.size + Self.spacing - 1) / Self.spacing * Self.spacing
        block = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: Self.spacing)
        lock = Lock(in: block)
        store = (block + offset).bindMemory(to: Store.self, capacity: 1)
        store.initialize(to: Store(entryLimit: entryLimit, costLimit: costLimit))
    }

    /// Releases all entries and frees the memory. The shard must not be in use, and not be used afterwards. O(n).
    @inlinable
    func destroy() {
        // Not `deinitialize(count:)`: in optimised builds (Swift 6.3.1) it leaves out the store's `deinit`, and every
        // entry leaks.
        _ = store.move()
        lock.destroy()
        block.deallocate()
    }

    /// The value of a key; counts as a use. A lookup that changes nothing shares the lock with others where the lock can
    /// be shared. Another one then takes it again, exclusively, and looks up again: the entry may be gone meanwhile.
    @inlinable
    @inline(__always)
    func value(forKey key: Key, tag: UInt32) -> Value? {
        if Lock.sharesReads {
            lock.lockForReading()
            let node = store.pointee.directory.node(of: key, tag: tag)
            let isSettled = node == 0 || store.pointee.policy.isUnchangedByUse(node &- 1)
            let value = isSettled && node != 0 ? store.pointee.directory.slot(of: node).pointee.value : nil
            lock.unlock()
            if isSettled { return value }
        }
        lock.lock()
        defer { lock.unlock() }
        return store.pointee.value(forKey: key, tag: tag)
    }

    @inlinable
    @inline(__always)
    func insert(_ value: consuming Value, forKey key: Key, tag: UInt32, fingerprint: UInt64, cost: Int) {
        var dropped = Store.Dropped()
        lock.lock()
        store.pointee.loads.noteWrite(to: key)
        store.pointee.insert(
            value, forKey: key, tag: tag, fingerprint: fingerprint, cost: max(cost, 0), dropping: &dropped)
        lock.unlock()
        // Not before this line: otherwise the compiler may release at the last use, inside the lock.
        withExtendedLifetime(dropped) {}
    }

    @inlinable
    func removeValue(forKey key: Key, tag: UInt32) {
        var dropped = Store.Dropped()
        lock.lock()
        store.pointee.loads.noteWrite(to: key)
        store.pointee.removeValue(forKey: key, tag: tag, dropping: &dropped)
        lock.unlock()
        withExtendedLifetime(dropped) {}
    }

    @inlinable
    func removeAll() {
        var empty = Store(scale: store.pointee.scale)
        lock.lock()
        store.pointee.exchangeContents(with: &empty)
        lock.unlock()
        // The entries are released here, outside the lock.
        _ = consume empty
    }

    /// A load begins to fetch.
    @inlinable
    func beginLoad(of key: Key) -> LoadRegister<Key>.Ticket {
        lock.lock()
        defer { lock.unlock() }
        return store.pointee.loads.begin(key)
    }

    /// A load ends: its value is inserted unless its key was written or removed meanwhile.
    @inlinable
    func endLoad(
        _ ticket: LoadRegister<Key>.Ticket, _ fetched: Value?, cost: Int, tag: UInt32, fingerprint: UInt64
    ) {
        var dropped = Store.Dropped()
        lock.lock()
        if store.pointee.loads.end(ticket), let fetched {
            store.pointee.insert(
                fetched, forKey: ticket.key, tag: tag, fingerprint: fingerprint, cost: max(cost, 0),
                dropping: &dropped)
        }
        lock.unlock()
        withExtendedLifetime(dropped) {}
    }

    /// Runs `body` with the store under the lock. What it drops is released after the lock.
    func locked<Answer>(_ body: (inout Store, inout Store.Dropped) -> Answer) -> Answer {
        var dropped = Store.Dropped()
        lock.lock()
        let answer = body(&store.pointee, &dropped)
        lock.unlock()
        withExtendedLifetime(dropped) {}
        return answer
    }

    var statistics: CacheStatistics {
        lock.lock()
        defer { lock.unlock() }
        return store.pointee.statistics
    }

    func checkInvariants(tag: (Key) -> UInt32) -> [String] {
        lock.lock()
        defer { lock.unlock() }
        return store.pointee.checkInvariants(tag: tag)
    }
}

extension PolicyShard where Policy == LiveLRU {
    /// All keys, the most recently used first. Doesn't count as a use. O(n).
    var keysByRecency: [Key] {
        lock.lock()
        defer { lock.unlock() }
        return store.pointee.keysByRecency
    }
}
