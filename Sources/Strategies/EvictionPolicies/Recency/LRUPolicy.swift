/// LRU: evicts the object whose last use is longest ago.
///
/// R. L. Mattson, J. Gecsei, D. R. Slutz, I. L. Traiger: Evaluation Techniques for Storage Hierarchies, IBM Systems
/// Journal 9(2), 1970. Exact: one list of all objects, moved on every hit.
///
/// Weights: the least recently used objects are evicted until the new one fits.
@usableFromInline
package struct LRU<Entry: TableEntry>: ExchangePolicy, ~Copyable {
    /// Queue 0 holds all objects in order of use, the last used newest.
    @usableFromInline
    package var table = EntryTable<NoNote, Entry>(queueCount: 1)
    @usableFromInline
    package var budget: Budget

    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings) { budget = Budget(capacity) }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) {
        // A live cache looks up the entry that it just inserted more often than a trace does.
        if Entry.isPlacedByNumber, table.newest(0) == entry { return }
        table.move(entry, toNewestOf: 0)
    }

    /// Whether an object was the last one used, so that another use changes nothing.
    @inlinable
    @inline(__always)
    package func isNewest(_ object: ObjectID) -> Bool {
        let newest = table.newest(0)
        return newest != 0 && table.object(newest) == object
    }

    /// The object whose last use is longest ago; `nil` when there is none.
    @inlinable
    package var oldest: ObjectID? {
        let oldest = table.oldest(0)
        return oldest == 0 ? nil : table.object(oldest)
    }

    /// All objects, the last used first. O(objects).
    package var objectsByRecency: [ObjectID] {
        var objects: [ObjectID] = []
        var entry = table.newest(0)
        // Stops after more steps than there can be objects, because tests also call this on a damaged queue.
        while entry != 0, objects.count < table.entryCount {
            objects.append(table.object(entry))
            entry = table.older(entry)
        }
        return objects
    }

    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "lru", summary: "evicts the least recently used object",
            source: "Mattson et al., IBM Systems Journal 9(2), 1970",
            agreement: "libcachesim 0.3.5 and the Caffeine simulator, to the last miss",
            advice: """
                The one to compare with. Take it where what was used lately is used again, and where its one write per hit does no harm. A scan longer than the cache empties it.
                """)
    }
}

/// LRU for replays.
package typealias LRUPolicy = LRU<TraceEntry>
