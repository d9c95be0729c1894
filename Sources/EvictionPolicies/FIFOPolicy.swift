/// FIFO: the object that was admitted first goes first, whatever its uses.
///
/// L. A. Belady: A Study of Replacement Algorithms for a Virtual-Storage Computer, IBM Systems Journal 5(2), 1966.
/// Exact.
///
/// Weights: the oldest go until the new object fits. A resident object that takes on another weight keeps its place.
@usableFromInline
package struct FIFO<Entry: TableEntry>: OneQueuePolicy, ~Copyable {
    /// Queue 0 holds all objects, the last admitted newest.
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
    package mutating func use(_ entry: UInt32) {}
}

/// FIFO for replays.
package typealias FIFOPolicy = FIFO<TraceEntry>
