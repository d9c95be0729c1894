import TrialModel

/// One client's walk through a trace: every *n*-th request, restarting from the beginning at the end.
@usableFromInline
// Sound although unchecked: the memory it points to never changes and lives as long as the workload, which the stream
// keeps.
struct TraceWalk: @unchecked Sendable {
    // Pointers, because reading an array may change its reference count, which all clients share.
    private let keys: UnsafePointer<UInt32>
    private let kinds: UnsafePointer<OperationKind>?
    private let count: Int
    private let stride: Int
    /// Whether the trace chooses the kind of operation.
    let followsKinds: Bool
    /// The next request, below `count`.
    private var place: Int

    /// Creates a walk for client number `client` of `clients`.
    ///
    /// - Parameters:
    ///   - operationsBefore: how many requests the previous phases have used up.
    ///   - followsKinds: whether the trace chooses the kind of operation.
    init(_ trace: TraceWorkload, operationsBefore: UInt64, client: UInt64, clients: UInt64, followsKinds: Bool) {
        keys = trace.keys
        kinds = trace.kinds
        count = trace.requestCount
        let requests = UInt64(trace.requestCount)
        // Each is below 2^27 after the division, so the sum cannot overflow.
        place = Int((operationsBefore % requests + client % requests) % requests)
        stride = Int(clients % requests)
        self.followsKinds = followsKinds
    }

    /// The next request: its key, and its kind if the trace has kinds. O(1).
    mutating func next() -> (key: UInt32, kind: OperationKind?) {
        let key = keys[place]
        let kind = followsKinds ? kinds?[place] ?? .load : nil
        place += stride
        if place >= count { place -= count }
        return (key, kind)
    }
}
