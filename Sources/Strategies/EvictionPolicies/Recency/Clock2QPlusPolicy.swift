/// Clock2Q+: S3-FIFO with one mark instead of counts, and a correlation window: in the newest half of the small queue
/// uses don't set the mark.
///
/// Y. Zhai et al.: Clock2Q+: A Simple and Efficient Replacement Algorithm for Metadata Cache in VMware vSAN, VLDB
/// 2026, arXiv 2511.21958. The variant of the simulator that its authors used (libCacheSim): the small queue has 10 %
/// of the capacity, the ghosts 90 % (other implementations: 50 %), and the window half of the small queue, rounded up.
/// While the cache fills, new objects enter the main queue when the small one is full.
///
/// Departures as in ``S3FIFO``: the small queue has at least 1 entry, and admits any object that fits into the cache.
/// The window is made of the objects that are still in the small queue, which matters only after removals. On OLTP
/// with 1,000 entries 59.82 % miss, as many as in libcachesim 0.3.5 (LRU 67.17 %, S3-FIFO 59.16 %).
///
/// Weights: as in ``S3FIFO``; the window too is in units of weight (in libCacheSim it compares objects with bytes).
@usableFromInline
package typealias Clock2QPlus<Entry: TableEntry> = WindowedFIFO<Clock2QPlusRules, Entry>

/// Clock2Q+ for replays.
package typealias Clock2QPlusPolicy = Clock2QPlus<TraceEntry>

/// The parameters of ``Clock2QPlus``.
@usableFromInline
package enum Clock2QPlusRules: WindowedFIFORules {
    @usableFromInline
    package static var small: PolicyParameter { S4FIFORules.small }

    @usableFromInline
    package static var ghosts: PolicyParameter { S4FIFORules.ghosts }

    @usableFromInline
    package static var window: PolicyParameter {
        PolicyParameter("window", .share, 0...1, standard: 0.5, "the newest share of the small queue: no use counts")
    }

    @usableFromInline
    package static var uses: PolicyParameter {
        PolicyParameter("uses", .count, 1...15, standard: 1, "uses in the small queue that lead to the main queue")
    }

    /// Not declared: always 0.
    @usableFromInline
    package static var retries: PolicyParameter { S4FIFORules.retries }

    @inlinable
    package static var roundsMax: UInt8 { @inline(__always) get { 1 } }

    @inlinable
    package static var roundsWindowUp: Bool { true }

    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "clock2q-plus", summary: "S3-FIFO with one mark, which uses soon after the admission don't set",
            source: "Zhai et al., VLDB 2026",
            agreement: "libcachesim 0.3.5, to the last miss from 20 entries on",
            advice: """
                Take it where an object is often used several times right after it was loaded, such as metadata of \
                storage. A hit only sets a mark. It keeps ghosts of 90 % of its entries.
                """,
            parameters: [small, ghosts, window, uses])
    }
}
