/// A small program that is known to have, or not to have, a data race.
///
/// The detector is tested on each control before it judges a strategy: if it misses a racy control, or reports a clean
/// one, its verdicts on strategies can't be trusted either. One process runs one control, so a report identifies its
/// control and the exit code is the control's own.
///
/// Racy controls say `x = x + 1`: for `x += 1` the sanitizer reports an access without its line number.
package struct RaceControl: Sendable {
    /// The verdict that the detector must give.
    package enum Kind: String, Sendable, CaseIterable {
        /// Two threads access the same memory, one of them writes, and nothing orders them: must be reported.
        case racy
        /// Every shared access is ordered: must not be reported.
        case clean
    }

    /// Its name in arguments and reports: kebab-case, and never changed.
    package let name: String
    /// The verdict that the detector must give.
    package let kind: Kind
    /// The mistake, or the correct synchronisation, in one line.
    package let summary: String

    private let body: @Sendable () async -> Bool

    /// - Parameter body: does the work, and returns whether its result is correct.
    init(_ kind: Kind, _ name: String, summary: String, body: @escaping @Sendable () async -> Bool) {
        self.name = name
        self.kind = kind
        self.summary = summary
        self.body = body
    }

    /// Does the work, some thousands of operations on four threads or tasks; every thread has ended when it returns.
    ///
    /// It never runs on the caller's actor, so that the main thread stays free.
    ///
    /// - Returns: whether the result is correct. A racy control may lose updates, so only the answer of a clean control
    ///   counts.
    @concurrent
    @discardableResult
    package func run() async -> Bool {
        await body()
    }
}

/// The programs that validate a race detector before it judges strategies.
package enum RaceControls {
    /// Every control, the racy ones first.
    package static let all: [RaceControl] = racy + clean

    /// The control with this name; O(n) in the number of controls.
    package static subscript(name: String) -> RaceControl? {
        all.first { $0.name == name }
    }

    private static let racy: [RaceControl] = [
        // Missed if a read lock counts as an exclusive one.
        WriteUnderReadLockCache.control,
        // Missed if a change of task or executor orders more than it does.
        UnsafeActorFieldCache.control,
        // Missed if every atomic orders what surrounds it.
        RelaxedPublication.control,
        // Missed if accesses in generic code are not seen.
        LastUsedNode.control,
    ]

    private static let clean: [RaceControl] = [
        // Reported if the order of a Dispatch queue is not seen.
        QueueBarrierCache.control,
        // Reported if the order of an actor's calls, or of a group's tasks, is not seen.
        ActorCache.control,
        // Reported if the order of acquiring and releasing atomics is not seen.
        ReleasedPublication.control,
        // Reported if a lock is not seen; and in optimised builds, which is why only debug builds judge.
        SnapshotCache.control,
    ]
}
