/// Entries and tables that no new reader can reach, and which older readers may still see.
///
/// To wait for readers one by one, and not for an epoch that all of them must have seen, lets a reader write to its own
/// place alone and read no shared word: the writer takes down who reads its shard, and what it had unlinked before is
/// free when each of them has left once. That is read-copy update (P. E. McKenney, J. D. Slingwine: Read-Copy Update:
/// Using Execution History to Solve Concurrency Problems, PDCS 1998); the lists are the limbo of K. Fraser: Practical
/// Lock-Freedom, 2004, with two in place of three.
@usableFromInline
struct RetiredEntries<Key: Hashable, Value> {
    @usableFromInline
    typealias Table = UnsafeMutablePointer<ConcurrentTable<Key, Value>>

    /// The node retired last; through the entries' `cost` to the others.
    @usableFromInline
    var newest: UInt32 = 0
    @usableFromInline
    var count = 0
    /// What the entries cost together, or `UInt64.max` where that is more.
    @usableFromInline
    var cost: UInt64 = 0
    /// Tables that were replaced by larger ones; their entries live on.
    @usableFromInline
    var tables: ContiguousArray<Table> = []

    @inlinable
    init() {}

    @inlinable
    var isEmpty: Bool { count == 0 && tables.isEmpty }

    /// Adds an entry that is in no chain any more.
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
    /// What each had announced.
    @usableFromInline
    var words: ContiguousArray<(place: ReaderPlaces.Announcement, word: UInt64)> = []

    @inlinable
    init() {}

    @inlinable
    var isEmpty: Bool { words.isEmpty }

    /// Takes down who reads a shard now. O(places).
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
