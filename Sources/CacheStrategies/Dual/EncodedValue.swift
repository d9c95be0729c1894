public import Foundation

/// An entry of the encoded level of a ``DualCache``.
@usableFromInline
struct EncodedValue: Sendable {
    /// The encoded value; `nil` when the value could not be encoded and is in the decoded level alone.
    @usableFromInline
    let bytes: Data?
    /// What the entry counts in the encoded level.
    @usableFromInline
    let cost: Int
    /// What the entry counts in the decoded level.
    @usableFromInline
    let decodedCost: Int

    /// The bytes of a value; their number is the cost.
    ///
    /// If the caller's cost differs from the value's own cost, the caller counts in a unit of its own: that cost counts
    /// in both levels.
    @inlinable
    init<Value: CacheableValue>(_ bytes: Data?, of value: Value, cost: Int) {
        self.bytes = bytes
        self.cost = max(cost == value.cost ? bytes?.count ?? 0 : cost, 0)
        decodedCost = max(cost, 0)
    }
}
