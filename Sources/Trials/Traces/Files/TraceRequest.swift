/// The kind of a request.
package enum TraceOperation: UInt8, Sendable, Hashable, CaseIterable {
    /// Looks up the key, and fetches it on a miss.
    case read
    /// Stores a value.
    case write
    /// Removes the key.
    case remove
}

/// The parts of a request that a trace may have, in addition to the key.
package struct TraceColumns: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// When the request arrived.
    package static let time = TraceColumns(rawValue: 1)
    /// The size of the value in bytes.
    package static let size = TraceColumns(rawValue: 2)
    /// Read, write or remove.
    package static let operation = TraceColumns(rawValue: 4)
    /// How long the value may be kept.
    package static let lifetime = TraceColumns(rawValue: 8)
    /// The number of the next request for the key.
    package static let nextAccess = TraceColumns(rawValue: 16)
    /// What a miss costs.
    package static let cost = TraceColumns(rawValue: 32)
    /// Only the key, which is the fastest to read.
    package static let keyOnly: TraceColumns = []
    /// All columns that the trace has.
    package static let all: TraceColumns = [.time, .size, .operation, .lifetime, .nextAccess, .cost]
}

/// One request of a trace, with a default for each column that the trace does not have.
package struct TraceRequest: Sendable, Hashable {
    /// The number in the trace, or the number given to a text key: 0 for the first, 1 for the next new one.
    package var key: UInt64
    /// Nanoseconds since the trace's own zero; `nil` when the trace has no times.
    package var timeNanoseconds: UInt64?
    /// The size of the value in bytes, at most ``sizeMax``; 1 when the trace has no sizes.
    package var size: UInt64
    /// The kind of the request; a read when the trace has no operations.
    package var operation: TraceOperation
    /// The lifetime in seconds; `nil` when the value may be kept for ever.
    package var lifetimeSeconds: UInt32?
    /// The number of the next request for this key as the file has it, counted from 1, or -1. It is not checked.
    package var nextAccess: Int64?
    /// What it costs to fetch the value, in a unit of the trace's own, such as microseconds; 1 when the trace has no costs.
    package var cost: UInt32

    /// The largest size of a value, and of all values that are requested together.
    package static let sizeMax = UInt64(Int64.max)

    /// A request; the defaults are those of a trace without the column.
    package init(
        key: UInt64, timeNanoseconds: UInt64? = nil, size: UInt64 = 1, operation: TraceOperation = .read,
        lifetimeSeconds: UInt32? = nil, nextAccess: Int64? = nil, cost: UInt32 = 1
    ) {
        self.key = key
        self.timeNanoseconds = timeNanoseconds
        self.size = size
        self.operation = operation
        self.lifetimeSeconds = lifetimeSeconds
        self.nextAccess = nextAccess
        self.cost = cost
    }
}
