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
