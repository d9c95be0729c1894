public import EvictionPolicies
public import Synchronization

/// Taking and freeing nodes.
extension ConcurrentStore {
    /// A node for a new entry. O(1), amortised; waits for readers when all nodes are held or retired.
    @inlinable
    mutating func take(_ dropped: inout Dropped) -> UInt32 {
        if firstFree == 0, used == table.pointee.capacity { makeRoom(&dropped) }
        let node = firstFree
        if node == 0 {
            used &+= 1
            return UInt32(truncatingIfNeeded: used)
        }
        firstFree = UInt32(truncatingIfNeeded: table.pointee.entry(node).pointee.cost)
        return node
    }

    @inlinable
    @inline(never)
    mutating func makeRoom(_ dropped: inout Dropped) {
        collect(&dropped, isUrgent: true)
        if firstFree != 0 { return }
        let most = Self.mostNodes(of: scale)
        if table.pointee.capacity < most { return grow(to: min(table.pointee.capacity * 2, most)) }
        // Everything that is not held is retired. A reader leaves without waiting for any other thread.
        while firstFree == 0 {
            Memory.wait()
            collect(&dropped, isUrgent: true)
        }
    }

    /// Replaces the table by a larger one. O(n).
    @inlinable
    mutating func grow(to capacity: Int) {
        let older = table
        let larger = Table(capacity: capacity, after: older.pointee)
        for number in 0..<used {
            let node = UInt32(truncatingIfNeeded: number &+ 1)
            let entry = larger.entry(node)
            if entry.pointee.state != .held { continue }
            // Relaxed: no other thread knows these links before the table is published.
            let head = larger.head(entry.pointee.tag)
            larger.next(node).pointee.store(head.pointee.load(ordering: .relaxed), ordering: .relaxed)
            head.pointee.store(node, ordering: .relaxed)
        }
        table = .allocate(capacity: 1)
        table.initialize(to: larger)
        publish()
        open.tables.append(older)
        order.reserve(capacity)
    }

    /// Frees what no reader can see any more.
    ///
    /// - Parameter isUrgent: whether a writer needs nodes, even if few are retired.
    @inlinable
    @inline(__always)
    mutating func collect(_ dropped: inout Dropped, isUrgent: Bool = false) {
        if !open.isEmpty || !closed.isEmpty { collectRetired(&dropped, isUrgent) }
    }

    @inlinable
    mutating func collectRetired(_ dropped: inout Dropped, _ isUrgent: Bool) {
        if !closed.isEmpty {
            guard awaited.haveLeft(Memory.self) else { return }
            free(closed, &dropped)
            closed = RetiredEntries()
        }
        let isDue =
            isUrgent || open.count > Self.mostRetired(of: scale)
            || open.cost > UInt64(truncatingIfNeeded: scale.costLimit / 64) || !open.tables.isEmpty
        guard isDue, !open.isEmpty else { return }
        awaited.look(at: Self.number(head), Memory.self)
        if awaited.isEmpty {
            free(open, &dropped)
        } else {
            closed = open
        }
        open = RetiredEntries()
        closings &+= 1
    }

    /// The number of the list in which the last retired entries are or were.
    var newestList: UInt64 { open.isEmpty ? closings : closings &+ 1 }

    /// Whether all retired entries up to a list are freed.
    func hasFreed(_ list: UInt64) -> Bool { closings > list || closings == list && closed.isEmpty }

    /// Empties entries, and frees tables.
    @inlinable
    mutating func free(_ retired: RetiredEntries<Key, Value>, _ dropped: inout Dropped) {
        if retired.count > 1 { dropped.others.reserveCapacity(dropped.others.count + retired.count) }
        var node = retired.newest
        while node != 0 {
            let entry = table.pointee.entry(node)
            let next = UInt32(truncatingIfNeeded: entry.pointee.cost)
            Memory.willChange(entry)
            dropped.add(key: Entry.keyAddress(entry).move(), value: Entry.valueAddress(entry).move())
            entry.pointee.state = .free
            entry.pointee.cost = Int(firstFree)
            firstFree = node
            node = next
        }
        for older in retired.tables { Self.destroy(older) }
    }
}

/// Entries and tables that no new reader can reach, and which older readers may still see.
///
/// A writer waits for single readers, not for an epoch that all readers must have seen. So a reader writes only to its
/// own place and reads no shared word: the writer notes which threads read its shard, and what it had unlinked before
/// is free when each of them has left once. That is read-copy update (P. E. McKenney, J. D. Slingwine: Read-Copy
/// Update: Using Execution History to Solve Concurrency Problems, PDCS 1998); the lists are the limbo lists of K.
/// Fraser: Practical Lock-Freedom, 2004, with two instead of three.
@usableFromInline
struct RetiredEntries<Key: Hashable, Value> {
    @usableFromInline
    typealias Table = UnsafeMutablePointer<ConcurrentTable<Key, Value>>

    /// The node retired last; the entries' `cost` links to the others.
    @usableFromInline
    var newest: UInt32 = 0
    @usableFromInline
    var count = 0
    /// The sum of the entries' costs, or `UInt64.max` if it is more.
    @usableFromInline
    var cost: UInt64 = 0
    /// Tables that were replaced by larger ones; their entries are still in use.
    @usableFromInline
    var tables: ContiguousArray<Table> = []

    @inlinable
    init() {}

    @inlinable
    var isEmpty: Bool { count == 0 && tables.isEmpty }

    /// Adds an entry that is no longer in a chain.
    @inlinable
    mutating func add(_ node: UInt32, _ entry: UnsafeMutablePointer<ConcurrentEntry<Key, Value>>) {
        let (sum, isOver) = cost.addingReportingOverflow(UInt64(truncatingIfNeeded: entry.pointee.cost))
        cost = isOver ? .max : sum
        entry.pointee.state = .retired
        entry.pointee.cost = Int(newest)
        newest = node
        count &+= 1
    }
}

/// The readers that a writer waits for.
@usableFromInline
struct AwaitedReaders {
    /// Each reader's place and what it had announced.
    @usableFromInline
    var words: ContiguousArray<(place: ReaderPlaces.Announcement, word: UInt64)> = []

    @inlinable
    init() {}

    @inlinable
    var isEmpty: Bool { words.isEmpty }

    /// Notes the readers that are in a shard now. O(places).
    @inlinable
    mutating func look<Memory: ReaderMemory>(at shard: UInt64, _ memory: Memory.Type) {
        var place = ReaderPlaces.shared.list
        while let found = place {
            let announcement = ReaderPlaces.Place.announcement(found)
            let word = Memory.announcement(announcement)
            if word & ReaderPlaces.shardMask == shard { words.append((announcement, word)) }
            place = found.pointee.next
        }
    }

    /// Whether all of them have left since. O(awaited).
    @inlinable
    mutating func haveLeft<Memory: ReaderMemory>(_ memory: Memory.Type) -> Bool {
        while let last = words.last {
            if Memory.announcement(last.place) == last.word { return false }
            words.removeLast()
        }
        return true
    }
}
