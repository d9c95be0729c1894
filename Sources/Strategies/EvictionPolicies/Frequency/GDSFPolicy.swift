/// GDSF, Greedy-Dual Size-Frequency: evicts the object with the lowest sum of its uses divided by its weight, and of
/// the clock when it was last used; the clock is the sum of the object that was evicted last.
///
/// L. Cherkasova: Improving WWW Proxies Performance with Greedy-Dual-Size-Frequency Caching Policy, HP Laboratories,
/// HPL-98-69, 1998, with the same cost for all objects. As there, a new object is ranked before anything is evicted for
/// it, so it is not admitted when its own sum is the lowest. Uses are counted while an object is resident, from 1 at
/// its admission. Among equals, the one whose last use is longest ago is evicted. On OLTP with 1,000 entries 61.19 %
/// miss, as many as in libCacheSim (LRU 67.17 %).
///
/// Departure from the paper, as in libCacheSim: when a new object is not admitted, its sum becomes the clock, and
/// objects with lower sums were evicted before it; in the paper it evicts nothing.
///
/// Requests cost O(log n). Weights: sums contain them, so that small objects stay. Where entries are counted, all weigh
/// the same, and the policy is LFU with dynamic aging that may refuse new objects.
@usableFromInline
package struct GDSF<Entry: TableEntry>: AgingPolicy, ~Copyable {
    @usableFromInline
    package var table = EntryTable<RankedUses, Entry>(queueCount: 1)
    @usableFromInline
    package var heap = EntryHeap()
    @usableFromInline
    package var budget: Budget
    @usableFromInline
    package var age = 0.0
    @usableFromInline
    package var time: UInt64 = 0

    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings) { budget = Budget(capacity) }

    /// The cost of an object is a million, so that sums are rounded as libCacheSim's are: it decides which of them are
    /// equal.
    @inlinable
    @inline(__always)
    package func rank(uses: UInt32, charge: UInt64) -> Double { age + Double(uses) * 1e6 / Double(charge) }

    @inlinable
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt64, _ sink: inout Sink) -> Bool {
        time &+= 1
        let rank = rank(uses: 1, charge: charge)
        while !budget.fits(charge) {
            guard heap.lowest.rank <= rank else {
                age = rank
                // As if it had been inserted and evicted at once.
                sink.evicted(object)
                sink.forgotten(object)
                return false
            }
            evictNext(&sink)
        }
        budget.add(charge)
        let entry = table.add(object, charge: charge)
        table.linkAlone(entry)
        heap.insert(EntryHeap.Slot(entry, rank: rank, time: time), table.notes)
        return true
    }

    @inlinable
    package mutating func reweigh(_ entry: UInt32, charge: UInt64) {
        budget.exchange(table.charge(entry), for: charge)
        table.setCharge(entry, charge)
        heap.change(slot(entry), table.notes)
    }

    @inlinable
    @inline(__always)
    package mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) { evict(lowestRanked(), &sink) }

    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "gdsf", summary: "evicts what has the fewest uses for its size, with aging",
            source: "Cherkasova, HP Laboratories, HPL-98-69, 1998",
            agreement: "libcachesim 0.3.5, to the last miss, with equal sizes and with bytes",
            advice: """
                Take it where objects differ much in size and the share of hits matters more than the share of bytes: it keeps many small objects instead of few large ones. A hit costs O(log n) in a heap, with 24 bytes an entry; new objects may be refused.
                """)
    }
}

/// GDSF for replays.
package typealias GDSFPolicy = GDSF<TraceEntry>
