public import EvictionPolicies
public import Synchronization

/// The entries of a ``ConcurrentShard`` in SIEVE's order, and its writers' state, for one writer at a time.
///
/// Readers take no lock. They see the table, the links and the entries, and nothing else here. One store links an entry
/// into a chain, and one store unlinks it. An entry is filled before it is linked; it is emptied after every reader that
/// may have seen it has left: the protocol of ``ReaderMemory`` keeps readers' entries from writers.
///
/// The words that readers load are at the head of the shard's memory: the table's address, and the shard's number. The
/// writers' lock and state are 128 bytes behind them, so that a writer invalidates no cache line of readers except those
/// that it changes.
@usableFromInline
package struct ConcurrentStore<Key: Hashable & Sendable, Value: Sendable, Memory: ReaderMemory>: ShardStore, ~Copyable {
    @usableFromInline
    typealias Table = ConcurrentTable<Key, Value>
    @usableFromInline
    typealias Entry = ConcurrentEntry<Key, Value>
    @usableFromInline
    package typealias Dropped = DroppedEntries<Key, Value>

    @usableFromInline
    package let scale: PolicyScale
    /// Where the shard's memory begins.
    @usableFromInline
    let head: UnsafeMutableRawPointer
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
    package var totalCost = CostSum()
    @usableFromInline
    package var evictions: UInt64 = 0
    @usableFromInline
    package var loads = LoadRegister<Key>()
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

    @usableFromInline
    package init(entryLimit: Int?, costLimit: Int?, head: UnsafeMutableRawPointer) {
        head.bindMemory(to: Atomic<UInt>.self, capacity: 1).initialize(to: Atomic(0))
        (head + 8).initializeMemory(as: UInt64.self, to: ReaderPlaces.shared.nextShard())
        self.init(scale: PolicyScale(entryLimit: entryLimit, costLimit: costLimit, dividesCapacity: false), head: head)
        publish()
    }

    /// Its table is not published yet.
    @inlinable
    package init(scale: PolicyScale, head: UnsafeMutableRawPointer) {
        self.scale = scale
        self.head = head
        table = .allocate(capacity: 1)
        table.initialize(
            to: Table(capacity: min(Table.firstCapacity, Self.mostNodes(of: scale)), after: nil))
        order.reserve(table.pointee.capacity)
    }

    @inlinable
    @inline(never)
    package static func end(_ store: consuming Self) { _ = consume store }

    /// Releases everything. No reader may know the table or an entry. O(n).
    @inlinable
    deinit {
        for node in 0..<used {
            let entry = table.pointee.entry(UInt32(truncatingIfNeeded: node &+ 1))
            if entry.pointee.state == .free { continue }
            Memory.willChange(entry)
            Entry.keyAddress(entry).deinitialize(count: 1)
            Entry.valueAddress(entry).deinitialize(count: 1)
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

    @inlinable
    package static var headByteCount: Int { 128 }

    /// Where readers find the table's address.
    @inlinable
    @inline(__always)
    static func root(_ head: UnsafeMutableRawPointer) -> Memory.Root { head.assumingMemoryBound(to: Atomic<UInt>.self) }

    /// The number of a shard in announcements.
    @inlinable
    @inline(__always)
    static func number(_ head: UnsafeMutableRawPointer) -> UInt64 { (head + 8).load(as: UInt64.self) }

    @inlinable
    package var count: Int { order.count }

    /// Publishes the table; new readers find this one and no older one.
    @inlinable
    func publish() { Memory.setRoot(UInt(bitPattern: table), Self.root(head)) }

    /// Writes to no memory that another hit writes to, except the mark of an entry that is not marked and the count of a
    /// reference-counted value.
    @inlinable
    @inline(__always)
    package static func valueWithoutLock(forKey key: Key, tag: UInt32, head: UnsafeMutableRawPointer) -> Value?? {
        let place = ReaderPlaces.own
        let before = Memory.ownAnnouncement(place)
        // Already in a lookup: a key's `==` looks something up.
        if before & ReaderPlaces.shardMask != 0 { return nil }
        Memory.announce(before | number(head), place)
        let value = announcedValue(forKey: key, tag: tag, head: head)
        Memory.leave(before &+ (ReaderPlaces.shardMask &+ 1), place)
        return .some(value)
    }

    @inlinable
    @inline(__always)
    static func announcedValue(forKey key: Key, tag: UInt32, head: UnsafeMutableRawPointer) -> Value? {
        // Never 0: the table is published before any thread has the shard.
        guard let table = UnsafePointer<Table>(bitPattern: Memory.root(root(head))) else { return nil }
        let node = table.pointee.node(of: key, tag: tag, Memory.self)
        return node == 0 ? nil : use(node, of: table.pointee)
    }

    /// The value of a node. Writes the mark only if it is not set, so that hits leave an entry's cache line shared.
    @inlinable
    @inline(__always)
    static func use(_ node: UInt32, of table: Table) -> Value {
        let entry = table.entry(node)
        let mark = Entry.markAddress(entry)
        if !Memory.isMarked(mark) { Memory.setMark(true, mark) }
        Memory.willRead(entry)
        guard Entry.isWord else { return entry.pointee.value }
        return unsafeBitCast(Memory.word(Entry.wordAddress(entry)), to: Value.self)
    }

    @inlinable
    @inline(never)
    package mutating func value(forKey key: Key, tag: UInt32) -> Value? {
        let node = node(of: key, tag: tag)
        return node == 0 ? nil : Self.use(node, of: table.pointee)
    }

    /// The node of a key; 0 when it has none. O(1), expected.
    @inlinable
    @inline(__always)
    func node(of key: Key, tag: UInt32) -> UInt32 { table.pointee.node(of: key, tag: tag, Memory.self) }

    @inlinable
    package mutating func insert(
        _ value: consuming Value, forKey key: Key, tag: UInt32, cost: Int,
        dropping dropped: inout Dropped
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

    /// Replaces the value of an entry and marks it as used: in place if the value is a word, or else by a new entry in
    /// the place of the older one, in its chain and in the order.
    @inlinable
    mutating func replace(
        _ node: UInt32, _ value: consuming Value, forKey key: Key, _ tag: UInt32, _ cost: Int, _ dropped: inout Dropped
    ) {
        let entry = table.pointee.entry(node)
        let mark = Entry.markAddress(entry)
        let older = entry.pointee.cost
        // Only what changes is written, so that the shard's lines stay with all cores.
        if cost != older {
            totalCost.subtract(older)
            totalCost.add(cost)
            entry.pointee.cost = cost
        }
        if !Memory.isMarked(mark) { Memory.setMark(true, mark) }
        // Before the new value can be found, so that no caller finds more than the limit allows. The entry itself may
        // be evicted.
        while totalCost.low > UInt64(truncatingIfNeeded: scale.costLimit) { if evictNext() == node { return } }
        if Entry.isWord {
            return Memory.setWord(unsafeBitCast(value, to: UInt64.self), Entry.wordAddress(entry))
        }
        let added = take(&dropped)
        // The hand may have passed the entry.
        fill(added, value, key, tag, cost, isMarked: Memory.isMarked(mark))
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
        Entry.keyAddress(entry).initialize(to: key)
        Entry.valueAddress(entry).initialize(to: value)
        entry.pointee.cost = cost
        entry.pointee.tag = tag
        entry.pointee.state = .held
        Memory.setMark(isMarked, Entry.markAddress(entry))
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
                let mark = Entry.markAddress(table.entry(object &+ 1))
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
    package mutating func removeValue(forKey key: Key, tag: UInt32, dropping dropped: inout Dropped) {
        let node = node(of: key, tag: tag)
        if node != 0 { remove(node) }
        collect(&dropped)
    }

    @inlinable
    package mutating func exchangeContents(with empty: inout Self, areEvicted: Bool) {
        swap(&self, &empty)
        swap(&loads, &empty.loads)
        evictions = empty.evictions &+ (areEvicted ? UInt64(empty.count) : 0)
        if !areEvicted { loads.noteRemovalOfAll() }
        // The caller frees all lists.
        closings = empty.closings &+ 2
        publish()
        empty.awaited = AwaitedReaders()
        empty.awaited.look(at: Self.number(head), Memory.self)
    }

    @inlinable
    package mutating func awaitReaders() { while !awaited.haveLeft(Memory.self) { Memory.wait() } }

    @usableFromInline
    package mutating func giveBackNext(_ dropped: inout Dropped) {
        _ = evictNext()
        collect(&dropped)
    }

    @usableFromInline
    package static func awaitReaders<Lock: StoreLock>(of shard: StoreShard<Self, Lock>) {
        // Not for what others retire from here on, which may never end.
        let list = shard.locked { store, _ in store.newestList }
        while !shard.locked({ store, dropped in
            store.collect(&dropped, isUrgent: true)
            return store.hasFreed(list)
        }) { Memory.wait() }
    }
}

/// A shard with lookups that take no lock.
package typealias ConcurrentShard<Key: Hashable & Sendable, Value: Sendable, Memory: ReaderMemory> =
    StoreShard<ConcurrentStore<Key, Value, Memory>, PthreadMutex>
