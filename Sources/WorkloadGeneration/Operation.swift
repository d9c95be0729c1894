public import TrialModel

/// One operation of one client.
@usableFromInline
package struct Operation: Hashable, Sendable {
    /// The kind of operation.
    @usableFromInline package var kind: OperationKind
    /// The index of the pool whose mix contains the operation, also for `clear`; 0 without pools.
    @usableFromInline package var pool: UInt8
    /// The number of the key, from 0 to the scenario's key count - 1; 0 for `clear` and `prefetch`, which have none.
    @usableFromInline package var key: UInt32
    /// How long after its start a load is cancelled, in nanoseconds; 0 means never.
    @usableFromInline package var cancelAfter: UInt64
    /// The pause before the client's next operation, in nanoseconds.
    @usableFromInline package var thinkTime: UInt64

    /// Creates an operation, by default without cancellation and pause.
    @inlinable
    package init(kind: OperationKind, key: UInt32, pool: UInt8 = 0, cancelAfter: UInt64 = 0, thinkTime: UInt64 = 0) {
        self.kind = kind
        self.pool = pool
        self.key = key
        self.cancelAfter = cancelAfter
        self.thinkTime = thinkTime
    }
}
