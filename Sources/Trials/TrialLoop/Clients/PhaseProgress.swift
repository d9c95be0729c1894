import Synchronization

/// How many operations the clients of a phase have sent, reported twice a second: so the parent can tell a slow trial
/// from one that is stuck.
///
/// Clients add to it between operations, no more often than it is reported.
final class PhaseProgress: Sendable {
    /// The least time between two reports, in nanoseconds.
    static let interval: UInt64 = 500_000_000

    private let sent = Atomic<UInt64>(0)
    private let due = Atomic<UInt64>(0)
    private let report: @Sendable (UInt64) -> Void

    /// - Parameter report: takes the number of operations so far.
    init(report: @escaping @Sendable (UInt64) -> Void) { self.report = report }

    /// How many operations were added.
    var total: UInt64 { sent.load(ordering: .relaxed) }

    /// Adds operations that a client has sent.
    func add(_ operations: UInt64, at time: UInt64) {
        let total = sent.wrappingAdd(operations, ordering: .relaxed).newValue
        let due = due.load(ordering: .relaxed)
        guard time >= due else { return }
        let isFirst = self.due.compareExchange(
            expected: due, desired: time &+ Self.interval, ordering: .relaxed
        ).exchanged
        if isFirst { report(total) }
    }
}
