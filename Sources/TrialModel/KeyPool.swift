/// A group of keys, such as those of one tenant, with its own popularity, values and result rows.
///
/// The pools of a scenario are consecutive key ranges and do not overlap.
package struct KeyPool: Codable, Hashable, Sendable {
    /// The pool's name, unique in its scenario and not `all`; result rows show it.
    package var name: String
    /// The number of its first key.
    package var first: Int
    /// How many keys the pool has.
    package var count: Int
    /// How often each key of the pool is requested.
    package var popularity: Popularity
    /// How the popular keys change while a phase runs, counted in operations on the pool; `nil` means never.
    package var shift: PopularityShift?
    /// How many operations the pool gets, relative to the other pools, unless a phase sets another weight.
    package var weight: Double

    package init(
        name: String, first: Int, count: Int, popularity: Popularity = .uniform, shift: PopularityShift? = nil,
        weight: Double = 1
    ) {
        self.name = name
        self.first = first
        self.count = count
        self.popularity = popularity
        self.shift = shift
        self.weight = weight
    }

    /// The maximum number of pools of a scenario; a pool's index is stored in one byte.
    package static let countMax = 16
}

/// How a phase uses a pool.
package struct PoolUse: Codable, Hashable, Sendable {
    /// The index of the pool in the scenario.
    package var pool: Int
    /// How many operations the pool gets, relative to the phase's other pools; above zero.
    package var weight: Double
    /// How often each operation is sent to the pool, relative to the others.
    package var mix: OperationMix

    package init(pool: Int, weight: Double, mix: OperationMix) {
        self.pool = pool
        self.weight = weight
        self.mix = mix
    }
}

extension OperationMix {
    /// Combines the mixes of a phase's pools into the share of each kind among all operations.
    package init(of pools: [PoolUse]) {
        self.init([:])
        let weightOfPools = pools.reduce(0) { $0 + $1.weight }
        for use in pools {
            let total = use.mix.weights.values.reduce(0, +)
            for (kind, weight) in use.mix.weights {
                weights[kind, default: 0] += use.weight / weightOfPools * weight / total
            }
        }
    }
}

/// The properties of a pool's values.
package struct PooledValues: Codable, Hashable, Sendable {
    /// The number of the pool's first key; the pool ends where the next one begins.
    package var first: UInt64
    /// How many keys the pool has.
    package var count: UInt64
    /// The size of a value in bytes, once decoded.
    package var size: Distribution
    /// The lifetime of the pool's entries, in nanoseconds; `nil` means the scenario's common lifetime.
    package var timeToLive: UInt64?

    package init(first: UInt64, count: UInt64, size: Distribution, timeToLive: UInt64? = nil) {
        self.first = first
        self.count = count
        self.size = size
        self.timeToLive = timeToLive
    }
}

extension [PooledValues] {
    /// The index of the pool that a key belongs to: the last pool whose first key is not above it. O(pools).
    package func index(ofKey key: UInt64) -> Int? {
        lastIndex { $0.first <= key }
    }
}
