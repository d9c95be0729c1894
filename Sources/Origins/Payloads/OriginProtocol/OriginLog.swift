package import TrialModel

/// An origin's counts of requests, for one phase or for all.
package struct OriginLog: Codable, Hashable, Sendable {
    /// Requests that arrived.
    package var requests: UInt64 = 0
    /// Requests that arrived while another one for the same key was in flight.
    package var duplicates: UInt64 = 0
    /// Requests that have arrived and have not ended.
    package var inFlight: UInt64 = 0
    /// Requests that ended in an error of the origin.
    package var failed: UInt64 = 0
    /// Requests whose caller went away before the answer: cancelled loads.
    package var abandoned: UInt64 = 0
    /// Requests that a fault of the scenario hit, with any outcome.
    package var faults: UInt64 = 0
    /// Answers that were ready more than a millisecond after they were due, because making the payload took longer than
    /// the scripted delay: where there are many, the effective delay is not the scenario's.
    package var late: UInt64 = 0
    /// The most requests in flight at once, for all keys together.
    package var maxConcurrent: UInt64 = 0
    /// The most requests in flight at once for one key.
    package var maxConcurrentPerKey: UInt64 = 0
    /// Requests that were counted, but did not fit into the list of entries.
    package var droppedEntries: UInt64 = 0
    /// Requests that have a slot; `nil` without slots.
    package var served: UInt64?
    /// Requests that wait for a slot; `nil` without slots.
    package var waiting: UInt64?
    /// Requests that were raised while they waited for a slot, since the trial was registered; `nil` without slots.
    package var raised: UInt64?
    /// Requests for the keys of each pool, in the order of the pools; `nil` without pools.
    package var pools: [PoolRequests]?

    /// Requests for the keys of one pool.
    package struct PoolRequests: Codable, Hashable, Sendable {
        /// Requests that arrived.
        package var requests: UInt64 = 0
        /// Requests that arrived while another one for the same key was in flight.
        package var duplicates: UInt64 = 0

        package init() {}
    }

    /// An empty log.
    ///
    /// - Parameter poolCount: how many pools are told apart; 0 for none.
    package init(poolCount: Int = 0) {
        if poolCount > 0 { pools = Array(repeating: PoolRequests(), count: poolCount) }
    }

    /// Adds another log: counts are summed, and the higher maximum is kept.
    package mutating func add(_ other: OriginLog) {
        requests += other.requests
        duplicates += other.duplicates
        inFlight += other.inFlight
        failed += other.failed
        abandoned += other.abandoned
        faults += other.faults
        late += other.late
        maxConcurrent = max(maxConcurrent, other.maxConcurrent)
        maxConcurrentPerKey = max(maxConcurrentPerKey, other.maxConcurrentPerKey)
        droppedEntries += other.droppedEntries
        for (index, pool) in (other.pools ?? []).enumerated() where index < pools?.count ?? 0 {
            pools?[index].requests += pool.requests
            pools?[index].duplicates += pool.duplicates
        }
    }
}

/// How a request ended. The numbers are HTTP status codes.
package enum RequestEnding: UInt16, Codable, Hashable, Sendable {
    /// With the payload.
    case answered = 200
    /// Its caller went away.
    case abandoned = 499
    /// With an error of the origin.
    case failed = 500
}

/// One request that has ended.
package struct OriginLogEntry: Codable, Hashable, Sendable {
    package var phase: UInt16
    package var ending: RequestEnding
    /// The fault that hit it.
    package var fault: OriginFaultKind?
    package var key: UInt64
    package var version: UInt64
    /// When the request arrived, in ``Nanoclock``.
    package var startNanoseconds: UInt64
    /// When its answer was passed on for sending, in ``Nanoclock``.
    package var endNanoseconds: UInt64
}
