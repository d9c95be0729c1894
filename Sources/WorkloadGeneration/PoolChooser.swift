import TrialModel

/// Chooses the pool of each operation of one client, and the key and kind within the pool.
///
/// Each pool has its own random sources, so the weight and mix of one pool affect neither the operations of another
/// pool nor their order.
struct PoolChooser: Sendable {
    /// The operations of one client on one pool.
    struct Lane: Sendable {
        let pool: UInt8
        var keys: KeyChooser
        let mix: MixSampler
        var random: RandomSource

        /// The next operation on the pool. `clear` has no key, but still uses one up.
        mutating func next(cancelCutoff: UInt64, cancelAfter: UInt64) -> Operation {
            let kind = mix.next(using: &random)
            var operation = Operation(kind: kind, key: 0, pool: pool)
            switch kind {
            case .prefetch: return operation
            case .clear: keys.advance()
            default: operation.key = keys.next(for: kind)
            }
            if cancelCutoff > 0, case .load = kind, random.next() < cancelCutoff { operation.cancelAfter = cancelAfter }
            return operation
        }
    }

    var lanes: [Lane]
    private let columns: [AliasTable.Entry]
    private var random: RandomSource

    /// Creates a chooser for client number `client` of `clients`.
    ///
    /// - Parameters:
    ///   - uses: how the phase uses each pool; at least one, with finite weights above zero.
    ///   - source: a random source for a purpose and a pool.
    init(
        _ uses: [PoolUse], of pools: [KeyPool], client: UInt64, clients: UInt64, random: RandomSource,
        source: (OperationStream.Purpose, Int) -> RandomSource
    ) {
        lanes = uses.map { use in
            Lane(
                pool: UInt8(clamping: use.pool),
                keys: KeyChooser(
                    range: KeyRange(pool: pools[use.pool]), client: client, clients: clients,
                    random: source(.keys, use.pool)),
                mix: MixSampler(use.mix), random: source(.kinds, use.pool))
        }
        columns = AliasTable.entries(of: uses.map(\.weight))
        self.random = random
    }

    /// The lane of the next operation. Draws no random number for a single pool. O(1).
    mutating func nextLane() -> Int {
        guard columns.count > 1 else { return 0 }
        let column = random.next().multipliedFullWidth(by: UInt64(truncatingIfNeeded: columns.count))
        let index = Int(truncatingIfNeeded: column.high)
        return column.low < columns[index].cutoff ? index : columns[index].alias
    }
}
