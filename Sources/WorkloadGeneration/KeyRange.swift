import TrialModel

/// The keys of a phase, clamped to the scenario's keys: always in range, even for an invalid scenario.
struct KeyRange: Hashable, Sendable {
    /// The number of the first key.
    let first: UInt64
    /// How many keys there are, from 1 to 2^32.
    let count: UInt64
    let popularity: Popularity
    let shift: PopularityShift?

    /// Creates the range of a phase; values that the phase does not set come from the scenario.
    init(scenario keys: KeySpace, phase selection: KeySelection) {
        let total = min(max(keys.count, 1), 1 << 32)
        let start = min(max(selection.first, 0), total - 1)
        let available = total - start
        first = UInt64(start)
        count = UInt64(min(max(selection.count ?? available, 1), available))
        popularity = selection.popularity ?? keys.popularity
        shift = selection.shift ?? keys.shift
    }

    /// Creates the range of a pool.
    init(pool: KeyPool) {
        let start = min(max(pool.first, 0), (1 << 32) - 1)
        first = UInt64(start)
        count = UInt64(min(max(pool.count, 1), (1 << 32) - start))
        popularity = pool.popularity
        shift = pool.shift
    }
}
