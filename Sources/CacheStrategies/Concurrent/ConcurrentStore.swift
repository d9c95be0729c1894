public import EvictionPolicies
public import Synchronization

/// The entries of a ``ConcurrentShard`` and its writers' state, for one writer at a time.
///
/// Readers see the table, the links and the entries, and nothing else here. One store links an entry into a chain, and
/// one store unlinks it. An entry is filled before it is linked; it is emptied after every reader that may have seen it
/// has left.
@usableFromInline
struct ConcurrentStore<Key: Hashable & Sendable, Value: Sendable, Memory: ReaderMemory>: ~Copyable {
    @usableFromInline
    typealias Table = ConcurrentTable<Key, Value>
    @usableFromInline
    typealias Entry = ConcurrentEntry<Key, Value>
    @usableFromInline
    typealias Dropped = PolicyDropped<Key, Value>

    @usableFromInline
    let scale: PolicyScale
    /// The shard's number in announcements.
    @usableFromInline
    let number: UInt64
    /// Where readers find the table.
    @usableFromInline
    let root: Memory.Root
    /// The table. Readers may know an older one.
    @usableFromInline
    var table: UnsafeMutablePointer<Table>
    /// The highest node that was ever allocated.
    @usableFromInline
    var used = 0
    /// The first free node; 0 when none is.
    @usableFromInline
    var firstFree: UInt32 = 0
    @usableFromInline
    var order = LiveSIEVE(capacity: .entries(.max))
    @usableFromInline
    var totalCost = CostSum()
    @usableFromInline
    var evictions: UInt64 = 0
    @usableFromInline
    var loads = LoadRegister<Key>()
    /// Entries retired since a writer last checked which threads read.
    @usableFromInline
    var open = RetiredEntries<Key, Value>()
    /// Entries retired before that; free when all `awaited` readers have left.
    @usableFromInline
    var closed = RetiredEntries<Key, Value>()
    @usableFromInline
    var awaited = AwaitedReaders()
    /// How many lists of retired entries were closed so far.
    @usableFromInline
    var closings: UInt64 = 0

    /// An empty store whose table is not published yet; see ``publish()``.
    @inlinable
    init(scale: PolicyScale, number: UInt64, root: Memory.Root) {
        self.scale = scale
        self.number = number
        self.root = root
        table = .allocate(capacity: 1)
        table.initialize(
            to: Table(capacity: min(Table.firstCapacity, Self.mostNodes(of: scale)), after: nil))
        order.reserve(table.pointee.capacity)
    }

    /// Releases everything. No reader may know the table or an entry. O(n).
    @inlinable
    deinit {
        for node in 0..<used {
            let entry = table.pointee.entry(UInt32(truncatingIfNeeded: node &+ 1))
            if entry.pointee.state == .free { continue }
            Memory.willChange(entry)
            Entry.keyPlace(entry).deinitialize(count: 1)
            Entry.valuePlace(entry).deinitialize(count: 1)
        }
        for older in open.tables + closed.tables { Self.destroy(older) }
        table.pointee.destroyEntries()
        Self.destroy(table)
    }

    @inlinable
    static func destroy(_ table: UnsafeMutablePointer<Table>) {
        table.pointee.destroy()
        table.deallocate()
    }

    /// The number of entries that may be retired before a writer checks which threads read; also, a 64th of the
    /// cost limit may be. Reading a reading thread's place moves a cache line between the two cores, which costs both
    /// of them.
    @inlinable
    static func mostRetired(of scale: PolicyScale) -> Int { min(scale.mostEntries / 64, 32) }

    /// As many nodes as entries may be held, and two lists of retired ones. A writer that needs more waits for readers.
    @inlinable
    static func mostNodes(of scale: PolicyScale) -> Int { scale.mostEntries + 2 * mostRetired(of: scale) + 8 }

    /// The number of entries that are held.
    @inlinable
    var count: Int { order.count }

    /// Publishes the table; new readers find this one and no older one.
    @inlinable
    func publish() { Memory.setRoot(UInt(bitPattern: table), root) }

    /// The node of a key; 0 when it has none. O(1), expected.
    @inlinable
    @inline(__always)
    func node(of key: Key, tag: UInt32) -> UInt32 { table.pointee.node(of: key, tag: tag, Memory.self) }

