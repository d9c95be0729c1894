public import Synchronization

/// The number of living wrapped values, and their costs.
///
/// Atomic, because a reader may be the last to release a value that was evicted meanwhile. The numbers equal those of
/// the cache while no caller is reading. Costs are added in two halves, so that no sum of them wraps around.
@usableFromInline
final class HeldTotals: Sendable {
    @usableFromInline
    let count = Atomic<Int>(0)
    /// The sum of the lower 32 bits of all costs, and the sum of their upper bits.
    @usableFromInline
    let lowCost = Atomic<Int>(0)
    @usableFromInline
    let highCost = Atomic<Int>(0)

    @inlinable
    init() {}

    @inlinable
    var entryCount: Int { count.load(ordering: .relaxed) }

    /// The sum of the costs, or `Int.max` if it is more.
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
