public import Synchronization

/// How many wrapped values are alive, and what they weigh.
///
/// Atomic, because a reader may be the last to let go of a value that was evicted meanwhile. The numbers are those of
/// the cache when nobody is reading. Sums wrap around instead of trapping; as additions and subtractions are the
/// same, a sum that fits is right.
@usableFromInline
final class EntryLedger: Sendable {
    @usableFromInline
    let count = Atomic<Int>(0)
    @usableFromInline
    let cost = Atomic<Int>(0)

    @inlinable
    init() {}

    @inlinable
    var entryCount: Int { count.load(ordering: .relaxed) }

    @inlinable
    var totalCost: Int { cost.load(ordering: .relaxed) }

    @inlinable
    func add(cost added: Int) {
        count.wrappingAdd(1, ordering: .relaxed)
        cost.wrappingAdd(added, ordering: .relaxed)
    }

    @inlinable
    func subtract(cost subtracted: Int) {
        count.wrappingSubtract(1, ordering: .relaxed)
        cost.wrappingSubtract(subtracted, ordering: .relaxed)
    }
}
