import EvictionPolicies

/// A ``PolicyStore`` and its lock, in memory of their own: 128 bytes apart from everything else, so that threads on
/// neighbouring shards never wait for each other's cache lines (processors fetch them in pairs).
@usableFromInline
struct PolicyShard<Key: Hashable & Sendable, Value: Sendable, Policy: LivePolicy & ~Copyable, Lock: StoreLock>:
    @unchecked Sendable
{
    // Sound although unchecked: `store` is changed only inside of `exclusively`, and read only there or inside of
    // `together`, or touched by the only owner in `destroy`.
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
            let (value, isSettled): (Value?, Bool) = lock.together {
                let node = store.pointee.directory.node(of: key, tag: tag)
                if node == 0 { return (nil, true) }
                guard store.pointee.policy.isUnchangedByUse(node &- 1) else { return (nil, false) }
                return (store.pointee.directory.slot(of: node).pointee.value, true)
            }
            if isSettled { return value }
        }
        return lock.exclusively { store.pointee.value(forKey: key, tag: tag) }
    }

    @inlinable
    @inline(__always)
    func insert(_ value: Value, forKey key: Key, tag: UInt32, fingerprint: UInt64, cost: Int) {
        locked { store, dropped in
            store.loads.noteWrite(to: key)
            store.insert(
                value, forKey: key, tag: tag, fingerprint: fingerprint, cost: max(cost, 0), dropping: &dropped)
        }
    }

    @inlinable
    func removeValue(forKey key: Key, tag: UInt32) {
        locked { store, dropped in
            store.loads.noteWrite(to: key)
            store.removeValue(forKey: key, tag: tag, dropping: &dropped)
        }
    }

    @inlinable
    func removeAll() {
        var empty = Store(scale: store.pointee.scale)
        lock.exclusively { store.pointee.exchangeContents(with: &empty) }
        // The entries are released here, outside the lock.
        _ = consume empty
    }

    /// A load begins to fetch.
    @inlinable
    func beginLoad(of key: Key) -> LoadRegister<Key>.Ticket {
        lock.exclusively { store.pointee.loads.begin(key) }
    }

    /// A load ends: its value is inserted unless its key was written or removed meanwhile.
    @inlinable
    func endLoad(
        _ ticket: LoadRegister<Key>.Ticket, _ fetched: Value?, cost: Int, tag: UInt32, fingerprint: UInt64
    ) {
        locked { store, dropped in
            guard store.loads.end(ticket), let fetched else { return }
            store.insert(
                fetched, forKey: ticket.key, tag: tag, fingerprint: fingerprint, cost: max(cost, 0),
                dropping: &dropped)
        }
    }

    /// Runs `body` with the store under the lock. What it drops is released after the lock.
    @inlinable
    @inline(__always)
    func locked<Answer>(_ body: (inout Store, inout Store.Dropped) -> Answer) -> Answer {
        var dropped = Store.Dropped()
        let answer = lock.exclusively { body(&store.pointee, &dropped) }
        // Not before this line: otherwise the compiler may release at the last use, inside the lock.
        withExtendedLifetime(dropped) {}
        return answer
    }

    var statistics: CacheStatistics { lock.exclusively { store.pointee.statistics } }

    func checkInvariants(tag: (Key) -> UInt32) -> [String] {
        lock.exclusively { store.pointee.checkInvariants(tag: tag) }
    }
}

extension PolicyShard where Policy == LiveLRU {
    /// All keys, the most recently used first. Doesn't count as a use. O(n).
    var keysByRecency: [Key] { lock.exclusively { store.pointee.keysByRecency } }
}
