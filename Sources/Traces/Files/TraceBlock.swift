/// A stretch of a trace, a column an array.
///
/// A loop over a column is a loop over an array: nothing is called for each request. Every column that
/// ``columns`` names has ``count`` elements, and the others are empty.
package struct TraceBlock: Sendable {
    /// The columns that are filled, beside the keys.
    package internal(set) var columns: TraceColumns = []
    /// Numbers of the trace, or numbers given to text keys.
    package internal(set) var keys: [UInt64] = []
    /// Since the trace's own zero.
    package internal(set) var timesNanoseconds: [UInt64] = []
    /// Bytes of each value.
    package internal(set) var sizes: [UInt32] = []
    /// What is asked.
    package internal(set) var operations: [TraceOperation] = []
    /// 0 where the value may be kept for ever.
    package internal(set) var lifetimesSeconds: [UInt32] = []
    /// Numbers of requests, counted from 1, or -1, as the file has them.
    package internal(set) var nextAccesses: [Int64] = []

    /// An empty block, for ``TraceReader/read(into:)`` to fill. Use one for a whole trace: its memory is kept.
    package init() {}

    /// A block of given requests, for the writers.
    ///
    /// - Parameter columns: the columns to take from the requests.
    /// - Complexity: O(requests).
    package init(_ requests: some Sequence<TraceRequest>, columns: TraceColumns) {
        self.columns = columns
        for request in requests { append(request) }
    }

    /// Requests in this block.
    package var count: Int { keys.count }

    /// One request, for code that is not in a hurry.
    package subscript(index: Int) -> TraceRequest {
        TraceRequest(
            key: keys[index],
            timeNanoseconds: columns.contains(.time) ? timesNanoseconds[index] : nil,
            size: columns.contains(.size) ? sizes[index] : 1,
            operation: columns.contains(.operation) ? operations[index] : .read,
            lifetimeSeconds: columns.contains(.lifetime) && lifetimesSeconds[index] != 0
                ? lifetimesSeconds[index] : nil,
            nextAccess: columns.contains(.nextAccess) ? nextAccesses[index] : nil)
    }

    mutating func append(_ request: TraceRequest) {
        keys.append(request.key)
        appendColumns(of: request)
    }

    /// Appends all of a request but its key.
    @inline(__always)
    mutating func appendColumns(of request: TraceRequest) {
        if columns.contains(.time) { timesNanoseconds.append(request.timeNanoseconds ?? 0) }
        if columns.contains(.size) { sizes.append(request.size) }
        if columns.contains(.operation) { operations.append(request.operation) }
        if columns.contains(.lifetime) { lifetimesSeconds.append(request.lifetimeSeconds ?? 0) }
        if columns.contains(.nextAccess) { nextAccesses.append(request.nextAccess ?? -1) }
    }

    mutating func removeAll(columns: TraceColumns) {
        self.columns = columns
        keys.removeAll(keepingCapacity: true)
        timesNanoseconds.removeAll(keepingCapacity: true)
        sizes.removeAll(keepingCapacity: true)
        operations.removeAll(keepingCapacity: true)
        lifetimesSeconds.removeAll(keepingCapacity: true)
        nextAccesses.removeAll(keepingCapacity: true)
    }
}
