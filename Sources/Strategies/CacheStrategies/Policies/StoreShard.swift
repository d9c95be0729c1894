/// The entries of a shard, for one caller at a time, and the register of its loads.
@usableFromInline
package protocol ShardStore<Key, Value>: ~Copyable, SendableMetatype {
    associatedtype Key: Hashable & Sendable
    associatedtype Value: Sendable

    /// The number of bytes before a shard's lock, a multiple of 128: they hold what lookups read that take no lock.
    static var headByteCount: Int { get }

    /// The limits.
    var scale: PolicyScale { get }
    /// The number of entries that are held.
    var count: Int { get }
    /// The sum of their costs.
    var totalCost: CostSum { get }
    var evictions: UInt64 { get }
    var loads: LoadRegister<Key> { get set }

    /// An empty store in a shard whose memory begins at `head`; `nil` means no limit, and a negative limit counts as 0.
    init(entryLimit: Int?, costLimit: Int?, head: UnsafeMutableRawPointer)
    /// An empty store for ``exchangeContents(with:areEvicted:)``.
    init(scale: PolicyScale, head: UnsafeMutableRawPointer)

    /// The value of a key; counts as a use. O(1).
    mutating func value(forKey key: Key, tag: UInt32) -> Value?
    /// The same for a caller that holds the lock together with others; `nil` if a use would change something.
    func valueWithoutChange(forKey key: Key, tag: UInt32) -> Value??
    /// The same for a caller without the lock; `nil` if the store has no such lookups, or not now.
    static func valueWithoutLock(forKey key: Key, tag: UInt32, head: UnsafeMutableRawPointer) -> Value??
    /// Inserts or replaces. O(1), amortised.
    ///
    /// - Parameter cost: not negative.
    mutating func insert(
        _ value: consuming Value, forKey key: Key, tag: UInt32, cost: Int,
        dropping dropped: inout DroppedEntries<Key, Value>
    )
    mutating func removeValue(forKey key: Key, tag: UInt32, dropping dropped: inout DroppedEntries<Key, Value>)
    /// Exchanges all entries for those of an empty store; its loads stay.
    ///
    /// - Parameter areEvicted: whether the entries count as evicted. Otherwise they are removed, which invalidates the
    ///   loads in flight.
    mutating func exchangeContents(with empty: inout Self, areEvicted: Bool)
    /// Evicts the next entry because of memory pressure; there must be one. It may take two calls until it is evicted.
    mutating func giveBackNext(_ dropped: inout DroppedEntries<Key, Value>)

    /// Ends a store, and releases its entries. O(n).
    ///
    /// Each type does this itself, in a function that is not inlined: where the type is a parameter, optimised builds
    /// (Swift 6.3.1) leave out the `deinit` of a store, and every entry leaks.
    static func end(_ store: consuming Self)

    /// Waits until no caller sees the entries that came from another store in an exchange.
    mutating func awaitReaders()
    /// Waits until no caller sees the entries that a shard has evicted, and releases them.
    static func awaitReaders<Lock: StoreLock>(of shard: StoreShard<Self, Lock>)
}

extension ShardStore where Self: ~Copyable {
    @inlinable
    package static var headByteCount: Int { 0 }

    @inlinable
    @inline(__always)
    package func valueWithoutChange(forKey key: Key, tag: UInt32) -> Value?? { nil }

    @inlinable
    @inline(__always)
    package static func valueWithoutLock(forKey key: Key, tag: UInt32, head: UnsafeMutableRawPointer) -> Value?? { nil }

    @inlinable
    package mutating func awaitReaders() {
        // Only some stores have lookups without a lock.
    }

    @usableFromInline
    package static func awaitReaders<Lock: StoreLock>(of shard: StoreShard<Self, Lock>) {}

    /// What is held, the evictions so far, and the loads in flight.
    var statistics: CacheStatistics {
        CacheStatistics(
            entryCount: count, totalCost: Int(clamping: totalCost.total), evictions: evictions,
            loadsInFlight: loads.count)
    }

    /// Evicts until a number of entries and a cost are left, but no more than a tenth of a millisecond takes.
    ///
    /// - Returns: whether no more are left.
    mutating func shrink(to entries: Int, _ cost: UInt128, _ dropped: inout DroppedEntries<Key, Value>) -> Bool {
        let least = max(count - 256, 0)
        while count > entries || totalCost.total > cost {
            if count <= least { return count == 0 }
            giveBackNext(&dropped)
        }
        return true
    }
}