    /// Inserts or replaces. O(1), amortised.
    ///
    /// - Parameter cost: not negative.
    @inlinable
    mutating func insert(
        _ value: consuming Value, forKey key: Key, tag: UInt32, cost: Int, dropping dropped: inout Dropped
    ) {
        let node = node(of: key, tag: tag)
        if cost > scale.costLimit || scale.mostEntries == 0 {
            if node != 0 { remove(node) }
        } else if node != 0 {
            replace(node, value, forKey: key, tag, cost, &dropped)
        } else {
            let room = UInt64(truncatingIfNeeded: scale.costLimit &- cost)
            while count >= scale.mostEntries || totalCost.low > room { _ = evictNext() }
            let added = take(&dropped)
            fill(added, value, key, tag, cost, isMarked: false)
            let head = table.pointee.head(tag)
            // Relaxed: the store of the link to this node releases it.
            table.pointee.next(added).pointee.store(Memory.link(head), ordering: .relaxed)
            var sink = NoEvictionSink()
            _ = order.admit(added &- 1, charge: 1, &sink)
            totalCost.add(cost)
            Memory.setLink(added, head)
        }
        collect(&dropped)
    }

    /// Puts a new entry in the place of an older one, in its chain and in the order, and marks it as used.
    @inlinable
    mutating func replace(
        _ node: UInt32, _ value: consuming Value, forKey key: Key, _ tag: UInt32, _ cost: Int, _ dropped: inout Dropped
    ) {
        let entry = table.pointee.entry(node)
        totalCost.subtract(entry.pointee.cost)
        totalCost.add(cost)
        entry.pointee.cost = cost
        Memory.setMark(true, Entry.markPlace(entry))
        // Before the new value can be found, so that no caller finds more than the limit allows. The entry itself may
        // be evicted.
        while totalCost.low > UInt64(truncatingIfNeeded: scale.costLimit) { if evictNext() == node { return } }
        let added = take(&dropped)
        // The hand may have passed the entry.
        fill(added, value, key, tag, cost, isMarked: Memory.isMarked(Entry.markPlace(entry)))
        let before = link(to: node, tag)
        // Relaxed: the store of the link to this node releases it.
        table.pointee.next(added).pointee.store(Memory.link(table.pointee.next(node)), ordering: .relaxed)
        order.exchange(node &- 1, for: added &- 1)
        // One store, so that a reader finds the older value or the newer one.
        Memory.setLink(added, before)
        open.add(node, table.pointee.entry(node))
    }

    /// Fills a node with a key and a value. No reader may reach the node yet.
    @inlinable
    @inline(__always)
    func fill(_ node: UInt32, _ value: consuming Value, _ key: Key, _ tag: UInt32, _ cost: Int, isMarked: Bool) {
        let entry = table.pointee.entry(node)
        Memory.willChange(entry)
        Entry.keyPlace(entry).initialize(to: key)
        Entry.valuePlace(entry).initialize(to: value)
        entry.pointee.cost = cost
        entry.pointee.tag = tag
        entry.pointee.state = .held
        Memory.setMark(isMarked, Entry.markPlace(entry))
    }

    /// The link that points to a node.
    @inlinable
    func link(to node: UInt32, _ tag: UInt32) -> Memory.Link {
        var link = table.pointee.head(tag)
        while true {
            let next = Memory.link(link)
            if next == node { return link }
            link = table.pointee.next(next)
        }
    }

    /// Evicts the next entry in SIEVE's order.
    ///
    /// - Returns: the entry's node.
    @inlinable
    mutating func evictNext() -> UInt32 {
        let table = table.pointee
        let node =
            order.nextVictim(clearingMark: { object in
                let mark = Entry.markPlace(table.entry(object &+ 1))
                if !Memory.isMarked(mark) { return false }
                Memory.setMark(false, mark)
                return true
            }) &+ 1
        remove(node)
        evictions &+= 1
        return node
    }

    /// Unlinks an entry from its chain and from the order, so that no new reader reaches it.
    @inlinable
    mutating func remove(_ node: UInt32) {
        let entry = table.pointee.entry(node)
        order.remove(node &- 1)
        totalCost.subtract(entry.pointee.cost)
        Memory.setLink(Memory.link(table.pointee.next(node)), link(to: node, entry.pointee.tag))
        open.add(node, entry)
    }

    @inlinable
    mutating func removeValue(forKey key: Key, tag: UInt32, dropping dropped: inout Dropped) {
        let node = node(of: key, tag: tag)
        if node != 0 { remove(node) }
        collect(&dropped)
    }

    /// Exchanges all entries for those of an empty store, and notes the readers that may still see them.
    @inlinable
    mutating func exchangeContents(with empty: inout ConcurrentStore) -> AwaitedReaders {
        swap(&self, &empty)
        swap(&loads, &empty.loads)
        evictions = empty.evictions
        // The caller frees all lists.
        closings = empty.closings &+ 2
        loads.noteRemovalOfAll()
        publish()
        var readers = AwaitedReaders()
        readers.look(at: number, Memory.self)
        return readers
    }

    /// What is held, and the evictions so far.
    var statistics: CacheStatistics {
        CacheStatistics(
            entryCount: count, totalCost: Int(clamping: totalCost.total), evictions: evictions,
            loadsInFlight: loads.count)
    }
}
