public import Platform
public import Synchronization

/// SIEVE with readers that take no lock, in memory of its own.
///
/// The words that readers load come first: the table's address, and the shard's number. The writers' lock and state are
/// 128 bytes behind them, so that a writer invalidates no cache line of readers except those that it changes.
@usableFromInline
package struct ConcurrentShard<Key: Hashable & Sendable, Value: Sendable, Memory: ReaderMemory>: @unchecked Sendable {
    // Sound although unchecked: `store` is touched only between `lock` and `unlock`, or by the only owner in `destroy`;
    // readers touch atomic words, and entries that the protocol of ``ReaderMemory`` keeps from writers; the rest never
    // changes.
    @usableFromInline
    typealias Store = ConcurrentStore<Key, Value, Memory>

    @usableFromInline
    let root: Memory.Root
    @usableFromInline
    let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline
    let store: UnsafeMutablePointer<Store>

    /// Twice the size of a cache line.
    @inlinable
    static var spacing: Int { 128 }

    /// An empty shard; `nil` means no limit. ``destroy()`` must follow, once.
    @usableFromInline
    package init(entryLimit: Int?, costLimit: Int?) {
        let offset = Self.offsetOfStore
        let byteCount = (offset + MemoryLayout<Store>.size + Self.spacing - 1) / Self.spacing * Self.spacing
        let block = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: Self.spacing)
        root = block.bindMemory(to: Atomic<UInt>.self, capacity: 1)
        root.initialize(to: Atomic(0))
        let number = ReaderPlaces.shared.nextShard()
        (block + 8).initializeMemory(as: UInt64.self, to: number)
        mutex = (block + Self.spacing).initializeMemory(as: pthread_mutex_t.self, to: pthread_mutex_t())
        let status = pthread_mutex_init(mutex, nil)
        precondition(status == 0, "pthread_mutex_init failed with error \(status)")
        store = (block + offset).bindMemory(to: Store.self, capacity: 1)
        let scale = PolicyScale(entryLimit: entryLimit, costLimit: costLimit, dividesCapacity: false)
        store.initialize(to: Store(scale: scale, number: number, root: root))
        store.pointee.publish()
    }

    private static var offsetOfStore: Int {
        let alignment = max(MemoryLayout<Store>.alignment, 16)
        let size = MemoryLayout<pthread_mutex_t>.size
        return spacing + (size + alignment - 1) / alignment * alignment
    }

    /// Releases all entries and gives the memory back. The shard must not be in use, and not be used afterwards. O(n).
    @usableFromInline
    package func destroy() {
        // Not `deinitialize(count:)`: in optimised builds (Swift 6.3.1) it leaves out the store's `deinit`, and every
        // entry leaks.
        _ = store.move()
        pthread_mutex_destroy(mutex)
        UnsafeMutableRawPointer(root).deallocate()
    }

    /// The shard's number in announcements.
    @inlinable
    @inline(__always)
    var number: UInt64 { (UnsafeRawPointer(root) + 8).load(as: UInt64.self) }

    /// The value of a key; marks the entry as used. Takes no lock. Writes to no memory that another hit writes to,
    /// except the mark of an entry that is not marked and the count of a reference-counted value. O(1).
    @inlinable
    @inline(__always)
    package func value(forKey key: Key, tag: UInt32) -> Value? {
        let place = ReaderPlaces.own
        let before = Memory.ownAnnouncement(place)
        // Already in a lookup: a key's `==` looks something up.
        if before & ReaderPlaces.shardMask != 0 { return lockedValue(forKey: key, tag: tag) }
        Memory.announce(before | number, place)
        let value = announcedValue(forKey: key, tag: tag)
        Memory.leave(before &+ (ReaderPlaces.shardMask &+ 1), place)
        return value
    }

    @inlinable
    @inline(__always)
    func announcedValue(forKey key: Key, tag: UInt32) -> Value? {
        // Never 0: the table is published before any thread has the shard.
        guard let table = UnsafePointer<Store.Table>(bitPattern: Memory.root(root)) else { return nil }
        let node = table.pointee.node(of: key, tag: tag, Memory.self)
        return node == 0 ? nil : Self.use(node, of: table.pointee)
    }

    /// The value of a node. Writes the mark only if it is not set, so that hits leave an entry's cache line shared.
    @inlinable
    @inline(__always)
    static func use(_ node: UInt32, of table: Store.Table) -> Value {
        let entry = table.entry(node)
        let mark = Store.Entry.markPlace(entry)
        if !Memory.isMarked(mark) { Memory.setMark(true, mark) }
        Memory.willRead(entry)
        return entry.pointee.value
    }

    @inlinable
    @inline(never)
    func lockedValue(forKey key: Key, tag: UInt32) -> Value? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        let node = store.pointee.node(of: key, tag: tag)
        return node == 0 ? nil : Self.use(node, of: store.pointee.table.pointee)
    }

    @inlinable
    package func insert(_ value: consuming Value, forKey key: Key, tag: UInt32, cost: Int) {
        var dropped = Store.Dropped()
        pthread_mutex_lock(mutex)
        store.pointee.loads.noteWrite(to: key)
        store.pointee.insert(value, forKey: key, tag: tag, cost: max(cost, 0), dropping: &dropped)
        pthread_mutex_unlock(mutex)
        // Not before this line: otherwise the compiler may release at the last use, inside the lock.
        withExtendedLifetime(dropped) {}
    }

    @inlinable
    package func removeValue(forKey key: Key, tag: UInt32) {
        var dropped = Store.Dropped()
        pthread_mutex_lock(mutex)
        store.pointee.loads.noteWrite(to: key)
        store.pointee.removeValue(forKey: key, tag: tag, dropping: &dropped)
        pthread_mutex_unlock(mutex)
        withExtendedLifetime(dropped) {}
    }

    /// Waits, outside the lock, for the readers that see what is removed.
    @inlinable
    package func removeAll() {
        pthread_mutex_lock(mutex)
        var empty = Store(scale: store.pointee.scale, number: number, root: root)
        var readers = store.pointee.exchangeContents(with: &empty)
        pthread_mutex_unlock(mutex)
        while !readers.haveLeft(Memory.self) { Memory.wait() }
        // The removed entries are released here.
        _ = consume empty
    }

    /// A load begins to fetch.
    @inlinable
    package func beginLoad(of key: Key) -> LoadRegister<Key>.Ticket {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return store.pointee.loads.begin(key)
    }

    /// A load ends: its value is inserted unless its key was written or removed meanwhile.
    @inlinable
    package func endLoad(_ ticket: LoadRegister<Key>.Ticket, _ fetched: Value?, cost: Int, tag: UInt32) {
        var dropped = Store.Dropped()
        pthread_mutex_lock(mutex)
        if store.pointee.loads.end(ticket), let fetched {
            store.pointee.insert(fetched, forKey: ticket.key, tag: tag, cost: max(cost, 0), dropping: &dropped)
        }
        pthread_mutex_unlock(mutex)
        withExtendedLifetime(dropped) {}
    }

    /// What is held, evicted and in flight.
    package var statistics: CacheStatistics {
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