/// A store and its lock, in memory of their own: 128 bytes apart from everything else, so that threads on neighbouring
/// shards never wait for each other's cache lines (processors fetch them in pairs).
@usableFromInline
package struct StoreShard<Store: ShardStore & ~Copyable, Lock: StoreLock>: @unchecked Sendable {
    // Sound although unchecked: the store is changed only under the lock, read only under the lock or a share of it, or
    // touched by the only owner in `destroy`; a store with other lookups says how they are kept from writers.
    @usableFromInline
    typealias Dropped = DroppedEntries<Store.Key, Store.Value>

    /// Where the memory begins. All else is at a constant distance, so that a caller keeps one address in a register.
    @usableFromInline
    let head: UnsafeMutableRawPointer

    /// Twice the size of a cache line.
    @inlinable
    static var spacing: Int { 128 }

    @inlinable
    @inline(__always)
    static var storeOffset: Int {
        let alignment = max(MemoryLayout<Store>.alignment, 16)
        return (Store.headByteCount + Lock.byteCount + alignment - 1) / alignment * alignment
    }

    @inlinable
    @inline(__always)
    var lock: Lock { Lock(in: head + Store.headByteCount) }

    @inlinable
    @inline(__always)
    var store: UnsafeMutablePointer<Store> { (head + Self.storeOffset).assumingMemoryBound(to: Store.self) }

    /// An empty shard; `nil` means no limit. ``destroy()`` must follow, once.
    @inlinable
    package init(entryLimit: Int?, costLimit: Int?) {
        let byteCount = (Self.storeOffset + MemoryLayout<Store>.size + Self.spacing - 1) / Self.spacing * Self.spacing
        head = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: Self.spacing)
        Lock.create(in: head + Store.headByteCount)
        (head + Self.storeOffset).bindMemory(to: Store.self, capacity: 1)
            .initialize(to: Store(entryLimit: entryLimit, costLimit: costLimit, head: head))
    }

    /// Releases all entries and frees the memory. The shard must not be in use, and not be used afterwards. O(n).
    @inlinable
    package func destroy() {
        Store.end(store.move())
        lock.destroy()
        head.deallocate()
    }

    /// The value of a key; counts as a use. A lookup that changes nothing shares the lock with others where the lock can
    /// be shared. Another one then takes it again, exclusively, and looks up again: the entry may be gone meanwhile.
    @inlinable
    @inline(__always)
    package func value(forKey key: Store.Key, tag: UInt32) -> Store.Value? {
        if let found = Store.valueWithoutLock(forKey: key, tag: tag, head: head) { return found }
        if Lock.sharesReads,
            let found = lock.together({ store.pointee.valueWithoutChange(forKey: key, tag: tag) })
        {
            return found
        }
        return lock.alone { store.pointee.value(forKey: key, tag: tag) }
    }

    /// Runs `body` with the store under the lock. What it drops is released after the lock.
    @inlinable
    @inline(__always)
    func locked<Answer>(_ body: (inout Store, inout Dropped) -> Answer) -> Answer {
        var dropped = Dropped()
        let answer = lock.alone { body(&store.pointee, &dropped) }
        // Not before this line: otherwise the compiler may release at the last use, inside the lock.
        withExtendedLifetime(dropped) {}
        return answer
    }

    @inlinable
    @inline(__always)
    package func insert(_ value: Store.Value, forKey key: Store.Key, tag: UInt32, cost: Int) {
        locked { store, dropped in
            store.loads.noteWrite(to: key)
            store.insert(value, forKey: key, tag: tag, cost: max(cost, 0), dropping: &dropped)
        }
    }

    @inlinable
    package func removeValue(forKey key: Store.Key, tag: UInt32) {
        locked { store, dropped in
            store.loads.noteWrite(to: key)
            store.removeValue(forKey: key, tag: tag, dropping: &dropped)
        }
    }

    @inlinable
    package func removeAll() { exchangeContents(areEvicted: false) }

    /// Waits and releases outside the lock.
    @inlinable
    func exchangeContents(areEvicted: Bool) {
        var contents = Store(scale: lock.alone { store.pointee.scale }, head: head)
        lock.alone { store.pointee.exchangeContents(with: &contents, areEvicted: areEvicted) }
        contents.awaitReaders()
        Store.end(contents)
    }

    /// A load begins to fetch.
    @inlinable
    func beginLoad(of key: Store.Key) -> LoadRegister<Store.Key>.Ticket {
        lock.alone { store.pointee.loads.begin(key) }
    }

    /// A load ends: its value is inserted unless its key was written, removed or loaded meanwhile.
    @inlinable
    func endLoad(
        _ ticket: LoadRegister<Store.Key>.Ticket, _ fetched: Store.Value?, tag: UInt32
    ) where Store.Value: CacheableValue {
        let cost = max(fetched?.cost ?? 0, 0)
        locked { store, dropped in
            guard store.loads.end(ticket, inserts: fetched != nil), let fetched else { return }
            store.insert(fetched, forKey: ticket.key, tag: tag, cost: cost, dropping: &dropped)
        }
    }

    /// Evicts as much as a level of pressure requires. Other callers wait for a few hundred evictions at the most.
    func respond(to pressure: MemoryPressure) {
        guard let divisor = pressure.divisor else { return }
        if divisor == 0 { return exchangeContents(areEvicted: true) }
        let (entries, cost) = locked { store, _ in
            (store.count / divisor, store.totalCost.total / UInt128(divisor))
        }
        while !locked({ $0.shrink(to: entries, cost, &$1) }) {}
        Store.awaitReaders(of: self)
    }
}
