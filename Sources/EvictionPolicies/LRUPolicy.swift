/// LRU: the object whose last use is longest ago goes first.
///
/// R. L. Mattson, J. Gecsei, D. R. Slutz, I. L. Traiger: Evaluation Techniques for Storage Hierarchies, IBM Systems
/// Journal 9(2), 1970. Exact: one list of all objects, moved on every hit.
///
/// Weights: the least recently used go until the new object fits.
@usableFromInline
package struct LRU<Entry: TableEntry>: OneQueuePolicy, ~Copyable {
    /// Queue 0 holds all objects, the last used newest.
    @usableFromInline
    package var table = EntryTable<NoNote, Entry>(queueCount: 1)
    @usableFromInline
    package var budget: Budget

    @inlinable
    package init(capacity: PolicyCapacity) {
        budget = Budget(capacity)
    }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) {
        // A live cache asks for what it just inserted more often than a trace does.
        if Entry.isPlacedByNumber, table.newest(0) == entry { return }
        table.move(entry, toNewestOf: 0)
    }

    /// Whether an object was used last, so that to use it again changes nothing.
    @inlinable
    @inline(__always)
    package func isNewest(_ object: ObjectID) -> Bool {
        let newest = table.newest(0)
        return newest != 0 && table.object(newest) == object
    }

    /// All objects, the one used last first. O(objects).
    package var objectsByRecency: [ObjectID] {
        var objects: [ObjectID] = []
        var entry = table.newest(0)
        // Cut off after more steps than there can be objects, as it is for tests of what may be broken.
        while entry != 0, objects.count < table.entryCount {
            objects.append(table.object(entry))
            entry = table.older(entry)
        }
        return objects
    }
}

/// LRU for replays.
package typealias LRUPolicy = LRU<TraceEntry>
