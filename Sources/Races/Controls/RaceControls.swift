/// The programs that validate a race detector before it judges strategies.
package enum RaceControls {
    /// Every control, the racy ones first.
    package static let all: [RaceControl] = racy + clean

    /// The control with this name; O(n) in the number of controls.
    package static subscript(name: String) -> RaceControl? {
        all.first { $0.name == name }
    }

    private static let racy: [RaceControl] = [
        MissingBarrierCache.control,
        UnlockedReadCache.control,
        LockPerCallerCache.control,
        UnlockedStatisticsCache.control,
        UnlockedKeyTrackerCache.control,
        DoubleCheckedValue.control,
        UnlockedCountCache.control,
        EscapedPointerCache.control,
        LazyPropertyValue.control,
        UnsafeActorFieldCache.control,
        WriteUnderReadLockCache.control,
        IterationOutsideLockCache.control,
        RelaxedPublication.control,
        FinishedPollingWorker.control,
        SharedByTasksCache.control,
        LastUsedPairCache.control,
        LastUsedNode.control,
    ]

    private static let clean: [RaceControl] = [
        QueueBarrierCache.control,
        SerialQueueCache.control,
        LockedCache.control,
        RecursiveLockCache.control,
        ConditionMailbox.control,
        ReadWriteLockCache.control,
        GuardedStateCache.control,
        SemaphoreMailbox.control,
        DispatchGroupJoin.control,
        ActorCache.control,
        TaskGroupSums.control,
        ContinuationMailbox.control,
        StreamMailbox.control,
        ReleasedPublication.control,
        StaticTable.control,
        SnapshotCache.control,
        DisjointSlots.control,
        CancelledWaiter.control,
        ObjectCache.control,
        AwaitedTask.control,
    ]
}
