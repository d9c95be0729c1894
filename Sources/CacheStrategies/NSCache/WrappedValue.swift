/// A value with its cost, as the object that an `NSCache` holds.
///
/// It adds itself to the totals for as long as it lives, because an `NSCache` can't report what it holds.
@usableFromInline
final class WrappedValue<Value: Sendable>: Sendable {
    @usableFromInline
    let value: Value
    @usableFromInline
    let cost: Int
    @usableFromInline
    let totals: HeldTotals

    /// Wraps a value. `cost` must not be negative.
    @inlinable
    init(_ value: Value, cost: Int, totals: HeldTotals) {
        self.value = value
        self.cost = cost
        self.totals = totals
        totals.add(cost: cost)
    }

    @inlinable
    deinit {
        totals.subtract(cost: cost)
    }
}
