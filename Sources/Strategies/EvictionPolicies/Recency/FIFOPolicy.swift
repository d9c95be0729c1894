/// FIFO: the object that was admitted first is evicted first, independent of its uses.
///
/// L. A. Belady: A Study of Replacement Algorithms for a Virtual-Storage Computer, IBM Systems Journal 5(2), 1966.
/// Exact.
///
/// Weights: the oldest objects are evicted until the new one fits. A resident object that gets another weight keeps
/// its place.
@usableFromInline
package struct FIFO<Entry: TableEntry>: ExchangePolicy, ~Copyable {
    /// Queue 0 holds all objects in order of admission, the last one newest.
    @usableFromInline
    package var table = EntryTable<NoNote, Entry>(queueCount: 1)
    @usableFromInline
    package var budget: Budget

    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings) { budget = Budget(capacity) }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) {}

    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "fifo", summary: "first in, first out; a hit changes nothing",
            source: "Belady, IBM Systems Journal 5(2), 1966",
            agreement: "libcachesim 0.3.5 and the Caffeine simulator, to the last miss",
            advice: """
                Take it where hits must not write anything and some more misses are fine. Popular objects are evicted as soon as others.
                """)
    }
}

/// FIFO for replays.
package typealias FIFOPolicy = FIFO<TraceEntry>
