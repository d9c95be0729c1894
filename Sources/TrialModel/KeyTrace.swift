/// A recorded trace that says which keys are asked for, and in which order.
///
/// Its keys are numbered from 0 on as they first come. The clients of a phase share one walk: client *i* of *n* takes
/// every *n*-th request, so that a client alone replays the trace as it is. A phase takes up the trace behind the
/// operations of the phases before it, and where the trace ends it starts again from the beginning. A phase that ends
/// by the clock counts for nothing there: how far it gets is up to the strategy.
package struct KeyTrace: Codable, Hashable, Sendable {
    /// The file; absolute, so that every process finds it.
    package var path: String
    /// How it is written; `nil` to find out by name and content.
    package var format: KeyTraceFormat?
    /// How many requests are used, from the first on; `nil` for all.
    package var requestLimit: Int?
    /// How many requests there are to replay, once the trace was read.
    package var requestCount: Int
    /// How many times faster than it was recorded the trace is meant to be replayed; what it says of time is divided by it.
    package var speed: Double

    package init(
        path: String, format: KeyTraceFormat? = nil, requestLimit: Int? = nil, requestCount: Int = 0, speed: Double = 1
    ) {
        self.path = path
        self.format = format
        self.requestLimit = requestLimit
        self.requestCount = requestCount
        self.speed = speed
    }

    /// The most requests of a trace that a scenario may use; each takes 4 to 13 bytes of memory.
    package static let requestCountMax = 100_000_000
    /// The most different keys among them.
    package static let keyCountMax = 10_000_000
    /// What the sizes of a trace are moved into: the sizes that a payload may have.
    package static let sizeRange: ClosedRange<UInt32> = 64...256 << 20
}

/// The formats of traces by the names that a scenario gives them.
package enum KeyTraceFormat: String, Codable, Hashable, Sendable, CaseIterable {
    case arc, lirs, oracleGeneral, cache2k, csv, tsv, keys, twitter, msr
}

/// What is known of a trace once it was read.
package struct KeyTraceFacts: Hashable, Sendable {
    /// The smallest, the largest and the sum of the keys' sizes, in bytes.
    package struct Sizes: Hashable, Sendable {
        package var smallest: UInt64
        package var largest: UInt64
        package var total: UInt64

        package init(smallest: UInt64, largest: UInt64, total: UInt64) {
            self.smallest = smallest
            self.largest = largest
            self.total = total
        }
    }

    /// The requests that are used.
    package var requestCount: Int
    /// Different keys among them.
    package var keyCount: Int
    /// `nil` when the trace has no sizes.
    package var sizes: Sizes?
    /// Whether the trace says how long values live.
    package var hasLifetimes: Bool
    /// Whether the trace says when requests came.
    package var hasTimes: Bool

    package init(
        requestCount: Int, keyCount: Int, sizes: Sizes? = nil, hasLifetimes: Bool = false, hasTimes: Bool = false
    ) {
        self.requestCount = requestCount
        self.keyCount = keyCount
        self.sizes = sizes
        self.hasLifetimes = hasLifetimes
        self.hasTimes = hasTimes
    }
}
