/// Keys that belong together, such as those of one tenant, with a popularity, values and rows of their own.
///
/// The pools of a scenario lie one behind the other and share no key.
package struct KeyPool: Codable, Hashable, Sendable {
    /// The pool's name, unique in its scenario and not `all`; stands in its rows.
    package var name: String
    /// The number of its first key.
    package var first: Int
    /// How many keys it has.
    package var count: Int
    /// How often each of its keys is asked for.
    package var popularity: Popularity
    /// How its popular keys change while a phase runs, by the operations on the pool; `nil` means never.
    package var shift: PopularityShift?
    /// How many operations it gets, relative to the other pools, unless a phase says otherwise.
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

    /// The most pools of a scenario; they are told apart in a byte.
    package static let countMax = 16
}

/// What a phase asks of a pool.
package struct PoolUse: Codable, Hashable, Sendable {
    /// Which pool: an index of the scenario's.
    package var pool: Int
    /// How many operations it gets, relative to the phase's other pools; above zero.
    package var weight: Double
    /// How often each operation is sent to it, relative to the others.
    package var mix: OperationMix

    package init(pool: Int, weight: Double, mix: OperationMix) {
        self.pool = pool
        self.weight = weight
        self.mix = mix
    }
}

extension OperationMix {
    /// What the mixes of a phase's pools come to: the share of each kind among all operations.
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

/// What a pool says of its values.
package struct PooledValues: Codable, Hashable, Sendable {
    /// The number of the pool's first key; it ends where the next one begins.
    package var first: UInt64
    /// How many keys the pool has.
    package var count: UInt64
    /// The size of a value in bytes, once decoded.
    package var size: Distribution
    /// How long its entries live, in nanoseconds; `nil` means as long as those of all values.
    package var timeToLive: UInt64?

    package init(first: UInt64, count: UInt64, size: Distribution, timeToLive: UInt64? = nil) {
        self.first = first
        self.count = count
        self.size = size
        self.timeToLive = timeToLive
    }
}

extension [PooledValues] {
    /// The index of the pool that a key belongs to: the last one that begins at it or before. O(pools).
    package func index(ofKey key: UInt64) -> Int? {
        lastIndex { $0.first <= key }
    }
}
