/// A value as the object that an `NSCache` holds, with what it weighs.
///
/// It enters itself into a ledger for as long as it lives, because an `NSCache` can't say what it holds.
@usableFromInline
final class WrappedValue<Value: Sendable>: Sendable {
    @usableFromInline
    let value: Value
    @usableFromInline
    let cost: Int
    @usableFromInline
    let ledger: EntryLedger

    /// Wraps a value. `cost` must not be negative.
    @inlinable
    init(_ value: Value, cost: Int, ledger: EntryLedger) {
        self.value = value
        self.cost = cost
        self.ledger = ledger
        ledger.add(cost: cost)
    }

    @inlinable
    deinit {
        ledger.subtract(cost: cost)
    }
}
