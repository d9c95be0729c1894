/// A key, its value, and what is needed to remove both without asking the key anything.
@usableFromInline
struct LRUEntry<Key, Value> {
    @usableFromInline
    let key: Key
    @usableFromInline
    var value: Value
    @usableFromInline
    var cost: Int
    @usableFromInline
    let tag: UInt32

    @inlinable
    init(key: Key, value: Value, cost: Int, tag: UInt32) {
        self.key = key
        self.value = value
        self.cost = cost
        self.tag = tag
    }
}

/// What an operation threw out, for the caller to release once it holds the lock no more.
///
/// Dropping a value runs its `deinit`, which may take long and may even use the cache.
@usableFromInline
struct LRUDropped<Key, Value> {
    /// The value that was replaced or removed.
    @usableFromInline
    var value: Value?
    /// The first entry that was evicted. Mostly the only one: then nothing is allocated.
    @usableFromInline
    var first: LRUEntry<Key, Value>?
    /// The other entries that were evicted.
    @usableFromInline
    var others: ContiguousArray<LRUEntry<Key, Value>> = []

    @inlinable
    init() {}
}

/// The state of an ``LRUCache``, for one thread at a time: a ``HashIndex`` finds a node, a ``RecencyList`` orders the
/// nodes, and a slab holds their entries side by side.
///
/// A node is a number from 1 on; its entry is initialised exactly while the node is in the ring.
@usableFromInline
struct LRUStore<Key: Hashable, Value> {
    @usableFromInline
    var index: HashIndex
    @usableFromInline
    var order: RecencyList
    @usableFromInline
    var entries: UnsafeMutablePointer<LRUEntry<Key, Value>>
    @usableFromInline
    var count = 0
    /// The sum of the entries' costs; never more than `costLimit`, and so never an overflow.
    @usableFromInline
    var totalCost = 0
    @usableFromInline
    var evictions: UInt64 = 0
    @usableFromInline
    let entryLimit: Int
    @usableFromInline
    let costLimit: Int

    /// Node numbers are 32 bits wide, and a table of that many entries must have a size.
    @inlinable
    static var largestEntryLimit: Int { 1 << 30 }

    /// An empty store; `nil` means no limit, and a negative limit counts as 0. ``destroy()`` must follow, once.
    @inlinable
    init(entryLimit: Int?, costLimit: Int?) {
        self.entryLimit = min(max(entryLimit ?? .max, 0), Self.largestEntryLimit)
        self.costLimit = max(costLimit ?? .max, 0)
        let capacity = min(self.entryLimit, 8)
        index = HashIndex(capacity: capacity)
        order = RecencyList(capacity: capacity)
        entries = .allocate(capacity: capacity + 1)
    }

    /// Releases all entries and gives the memory back. Costs O(n).
    @inlinable
    func destroy() {
        var node = order.newest
        while node != 0 {
            (entries + Int(node)).deinitialize(count: 1)
            node = order.links[Int(node)].next
        }
        entries.deallocate()
        order.destroy()
        index.destroy()
    }

    /// The node of a key; 0 when there is none.
    @inlinable
    @inline(__always)
    func node(of key: Key, tag: UInt32) -> UInt32 {
        let entries = entries
        return index.node(tag: tag) { entries[Int($0)].key == key }
    }

    /// Inserts or replaces, makes the entry the newest, and evicts from the other end until the limits hold.
    ///
    /// - Parameter cost: not negative.
    @inlinable
    @inline(__always)
    mutating func insert(
        _ value: consuming Value, forKey key: Key, tag: UInt32, cost: Int,
        dropping dropped: inout LRUDropped<Key, Value>
    ) {
        let present = node(of: key, tag: tag)
        guard cost <= costLimit, entryLimit > 0 else {
            if present != 0 { dropped.value = remove(present).value }
            return
        }
        if present != 0 {
            order.moveToNewest(present)
            totalCost &-= entries[Int(present)].cost
            // The entry itself is counted as free, so it can't be a victim: alone it fits.
            evict(toFit: cost, dropping: &dropped)
            dropped.value = exchange(value, in: present, cost: cost)
        } else {
            if count == entryLimit { evictOldest(dropping: &dropped) }
            evict(toFit: cost, dropping: &dropped)
            if order.firstFree == 0 { grow() }
            let node = order.takeFree()
            (entries + Int(node)).initialize(to: LRUEntry(key: key, value: value, cost: cost, tag: tag))
            order.linkNewest(node)
            index.insert(tag: tag, node: node)
            count &+= 1
        }
        totalCost &+= cost
    }

    @inlinable
    @inline(__always)
    func exchange(_ value: consuming Value, in node: UInt32, cost: Int) -> Value {
        swap(&entries[Int(node)].value, &value)
        entries[Int(node)].cost = cost
        return value
    }

    /// Takes a node out of everything.
    @inlinable
    @inline(__always)
    mutating func remove(_ node: UInt32) -> LRUEntry<Key, Value> {
        let entry = (entries + Int(node)).move()
        index.remove(tag: entry.tag, node: node)
        order.unlink(node)
        order.free(node)
        count &-= 1
        totalCost &-= entry.cost
        return entry
    }

    /// Evicts until `cost` more fits. `cost` must not exceed the limit.
    @inlinable
    @inline(__always)
    mutating func evict(toFit cost: Int, dropping dropped: inout LRUDropped<Key, Value>) {
        let room = costLimit &- cost
        while totalCost > room { evictOldest(dropping: &dropped) }
    }

    @inlinable
    @inline(__always)
    mutating func evictOldest(dropping dropped: inout LRUDropped<Key, Value>) {
        let victim = remove(order.oldest)
        evictions &+= 1
        if dropped.first == nil {
            dropped.first = consume victim
        } else {
            dropped.others.append(victim)
        }
    }

    /// Doubles the room, up to the limit. Only when no node is free; costs O(n).
    @inlinable
    @inline(never)
    mutating func grow() {
        let capacity = order.capacity
        let larger = min(capacity * 2, entryLimit)
        let moved = UnsafeMutablePointer<LRUEntry<Key, Value>>.allocate(capacity: larger + 1)
        (moved + 1).moveInitialize(from: entries + 1, count: capacity)
        entries.deallocate()
        entries = moved
        order.grow(to: larger)
        index.reserve(larger)
    }
}
