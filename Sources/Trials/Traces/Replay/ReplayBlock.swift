import EvictionPolicies

/// Some requests of a trace, numbered, as policies receive them.
struct ReplayBlock: Sendable {
    /// The number of each request's key.
    var ids: [UInt32] = []
    /// The size of each request; empty when all have the same size.
    var sizes: [UInt64] = []
    /// The size of all requests when ``sizes`` is empty.
    var uniformSize: UInt64 = 1
    /// Whether each request removes its key; empty when none does.
    var removals: [Bool] = []
    /// Whether each request replaces the size of its object; empty when none does.
    var replacements: [Bool] = []
    /// The time of each request in nanoseconds; empty unless requested.
    var times: [UInt64] = []
    /// From when on the value of each request is too old, in nanoseconds, and the largest number where it stays right; empty
    /// unless entries expire.
    var deadlines: [UInt64] = []
    /// Whether each request writes; empty when none does, and unless entries expire.
    var writes: [Bool] = []
    /// What a miss of each request costs; empty when the trace does not say it.
    var costs: [UInt32] = []
    /// A word that identifies each new key, in the order of their numbers; empty unless requested.
    var newKeys: [UInt64] = []
    /// The requests as the trace has them; empty unless they are written again.
    var record = TraceBlock()

    var removalCount: Int { removals.count { $0 } }
    var lookupCount: Int { ids.count - removalCount }

    /// Calls `body` with the key of each request that is not a removal.
    @inline(__always)
    func forEachLookup(_ body: (UInt32) -> Void) {
        if removals.isEmpty {
            for id in ids { body(id) }
        } else {
            for (id, isRemoval) in zip(ids, removals) where !isRemoval { body(id) }
        }
    }

    /// The size of a request.
    func size(_ index: Int) -> UInt64 { sizes.isEmpty ? uniformSize : sizes[index] }

    /// The size of each request, or the only one.
    var weights: [UInt64] { sizes.isEmpty ? [uniformSize] : sizes }

    /// The requests as a policy receives them.
    var requests: PolicyRequests {
        var requests = PolicyRequests(ids, weights: weights)
        (requests.removals, requests.replacements) = (removals, replacements)
        if !deadlines.isEmpty {
            requests.lifetimes = PolicyLifetimes(times: times, deadlines: deadlines, writes: writes)
        }
        return requests
    }
}

/// The counts of a policy so far.
package struct ReplayCounts: Sendable, Hashable {
    package var requests: UInt64 = 0
    package var hits: UInt64 = 0
    /// The lookups of an entry whose lifetime was over; `nil` where entries don't expire.
    package var expirations: UInt64?
    package var bytesRequested: UInt64 = 0
    package var bytesHit: UInt64 = 0
    /// The costs of all requests, and of the hits; 0 when the trace does not say them.
    package var costRequested: UInt64 = 0
    package var costHit: UInt64 = 0

    package var misses: UInt64 { requests - min(hits, requests) }
    /// From 0 to 1; `nil` without requests.
    package var hitRatio: Double? { requests == 0 ? nil : Double(hits) / Double(requests) }
    package var byteHitRatio: Double? { bytesRequested == 0 ? nil : Double(bytesHit) / Double(bytesRequested) }

    /// Adds the requests of a block, of which some hit. Removals are not requests, and are not counted.
    mutating func add(_ block: ReplayBlock, hits hitsOfBlock: Int, _ isHit: [Bool]) {
        let requestsOfBlock = UInt64(block.lookupCount)
        requests &+= requestsOfBlock
        hits &+= UInt64(hitsOfBlock)
        if block.sizes.isEmpty {
            bytesRequested &+= requestsOfBlock &* block.uniformSize
            bytesHit &+= UInt64(hitsOfBlock) &* block.uniformSize
        } else {
            Self.add(block.sizes, block.removals, isHit, &bytesRequested, &bytesHit)
        }
        if !block.costs.isEmpty { Self.add(block.costs, block.removals, isHit, &costRequested, &costHit) }
    }

    /// Adds an amount of each request that is not a removal, and those of the hits.
    private static func add<Amount: FixedWidthInteger>(
        _ amounts: [Amount], _ removals: [Bool], _ isHit: [Bool], _ all: inout UInt64, _ ofHits: inout UInt64
    ) {
        for (amount, isHit) in zip(amounts, isHit) {
            all &+= UInt64(amount)
            ofHits &+= isHit ? UInt64(amount) : 0
        }
        for (amount, isRemoval) in zip(amounts, removals) where isRemoval { all &-= UInt64(amount) }
    }
}
