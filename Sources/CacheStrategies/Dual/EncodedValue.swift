public import Foundation

/// What the encoded level of a ``DualCache`` holds of a value.
@usableFromInline
struct EncodedValue: Sendable {
    /// The encoded value; `nil` when it could not be encoded and lives in the decoded level alone.
    @usableFromInline
    let bytes: Data?
    /// What the entry counts in the encoded level.
    @usableFromInline
    let cost: Int
    /// What the entry counts in the decoded level.
    @usableFromInline
    let decodedCost: Int

    /// The bytes of a value, charged with their number.
    ///
    /// A caller that charges a value with something else than its own weight counts in a measure of its own, and is
    /// charged with that in both levels.
    @inlinable
    init<Value: CacheableValue>(_ bytes: Data?, of value: Value, cost: Int) {
        self.bytes = bytes
        self.cost = max(cost == value.cost ? bytes?.count ?? 0 : cost, 0)
        decodedCost = max(cost, 0)
    }
}
