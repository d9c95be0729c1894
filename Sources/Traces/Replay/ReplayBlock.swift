/// Some requests of a trace, numbered, as policies get to see them. The pointers are valid during one call only.
struct ReplayBlock: @unchecked Sendable {
    // Sound although unchecked: the buffers are only read, by workers that have ended before the buffers change.
    typealias Operation = TraceOperation

    /// The number of each request's key.
    let ids: UnsafeBufferPointer<UInt32>
    /// The size of each request; empty when all are of one size.
    let sizes: UnsafeBufferPointer<UInt32>
    /// The size of all requests when ``sizes`` is empty.
    let uniformSize: UInt32
    /// Empty when no request removes anything.
    let operations: UnsafeBufferPointer<TraceOperation>
    /// What stands for each key that comes for the first time, in the order of their numbers; empty unless asked for.
    var newKeys = UnsafeBufferPointer<UInt64>(start: nil, count: 0)

    /// Calls `body` with the key of each request that removes nothing.
    @inline(__always)
    func forEachLookup(_ body: (UInt32) -> Void) {
        if operations.isEmpty {
            for id in ids { body(id) }
        } else {
            for (id, operation) in zip(ids, operations) where operation != .remove { body(id) }
        }
    }
}

/// What a policy did with the requests so far.
package struct ReplayCounts: Sendable, Hashable {
    package var requests: UInt64 = 0
    package var hits: UInt64 = 0
    package var bytesRequested: UInt64 = 0
    package var bytesHit: UInt64 = 0

    package var misses: UInt64 { requests - min(hits, requests) }
    /// From 0 to 1; `nil` without requests.
    package var hitRatio: Double? { requests == 0 ? nil : Double(hits) / Double(requests) }
    package var byteHitRatio: Double? { bytesRequested == 0 ? nil : Double(bytesHit) / Double(bytesRequested) }
}
