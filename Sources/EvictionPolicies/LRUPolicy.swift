/// LRU: the object whose last use is longest ago goes first.
///
/// R. L. Mattson, J. Gecsei, D. R. Slutz, I. L. Traiger: Evaluation Techniques for Storage Hierarchies, IBM Systems
/// Journal 9(2), 1970. Exact: one list of all objects, moved on every hit.
///
/// Weights: the least recently used go until the new object fits.
@usableFromInline
package struct LRUPolicy: OneQueuePolicy, ~Copyable {
    /// Queue 0 holds all objects, the last used newest.
    @usableFromInline
    package var table = EntryTable<NoNote>(queueCount: 1)
    @usableFromInline
    package var budget: Budget

    @inlinable
    package init(capacity: PolicyCapacity) {
        budget = Budget(capacity)
    }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) {
        table.move(entry, toNewestOf: 0)
    }
}
