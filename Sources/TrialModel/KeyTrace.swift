/// A recorded trace that decides which keys are requested, and in which order.
///
/// Its keys are numbered from 0 in the order of their first request. The clients of a phase share one walk: client *i*
/// of *n* takes every *n*-th request, so a single client replays the trace in its original order. A phase continues the
/// trace after the operations of the phases before it, and the trace restarts from the beginning when it ends. A phase
/// that ends by the clock does not advance this position, because its operation count depends on the strategy.
package struct KeyTrace: Codable, Hashable, Sendable {
    /// The absolute path of the file, so that every process finds it.
    package var path: String
    /// The file format; `nil` detects it by name and content.
    package var format: KeyTraceFormat?
    /// How many requests are used, counted from the first; `nil` for all.
    package var requestLimit: Int?
    /// How many requests there are to replay; known once the trace has been read.
    package var requestCount: Int
    /// How many times faster than recorded the trace is replayed: all times of the trace are divided by it.
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

    /// The maximum number of requests that a scenario may use of a trace; each takes 4 to 13 bytes of memory.
    package static let requestCountMax = 100_000_000
    /// The maximum number of distinct keys among them.
    package static let keyCountMax = 10_000_000
    /// The sizes that a payload may have; sizes of a trace are clamped to this range.
    package static let sizeRange: ClosedRange<UInt32> = 64...256 << 20
}

/// The formats of traces by the names that a scenario gives them.
package enum KeyTraceFormat: String, Codable, Hashable, Sendable, CaseIterable {
    case arc, lirs, oracleGeneral, cache2k, csv, tsv, keys, twitter, msr
}

/// Facts about a trace after it was read.
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
    /// The number of distinct keys among them.
    package var keyCount: Int
    /// `nil` when the trace has no sizes.
    package var sizes: Sizes?
    /// Whether the trace has lifetimes of values.
    package var hasLifetimes: Bool
    /// Whether the trace has arrival times of requests.
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
