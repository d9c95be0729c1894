import TrialModel

/// Shifts ranks over the keys while a phase runs. Each client counts for itself: with *n* clients, its *i*-th operation
/// counts as the (*i* × *n*)-th of the phase, so no counter is shared.
@usableFromInline
struct RankShift: Sendable {
    /// Operations of the phase since the last shift, and between two of them.
    @usableFromInline var progress: UInt64 = 0
    @usableFromInline let every: UInt64
    @usableFromInline let clients: UInt64
    /// By how many keys the ranks have shifted so far, below the range's count.
    @usableFromInline var offset: UInt64 = 0
    private let by: UInt64
    private let count: UInt64

    /// `nil` when the ranks never shift.
    init?(_ shift: PopularityShift?, count: UInt64, clients: UInt64) {
        guard let shift, shift.every > 0, count > 0 else { return nil }
        every = UInt64(shift.every)
        self.clients = clients
        self.count = count
        let magnitude = UInt64(shift.by.magnitude) % count
        by = shift.by < 0 && magnitude > 0 ? count - magnitude : magnitude
        guard by > 0 else { return nil }
    }

    /// Counts an operation of this client.
    @inlinable
    @inline(__always)
    mutating func advance() {
        progress &+= clients
        if progress >= every { moveOn() }
    }

    @usableFromInline
    @inline(never)
    mutating func moveOn() {
        let steps = progress / every % count
        progress %= every
        // Both factors and the offset are below 2^32, so nothing overflows.
        offset = (offset + steps * by) % count
    }
}
