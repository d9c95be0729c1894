/// Consecutive requests of a trace, with an array for each column.
///
/// A loop over a column is a loop over an array: there is no call for each request. Every column in ``columns`` has
/// ``count`` elements; the others are empty.
package struct TraceBlock: Sendable {
    /// The columns that are filled, in addition to the keys.
    package internal(set) var columns: TraceColumns = []
    /// The numbers in the trace, or the numbers given to text keys.
    package internal(set) var keys: [UInt64] = []
    /// Nanoseconds since the trace's own zero.
    package internal(set) var timesNanoseconds: [UInt64] = []
    /// The size of each value in bytes.
    package internal(set) var sizes: [UInt64] = []
    /// The kind of each request.
    package internal(set) var operations: [TraceOperation] = []
    /// In seconds; 0 where the value may be kept for ever.
    package internal(set) var lifetimesSeconds: [UInt32] = []
    /// The numbers of the next requests for the same key, counted from 1, or -1, as the file has them.
    package internal(set) var nextAccesses: [Int64] = []
    /// What a miss costs, in a unit of the trace's own.
    package internal(set) var costs: [UInt32] = []

    /// An empty block, for ``TraceReader/read(into:)`` to fill. Use one block for a whole trace, so that its memory
    /// is reused.
    package init() {}

    /// The number of requests in this block.
    package var count: Int { keys.count }

    /// One request, for code that need not be fast.
    package subscript(index: Int) -> TraceRequest { request(index, key: keys[index]) }

    /// One request, whose key need not be in the block.
    func request(_ index: Int, key: UInt64) -> TraceRequest {
        var request = TraceRequest(key: key)
        if columns.contains(.time) { request.timeNanoseconds = timesNanoseconds[index] }
        if columns.contains(.size) { request.size = sizes[index] }
        if columns.contains(.operation) { request.operation = operations[index] }
        if columns.contains(.lifetime), lifetimesSeconds[index] != 0 {
            request.lifetimeSeconds = lifetimesSeconds[index]
        }
        if columns.contains(.nextAccess) { request.nextAccess = nextAccesses[index] }
        if columns.contains(.cost) { request.cost = costs[index] }
        return request
    }

    /// Appends the columns of another block, without its keys.
    mutating func appendColumns(of block: borrowing TraceBlock) {
        timesNanoseconds += block.timesNanoseconds
        sizes += block.sizes
        operations += block.operations
        lifetimesSeconds += block.lifetimesSeconds
        nextAccesses += block.nextAccesses
        costs += block.costs
    }

    /// Appends all columns of a request except its key.
    @inline(__always)
    mutating func appendColumns(of request: TraceRequest) {
        if columns.contains(.time) { timesNanoseconds.append(request.timeNanoseconds ?? 0) }
        if columns.contains(.size) { sizes.append(request.size) }
        if columns.contains(.operation) { operations.append(request.operation) }
        if columns.contains(.lifetime) { lifetimesSeconds.append(request.lifetimeSeconds ?? 0) }
        if columns.contains(.nextAccess) { nextAccesses.append(request.nextAccess ?? -1) }
        if columns.contains(.cost) { costs.append(request.cost) }
    }

    mutating func removeAll(columns: TraceColumns) {
        self.columns = columns
        keys.removeAll(keepingCapacity: true)
        timesNanoseconds.removeAll(keepingCapacity: true)
        sizes.removeAll(keepingCapacity: true)
        operations.removeAll(keepingCapacity: true)
        lifetimesSeconds.removeAll(keepingCapacity: true)
        nextAccesses.removeAll(keepingCapacity: true)
        costs.removeAll(keepingCapacity: true)
    }
}
