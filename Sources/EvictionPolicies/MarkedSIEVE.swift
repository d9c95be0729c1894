/// The queue and the hand of ``SIEVE``, for a user that keeps the marks itself: readers on other threads may set
/// marks at the same time.
///
/// Y. Zhang, J. Yang, Y. Yue, Y. Vigfusson, K. V. Rashmi: SIEVE is Simpler than LRU: an Efficient Turn-Key Eviction
/// Algorithm for Web Caches, NSDI 2024. The user enforces the limits as well. All operations cost O(1), amortised.
@usableFromInline
package struct MarkedSIEVE: ~Copyable {
    /// Queue 0 holds all objects in order of admission, the last one newest.
    @usableFromInline
    var table = EntryTable<NoNote, UnitEntry>(queueCount: 1)
    /// The entry that is examined next; 0 means the oldest.
    @usableFromInline
    var hand: UInt32 = 0
    /// The number of objects.
    @usableFromInline
    package var count = 0

    /// A queue without objects.
    @inlinable
    package init() {}

    /// Makes room for objects with numbers below `objectCount`. O(objects).
    @inlinable
    package mutating func reserve(_ objectCount: Int) { table.reserve(objectCount) }

    /// Adds an object that is not in the queue, as the newest.
    @inlinable
    package mutating func admit(_ object: ObjectID) {
        table.link(table.add(object, charge: 1), before: 0)
        count &+= 1
    }

    /// Removes an object.
    @inlinable
    package mutating func remove(_ object: ObjectID) {
        let entry = table.knownEntry(of: object)
        if entry == hand { hand = table.newer(entry) }
        table.drop(entry)
        count &-= 1
    }

    /// Replaces an object of the queue by one that is not in it, in the same place.
    @inlinable
    package mutating func exchange(_ object: ObjectID, for other: ObjectID) {
        let entry = table.knownEntry(of: object)
        let added = table.add(other, charge: 1)
        table.link(added, before: entry)
        if entry == hand { hand = added }
        table.drop(entry)
    }

    /// The object to evict next; it stays in the queue until it is removed.
    ///
    /// If threads set marks as fast as the hand clears them, an object is selected after two rounds nevertheless.
    ///
    /// - Parameter clearMark: clears an object's mark, and returns whether it was set.
    /// - Returns: the object; the queue must not be empty.
    @inlinable
    package mutating func nextVictim(_ clearMark: (ObjectID) -> Bool) -> ObjectID {
        if hand == 0 { hand = table.oldest(0) }
        var steps = 0
        while clearMark(table.object(hand)), steps <= 2 &* count {
            steps &+= 1
            hand = table.newer(hand)
            if hand == 0 { hand = table.oldest(0) }
        }
        return table.object(hand)
    }

    /// Whether an object is in the queue.
    package func contains(_ object: ObjectID) -> Bool { table.entry(of: object) != 0 }

    /// All objects, the oldest first. O(n).
    package var objects: [ObjectID] {
        var objects: [ObjectID] = []
        var entry = table.oldest(0)
        while entry != 0, objects.count <= count {
            objects.append(table.object(entry))
            entry = table.newer(entry)
        }
        return objects
    }

    /// Checks that the queue is consistent, for tests. O(n).
    ///
    /// - Throws: `PolicyInvariantViolation` when it is not.
    package func checkInvariants() throws(PolicyInvariantViolation) {
        let found = objects
        guard found.count == count, Set(found).count == count else {
            throw PolicyInvariantViolation("the queue has \(found.count) objects, but its count is \(count)")
        }
        guard hand == 0 || contains(table.object(hand)) else {
            throw PolicyInvariantViolation("the hand is at entry \(hand), which is in no queue")
        }
    }
}
