import EvictionPolicies

/// A request that miniature caches replay.
struct MiniatureRequest {
    enum Kind {
        /// Counts as hit or miss, and fills after a miss.
        case lookup
        /// Counts as hit or miss, and does not fill.
        case miss
        /// Fills where the key is missing.
        case fill
        /// Replaces the value.
        case insert
    }

    var hash: UInt64
    var cost: Int
    var kind: Kind
}

/// A cache that holds hashes of keys in place of values, and as much less than a real one as its sample has fewer keys: for
/// the sampled keys it hits about as often (C. Waldspurger, T. Saemundsson, I. Ahmad, N. Park: Cache Modeling and
/// Optimization using Miniature Simulations, USENIX ATC 2017).
///
/// Not for concurrent use.
class MiniatureCache {
    /// The entries that are held.
    var count: Int { 0 }
    /// The sum of their costs.
    var cost: Int { 0 }

    /// Replays requests, and counts the misses of each group of keys. O(requests).
    func replay(_ requests: [MiniatureRequest], misses: inout [UInt32], at offset: Int) {}

    /// Keeps only keys up to a hash, in a smaller cache. Entries keep the order in which they would have been evicted; what
    /// the policy knew besides is lost. O(entries).
    func shrink(entryLimit: Int?, costLimit: Int?, lastHash: UInt64) {}
}

/// A miniature cache with a policy; compiled for each, so that a request costs some 50 ns.
final class Miniature<Policy: LivePolicy & ~Copyable>: MiniatureCache {
    /// In place of a value.
    private struct Nothing: Sendable {}

    private var store: PolicyStore<UInt64, Nothing, Policy>

    init(entryLimit: Int?, costLimit: Int?) { store = PolicyStore(entryLimit: entryLimit, costLimit: costLimit) }

    override var count: Int { store.count }
    override var cost: Int { store.totalCost.clamped }

    override func replay(_ requests: [MiniatureRequest], misses: inout [UInt32], at offset: Int) {
        for request in requests {
            let (hash, tag) = (request.hash, UInt32(truncatingIfNeeded: request.hash))
            switch request.kind {
            case .lookup, .miss:
                if store.value(forKey: hash, tag: tag) != nil { continue }
                misses[offset &+ MeterCounts.group(hash)] &+= 1
                if request.kind == .lookup { insert(hash, tag, request.cost) }
            case .fill: if !holds(hash, tag) { insert(hash, tag, request.cost) }
            case .insert: insert(hash, tag, request.cost)
            }
        }
    }

    @inline(__always)
    private func insert(_ hash: UInt64, _ tag: UInt32, _ cost: Int) {
        var dropped = PolicyStore<UInt64, Nothing, Policy>.Dropped()
        store.insert(Nothing(), forKey: hash, tag: tag, cost: cost, dropping: &dropped)
    }

    private func holds(_ hash: UInt64, _ tag: UInt32) -> Bool {
        let node = store.entries.node(of: hash, tag: tag)
        return node != 0 && store.entries.slot(of: node).pointee.state == .held
    }

    override func shrink(entryLimit: Int?, costLimit: Int?, lastHash: UInt64) {
        var entries: [(hash: UInt64, cost: Int)] = []
        var dropped = PolicyStore<UInt64, Nothing, Policy>.Dropped()
        while store.count > 0 {
            var departures = Departures()
            store.policy.giveBackNext(&departures)
            for node in [departures.evicted] + departures.alsoEvicted where node != 0 {
                let slot = store.entries.slot(of: node).pointee
                if slot.key <= lastHash { entries.append((slot.key, slot.cost)) }
            }
            store.entries.apply(departures, &dropped)
        }
        store = PolicyStore(entryLimit: entryLimit, costLimit: costLimit)
        for entry in entries { insert(entry.hash, UInt32(truncatingIfNeeded: entry.hash), entry.cost) }
    }
}

/// A policy that a meter tries.
struct MiniaturePolicy: Sendable {
    let name: String
    let make: @Sendable (_ entryLimit: Int?, _ costLimit: Int?) -> MiniatureCache

    /// From the simplest on. SIEVE and W-TinyLFU are no candidates: their miniatures differ from the real caches by up to 6
    /// and 8 pp on the public trace OLTP.
    static let all = [
        MiniaturePolicy(name: "fifo") { Miniature<LiveFIFO>(entryLimit: $0, costLimit: $1) },
        MiniaturePolicy(name: "lru") { Miniature<LiveLRU>(entryLimit: $0, costLimit: $1) },
        MiniaturePolicy(name: "s3-fifo") { Miniature<LiveS3FIFO>(entryLimit: $0, costLimit: $1) },
        MiniaturePolicy(name: "arc") { Miniature<LiveARC>(entryLimit: $0, costLimit: $1) },
        MiniaturePolicy(name: "lirs") { Miniature<LiveLIRS>(entryLimit: $0, costLimit: $1) },
    ]
}
