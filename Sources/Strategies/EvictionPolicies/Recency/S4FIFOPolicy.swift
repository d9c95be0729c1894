/// S4-FIFO: S3-FIFO whose constants are parameters, with a window of new objects whose uses don't count, and ghosts
/// that may need several misses.
///
/// H. Xia et al.: Learning-Augmented Heuristics: Simple, yet Smart, Robust and Interpretable Cache Eviction, OSDI
/// 2026, as its authors' simulator (libCacheSim, September 2026) describes the heuristic. Without parameters it is the
/// S3-FIFO of that simulator: while the cache fills, new objects enter the main queue when the small one is full.
///
/// Left out: the model, trained on other traces, that chooses the parameters for a trace. Departures as in ``S3FIFO``:
/// the small queue has at least 1 entry, and admits any object that fits into the cache. The window is made of the
/// objects that are still in the small queue, which matters only after removals. On OLTP with 1,000 entries 59.14 %
/// miss (LRU 67.17 %, S3-FIFO 59.16 %).
///
/// Weights: as in ``S3FIFO``; the window too is in units of weight.
@usableFromInline
package typealias S4FIFO<Entry: TableEntry> = WindowedFIFO<S4FIFORules, Entry>

/// S4-FIFO for replays.
package typealias S4FIFOPolicy = S4FIFO<TraceEntry>

/// The parameters of ``S4FIFO``.
@usableFromInline
package enum S4FIFORules: WindowedFIFORules {
    @usableFromInline
    package static var small: PolicyParameter {
        PolicyParameter("small", .share, 0.001...0.9, standard: 0.1, "the small queue's share of the capacity")
    }

    @usableFromInline
    package static var ghosts: PolicyParameter {
        PolicyParameter("ghosts", .share, 0...3, standard: 0.9, "ghosts as a share of the capacity")
    }

    @usableFromInline
    package static var window: PolicyParameter {
        PolicyParameter("window", .share, 0...0.99, standard: 0, "the newest share of the small queue: no use counts")
    }

    @usableFromInline
    package static var uses: PolicyParameter {
        PolicyParameter("uses", .count, 1...15, standard: 2, "uses in the small queue that lead to the main queue")
    }

    @usableFromInline
    package static var retries: PolicyParameter {
        PolicyParameter("retries", .count, 0...15, standard: 0, "misses on a ghost that lead to the small queue again")
    }

    @inlinable
    package static var roundsMax: UInt8 { @inline(__always) get { 3 } }

    @inlinable
    package static var roundsWindowUp: Bool { false }

    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "s4-fifo", summary: "S3-FIFO with its constants as parameters, and a window where uses don't count",
            source: "Xia et al., OSDI 2026",
            agreement: """
                without parameters the S3-FIFO of libcachesim 0.3.5, to the last miss from 20 entries on; with them a \
                model of its authors' program
                """,
            advice: """
                Take it to tune S3-FIFO: its authors mean the window against bursts of uses, and retries against \
                loops. It keeps ghosts of 90 % of its entries. The trained model with which they choose the \
                parameters is not here.
                """,
            parameters: [small, ghosts, window, uses, retries])
    }
}
