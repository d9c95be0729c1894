/// What a request asks of the cache.
package enum TraceOperation: UInt8, Sendable, Hashable, CaseIterable {
    /// Looks the key up, and fetches it on a miss.
    case read
    /// Stores a value.
    case write
    /// Takes the key out.
    case remove
}

/// The parts of a request that a trace may hold; the key is always there.
package struct TraceColumns: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// When the request came.
    package static let time = TraceColumns(rawValue: 1)
    /// The bytes of the value.
    package static let size = TraceColumns(rawValue: 2)
    /// Read, write or remove.
    package static let operation = TraceColumns(rawValue: 4)
    /// How long the value may be kept.
    package static let lifetime = TraceColumns(rawValue: 8)
    /// Which request asks for the key next.
    package static let nextAccess = TraceColumns(rawValue: 16)
    /// Nothing but the key, which is the fastest to read.
    package static let keyOnly: TraceColumns = []
    /// Whatever the trace holds.
    package static let all: TraceColumns = [.time, .size, .operation, .lifetime, .nextAccess]
}

/// One request of a trace, with a default for each part that the trace does not hold.
package struct TraceRequest: Sendable, Hashable {
    /// The number in the trace, or the number given to a text key; see ``TraceTextKeys``.
    package var key: UInt64
    /// Since the trace's own zero; `nil` when the trace has no times.
    package var timeNanoseconds: UInt64?
    /// Bytes of the value; 1 when the trace has no sizes.
    package var size: UInt32
    /// What is asked; a read when the trace does not say.
    package var operation: TraceOperation
    /// `nil` when the value may be kept for ever.
    package var lifetimeSeconds: UInt32?
    /// As the file has it: the number of the next request for this key, counted from 1, or -1. Nothing vouches for it.
    package var nextAccess: Int64?

    /// A request; what is left out is what a trace without that column has.
    package init(
        key: UInt64, timeNanoseconds: UInt64? = nil, size: UInt32 = 1, operation: TraceOperation = .read,
        lifetimeSeconds: UInt32? = nil, nextAccess: Int64? = nil
    ) {
        self.key = key
        self.timeNanoseconds = timeNanoseconds
        self.size = size
        self.operation = operation
        self.lifetimeSeconds = lifetimeSeconds
        self.nextAccess = nextAccess
    }
}
