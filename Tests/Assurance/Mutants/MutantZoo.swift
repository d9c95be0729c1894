import Races

/// Every mutant, and the sound strategies that they were made from.
///
/// A check that has never failed proves nothing. Each mutant has one planted bug, and the check that is
/// meant for it must raise the alarm. The same checks must find nothing wrong with the sound
/// strategies.
package enum MutantZoo {
    /// All mutants, family by family.
    package static let all: [Mutant] =
        values + limits + costs + habits + leaks + loads + pressure + prefetch + schedules + ReaderMutants.all + files
        + WrongLogs.mutants + races

    /// The checks that are meant for some mutant; none may find anything in a sound strategy. Other tests ask the sound
    /// cache with files.
    package static let meantChecks = CheckSelection.only(
        Set(all.map(\.expected)).subtracting(DiskMutant.all.map { .reliability($0.expectedCheck) }))

    /// The bases of the mutants: all checks must find nothing.
    package static let soundBases: [SoundBase] =
        [
            SoundBase(PlainCache.self), SoundBase(ExpiringPlainCache.self), SoundBase(QueuedCache.self),
            SoundBase(TwoLevelCache.self), SoundBase(WriteBehindCache.self), SoundBase(TwinCache.self),
            SoundBase(SharedLoadsCache.self), DiskMutant.soundBase, SharedLoadMutant.soundBase, readers,
            PressedCache.soundBase, PrefetchingCache.soundPrefetching,
            SoundBase(SoftTrimCache.self), SoundBase(PartitionedCache.self),
            SoundBase(SaturatingCache.self), SoundBase(SweepingCache.self), SoundBase(EpochLoadsCache.self),
            SoundBase(counting: CountedCache.self), SoundBase(counting: GraveyardCache.self),
            SoundBase(counting: MortalCountedCache.self), TextKeysCache.soundBase,
        ] + soundHabits

    /// Readers without a lock, executed step by step.
    private static let readers = SoundBase("concurrent-sieve-in-steps") { seed, selection in
        ReaderScripts<SoundMemory>().alarms(seed: seed, mostOrders: selection.isAll ? 2000 : 50)
    }

    /// Sound caches with unusual habits that they declare.
    private static let soundHabits: [SoundBase] = [
        SoundBase(SystemClockCache.self), SoundBase(HeldUpCache.self), SoundBase(SlidingCache.self),
        SoundBase(SlidingSystemClockCache.self),
        SoundBase(SmallestLimitCache.self), SoundBase(ZeroUnlimitedCache.self), SoundBase(TenthKeepsOldCache.self),
        SoundBase(ClosingCache.self), SoundBase(oneCaller: UnlockedPlainCache.self),
        SoundBase(UndeclaredZeroCache.self), SoundBase(TwoGenerationsCache.self), SoundBase(EventualCache.self),
        SoundBase(ApproximateCache.self), SoundBase(ClosedEndCache.self), SoundBase(OwnFolderCache.self),
        SoundBase(RefusingCache.self), SoundBase(ErrorsKeptCache.self), SoundBase(ErrorsForATimeCache.self),
        SoundBase(ErrorsForAMomentCache.self), StoredTaskCache.soundBase,
        SoundBase(DeclaredLRUCache.self), SoundBase(TimerCache.self), SoundBase(FileEntriesCache.self),
    ]

    /// Faults that were found in caches of real apps.
    private static let habits: [Mutant] = [
        WrappingTotalCache.mutant, CostIgnoredCache.mutant, DearerOverwriteCache.mutant, SweptNewcomerCache.mutant,
        UndeclaredKeepsOldCache.mutant, LateSystemClockCache.mutant, FixedThoughSlidingCache.mutant,
        ProlongedThoughFixedCache.mutant, ForgetfulClosingCache.mutant, ErrorsTooLongCache.mutant,
        UncountedEvictionsCache.mutant,
    ]

    private static let values: [Mutant] = [
        DirectReadCache.mutant, StaleCache.mutant, StaleSecondLevelCache.mutant, CollidingCache.mutant,
        TruncatingCache.mutant, UnequalTwinCache.mutant, LendingCache.mutant, ResurrectingCache.mutant,
        OverwritingLoadCache.mutant, LostRemovalCache.mutant,
        HandedOverCache.mutant, GrowthLosesCache.mutant, BucketRemovedCache.mutant, NewestStaysCache.mutant,
        SixteenBitKeysCache.mutant, HalfWordKeysCache.mutant, UnsignedKeysCache.mutant, LowercaseKeysCache.mutant,
        ShortKeysCache.mutant, NoQueryKeysCache.mutant,
        TruncatingOverwriteCache.mutant, RecreatingOverwriteCache.mutant,
    ]

    private static let limits: [Mutant] = [
        OffByOneCache.mutant, CostKeptOnReplaceCache.mutant, SubtractedTwiceCache.mutant, UnlimitedLoadsCache.mutant,
        NeverEvictingCache.mutant, FrozenCache.mutant, NewestFirstCache.mutant, TouchOnMissCache.mutant,
        GhostKeysCache.mutant, DriftingCostCache.mutant, WallClockCache.mutant, LateExpiryCache.mutant,
        RoomMadeEarlyCache.mutant, OneTrimmerCache.mutant, LookThenInsertCache.mutant,
        BlockingHitProlongsCache.mutant, LastMomentProlongsCache.mutant, OldDeadlineKeptCache.mutant,
        LifetimeFromRequestCache.mutant, InheritedLifetimeCache.mutant, LoadedLifetimeIgnoredCache.mutant,
        EntryTwiceOverwriteCache.mutant, OrderSurvivesClearCache.mutant, UnreadFirstCache.mutant,
        ExpiredOverwriteIgnoredCache.mutant, OldTimerCache.mutant, RemovedTimerCache.mutant,
        SecondStepExpiryCache.mutant,
    ]

    private static let costs: [Mutant] = [
        ZeroCostsOneCache.mutant, LimitRefusedCache.mutant, HalfWordCostCache.mutant, RefusedCostKeptCache.mutant,
        ClearKeepsCostCache.mutant, ExpiredCostKeptCache.mutant, ApproximateCostKeptCache.mutant,
        WholeCostOverwriteCache.mutant,
    ]

    private static let leaks: [Mutant] = [
        NodeRingCache.mutant, UndoListCache.mutant, OneInHundredKeptCache.mutant, EveryKeySeenCache.mutant,
        OwnClosureCache.mutant,
        ForgottenLogCache.mutant, EveryMissKeptCache.mutant, TombstoneCache.mutant, ExpiredKeptCache.mutant,
        ClearKeepsFiftyCache.mutant,
    ]

    private static let loads: [Mutant] = [
        ForgottenWaiterCache.mutant, LeftBehindCache.mutant, RememberedErrorCache.mutant, UnsharedLoadsCache.mutant,
        CrossedLoadsCache.mutant, JoinerForgetsCache.mutant,
        RemovalJoinedCache.mutant, ClearJoinedCache.mutant, EvictedWriteJoinedCache.mutant,
        OvertakenJoinersCache.mutant, LoadAfterClearCache.mutant, WriteLostToLoadCache.mutant,
        WaiterArrayCache.mutant, WaiterByteCache.mutant, TwoTablesCache.mutant, TasksOnlyJoinCache.mutant,
        StripedLoadsCache.mutant, InsertAfterLoadsCache.mutant, LosingLoadsCache.mutant, OftenLosingLoadsCache.often,
        FailedLoadRemovesCache.mutant, OwnLoadWaitsCache.mutant, FetchUnderLockCache.mutant,
    ]

    private static let pressure: [Mutant] = [
        EmptyAtNormalCache.mutant, KeepsAllCache.mutant, FullAgainCache.mutant, DroppedLoadsCache.mutant,
        ReleasingUnderLockCache.mutant, ForgottenCostCache.mutant,
    ]

    private static let prefetch: [Mutant] = [
        InvertedPrefetchCache.mutant, UrgentPrefetchCache.mutant, RepeatedPrefetchCache.mutant,
        GreedyPrefetchCache.mutant, UnstoppablePrefetchCache.mutant, HalfStoppedPrefetchCache.mutant,
    ]

    /// Judged by exploring the orders of their tasks. One of them ends its process; a separate test covers it.
    private static let schedules: [Mutant] = SharedLoadMutant.all.filter { !$0.isDeadly }.map { mutant in
        Mutant(mutant.name, .schedules, caughtBy: .schedules(mutant.expectedPromise), mutant.summary) { seed, _ in
            mutant.alarms(seed: seed)
        }
    }

    private static let files: [Mutant] = DiskMutant.all.map { mutant in
        Mutant(mutant.name, .files, caughtBy: .reliability(mutant.expectedCheck), mutant.summary) { seed, selection in
            await mutant.keeper.alarms(seed: seed, selection)
        }
    }

    /// Judged by `scripts/races`, each in a process with Thread Sanitizer.
    private static let races: [Mutant] = RaceControls.all.filter { $0.kind == .racy }.map {
        Mutant($0.name, .races, caughtBy: .raceDetector, $0.summary, alarms: nil)
    }
}
