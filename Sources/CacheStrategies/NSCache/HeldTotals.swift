public import Synchronization

/// How many wrapped values are alive, and what they weigh.
///
/// Atomic, because a reader may be the last to let go of a value that was evicted meanwhile. The numbers are those of
/// the cache when nobody is reading. Costs are added in two halves, so that no sum of them wraps around.
@usableFromInline
final class HeldTotals: Sendable {
    @usableFromInline
    let count = Atomic<Int>(0)
    /// The sum of the lower 32 bits of all costs, and that of what is above them.
    @usableFromInline
    let lowCost = Atomic<Int>(0)
    @usableFromInline
    let highCost = Atomic<Int>(0)

    @inlinable
    init() {}

    @inlinable
    var entryCount: Int { count.load(ordering: .relaxed) }

    /// `Int.max` where it is more.
    @inlinable
    var totalCost: Int {
        let low = lowCost.load(ordering: .relaxed)
        let (high, overflows) = highCost.load(ordering: .relaxed).multipliedReportingOverflow(by: 1 << 32)
        let (sum, exceeds) = high.addingReportingOverflow(low)
        return overflows || exceeds ? .max : sum
    }

    @inlinable
    func add(cost added: Int) {
        count.wrappingAdd(1, ordering: .relaxed)
        lowCost.wrappingAdd(added & 0xFFFF_FFFF, ordering: .relaxed)
        if added >> 32 != 0 { highCost.wrappingAdd(added >> 32, ordering: .relaxed) }
    }

    @inlinable
    func subtract(cost subtracted: Int) {
        count.wrappingSubtract(1, ordering: .relaxed)
        lowCost.wrappingSubtract(subtracted & 0xFFFF_FFFF, ordering: .relaxed)
        if subtracted >> 32 != 0 { highCost.wrappingSubtract(subtracted >> 32, ordering: .relaxed) }
    }
}
