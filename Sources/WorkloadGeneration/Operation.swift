public import TrialModel

/// What one client asks of the cache, once.
@usableFromInline
package struct Operation: Hashable, Sendable {
    /// What is asked.
    @usableFromInline package var kind: OperationKind
    /// Whose mix asked for it: the index of the key's pool, also with `clear`; 0 without pools.
    @usableFromInline package var pool: UInt8
    /// The number of the key, from 0 to the scenario's key count - 1; 0 for `clear` and `prefetch`, which have none.
    @usableFromInline package var key: UInt32
    /// How long after its start a load is cancelled, in nanoseconds; 0 means that it isn't.
    @usableFromInline package var cancelAfter: UInt64
    /// The pause before the client's next operation, in nanoseconds.
    @usableFromInline package var thinkTime: UInt64

    /// An operation; without a cancellation and a pause unless they are given.
    @inlinable
    package init(kind: OperationKind, key: UInt32, pool: UInt8 = 0, cancelAfter: UInt64 = 0, thinkTime: UInt64 = 0) {
        self.kind = kind
        self.pool = pool
        self.key = key
        self.cancelAfter = cancelAfter
        self.thinkTime = thinkTime
    }
}
