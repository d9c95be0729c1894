/// Some requests of a trace, numbered, as policies receive them.
struct ReplayBlock: Sendable {
    /// The number of each request's key.
    var ids: [UInt32] = []
    /// The size of each request; empty when all have the same size.
    var sizes: [UInt32] = []
    /// The size of all requests when ``sizes`` is empty.
    var uniformSize: UInt32 = 1
    /// The operation of each request; empty when no request removes a key.
    var operations: [TraceOperation] = []
    /// What a miss of each request costs; empty when the trace does not say it.
    var costs: [UInt32] = []
    /// A word that identifies each new key, in the order of their numbers; empty unless requested.
    var newKeys: [UInt64] = []

    var removalCount: Int { operations.count { $0 == .remove } }
    var lookupCount: Int { ids.count - removalCount }

    /// Calls `body` with the key of each request that is not a removal.
    @inline(__always)
    func forEachLookup(_ body: (UInt32) -> Void) {
        if operations.isEmpty {
            for id in ids { body(id) }
        } else {
            for (id, operation) in zip(ids, operations) where operation != .remove { body(id) }
        }
    }
}

/// The counts of a policy so far.
package struct ReplayCounts: Sendable, Hashable {
    package var requests: UInt64 = 0
    package var hits: UInt64 = 0
    package var bytesRequested: UInt64 = 0
    package var bytesHit: UInt64 = 0
    /// The costs of all requests, and of the hits; 0 when the trace does not say them.
    package var costRequested: UInt64 = 0
    package var costHit: UInt64 = 0

    package var misses: UInt64 { requests - min(hits, requests) }
    /// From 0 to 1; `nil` without requests.
    package var hitRatio: Double? { requests == 0 ? nil : Double(hits) / Double(requests) }
    package var byteHitRatio: Double? { bytesRequested == 0 ? nil : Double(bytesHit) / Double(bytesRequested) }
}
