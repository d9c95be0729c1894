/// How a ``SegmentedLRU`` divides its capacity.
@usableFromInline
package protocol SegmentShape {
    static var declaration: PolicyDeclaration { get }

    /// The limits of the segments above the lowest, upwards; together at most the capacity.
    static func upperLimits(of budget: Budget, _ settings: PolicySettings) -> [UInt64]
}

extension SegmentedLRU {
    @usableFromInline
    package static var declaration: PolicyDeclaration { Shape.declaration }
}

/// SLRU: a probationary segment and a protected one.
@usableFromInline
package typealias SLRU<Entry: TableEntry> = SegmentedLRU<Entry, ProtectedSegment>

/// SLRU for replays.
package typealias SLRUPolicy = SLRU<TraceEntry>

/// A protected segment above a probationary one.
@usableFromInline
package enum ProtectedSegment: SegmentShape {
    @usableFromInline static var share: PolicyParameter {
        PolicyParameter("protected", .share, 0...1, standard: 0.8, "the protected segment's share of the capacity")
    }

    @usableFromInline
    package static func upperLimits(of budget: Budget, _ settings: PolicySettings) -> [UInt64] {
        [min(budget.share(settings[share]), budget.limit)]
    }

    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "slru", summary: "a hit moves an object from the probationary LRU to the protected one",
            source: "Karedla, Love and Wherry, IEEE Computer 27(3), 1994",
            agreement: """
                libcachesim 0.3.5 with segments of 20 and 80 %, to the last miss at capacities of which both are whole. At others that simulator evicts on hits, because its segments are smaller than its capacity. With bytes it also refuses objects larger than its lowest segment: up to 0.2 points apart.
                """,
            advice: """
                A simple policy that scans hardly harm: only what was requested twice is protected. Objects that were popular once stay protected until others take their place.
                """,
            parameters: [share])
    }
}

/// S4LRU: four equal segments.
@usableFromInline
package typealias S4LRU<Entry: TableEntry> = SegmentedLRU<Entry, EqualSegments>

/// S4LRU for replays.
package typealias S4LRUPolicy = S4LRU<TraceEntry>

/// Segments of equal size, rounded down; the lowest has the rest as well.
@usableFromInline
package enum EqualSegments: SegmentShape {
    @usableFromInline static var number: PolicyParameter {
        PolicyParameter("segments", .count, 2...16, standard: 4, "the number of segments, all of the same size")
    }

    @usableFromInline
    package static func upperLimits(of budget: Budget, _ settings: PolicySettings) -> [UInt64] {
        let count = settings.count(number)
        return Array(repeating: budget.limit / UInt64(count), count: count - 1)
    }

    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "s4lru", summary: "four LRU segments; each hit moves an object one segment up",
            source: "Huang et al., SOSP 2013",
            agreement: """
                libcachesim 0.3.5, to the last miss at capacities that the segments divide. At others that simulator evicts on hits, because its segments are smaller than its capacity. With bytes it also refuses objects larger than its lowest segment: up to 0.8 points apart.
                """,
            advice: """
                Take it where popularity differs much, as in photo and CDN caches: an object has to be hit several times to reach the top, and falls step by step.
                """,
            parameters: [number])
    }
}
