package import TrialModel

/// One fault in the order of threads that an ordinary test hardly ever triggers.
package enum OrderFault: String, CaseIterable, Sendable {
    // Locks
    case lockOrderReversed = "lock-order-reversed"
    case checkThenInsert = "check-then-insert"
    case clearMissesLoads = "clear-misses-loads"
    case removeMissesLoads = "remove-misses-loads"
    case epochReadTooLate = "epoch-read-too-late"
    case evictedBeforeTouch = "evicted-before-touch"
    case spinsWithLock = "spins-with-lock"
    case unlockedByAnother = "unlocked-by-another"
    // Conditions
    case lostWakeUp = "lost-wake-up"
    case signalForBroadcast = "signal-for-broadcast"
    case waitWithoutLoop = "wait-without-loop"
    case ticketReused = "ticket-reused"
    case waiterCountedTwice = "waiter-counted-twice"
    case flightEnteredLate = "flight-entered-late"
    case broadcastBeforeDone = "broadcast-before-done"
    case failureWakesNoWaiter = "failure-wakes-no-waiter"
    // Read-write locks
    case writeUnderReadLock = "write-under-read-lock"
    case upgradeWithoutRecheck = "upgrade-without-recheck"
    case readLockTwice = "read-lock-twice"
    case copyInTwoSections = "copy-in-two-sections"
    // Queues
    case missingBarrier = "missing-barrier"
    case readPastQueue = "read-past-queue"
    case queueReentered = "queue-reentered"
    case queuesCrossed = "queues-crossed"
    case groupEnteredLate = "group-entered-late"
    case twoPermits = "two-permits"
    case cancelledWrite = "cancelled-write"
    // Limits
    case evictedAfterwards = "evicted-afterwards"
    case countHidesExcess = "count-hides-excess"
    case roomMadeBefore = "room-made-before"
    // Timers
    case timeoutTakenForSignal = "timeout-taken-for-signal"
    case secondLoadForgetsFirst = "second-load-forgets-first"
    case sweptAfterLook = "swept-after-look"
    case olderWriteFlushed = "older-write-flushed"
    case flushInTwoSections = "flush-in-two-sections"
    case flushForgetsNewer = "flush-forgets-newer"
    // Lifetimes
    case expiredInSecondStep = "expired-in-second-step"

    /// What is wrong, in one line.
    package var summary: String {
        switch self {
        case .lockOrderReversed: "an insert takes two locks in one order, and a removal in the other"
        case .checkThenInsert: "a load checks for newer writes in one section and inserts in the next"
        case .clearMissesLoads: "a clear does not mark loads in flight as overtaken"
        case .removeMissesLoads: "a removal does not mark loads in flight as overtaken"
        case .epochReadTooLate: "a load reads the number of writes after its fetch"
        case .evictedBeforeTouch: "a hit moves its entry to the front in a second critical section"
        case .spinsWithLock: "a clear holds the lock while it waits for loads that need it to end"
        case .unlockedByAnother: "a caller locks, and the thread that writes for it unlocks"
        case .lostWakeUp: "a waiter checks before it locks whether the load has ended, and then waits"
        case .signalForBroadcast: "the end of a load wakes only one waiter"
        case .waitWithoutLoop: "a waiter accepts any wake-up and the last answer as its own"
        case .ticketReused: "a load gets the number of an ended load that callers still wait for"
        case .waiterCountedTwice: "a waiter is counted when it joins, and again when it is woken"
        case .flightEnteredLate: "a load looks for another in one section and enters its own in the next"
        case .broadcastBeforeDone: "waiters are woken before the load is marked as ended"
        case .failureWakesNoWaiter: "a failed load does not wake its waiters"
        case .writeUnderReadLock: "a hit moves its entry under the read lock"
        case .upgradeWithoutRecheck: "an entry found under the read lock is put back under the write lock unchecked"
        case .readLockTwice: "a hit locks for reading twice, and a writer waits in between"
        case .copyInTwoSections: "the table is copied in one section and replaced by the copy in the next"
        case .missingBarrier: "writes on a concurrent queue have no barrier"
        case .readPastQueue: "lookups do not go through the queue of the writes"
        case .queueReentered: "a block on a serial queue calls its own queue when a load waits"
        case .queuesCrossed: "two serial queues call each other"
        case .groupEnteredLate: "a write enters the group that readers wait for when it runs, and not before"
        case .twoPermits: "a semaphore used as a lock admits two callers"
        case .cancelledWrite: "a write cancels the previous write, even of another key"
        case .evictedAfterwards: "a write inserts in one section and evicts in the next"
        case .countHidesExcess: "a write inserts in one section and evicts in the next, and statistics never say so"
        case .roomMadeBefore: "a write makes room in one section and inserts in the next"
        case .timeoutTakenForSignal: "a waiter takes the end of its time for the answer"
        case .secondLoadForgetsFirst: "a load that is sent again takes the place of the first, whose waiters stay"
        case .sweptAfterLook: "a sweep looks for old entries in one section and moves them in the next"
        case .olderWriteFlushed: "each write is applied a second later, even after a newer one"
        case .flushInTwoSections: "a flush reads the changes in one section and applies them in the next"
        case .expiredInSecondStep:
            "a lookup finds an expired entry in one section and removes what is there in the next"
        case .flushForgetsNewer: "a flush drops all changes, also those after the ones that it applied"
        }
    }

    /// The promise that it breaks.
    package var expectedPromise: Promise {
        switch self {
        case .lockOrderReversed, .spinsWithLock, .unlockedByAnother, .lostWakeUp, .signalForBroadcast,
            .broadcastBeforeDone, .failureWakesNoWaiter, .readLockTwice, .queueReentered, .queuesCrossed,
            .secondLoadForgetsFirst:
            .noLostCaller
        case .checkThenInsert, .clearMissesLoads, .removeMissesLoads, .epochReadTooLate: .newerWritesWin
        case .evictedBeforeTouch, .writeUnderReadLock, .upgradeWithoutRecheck, .copyInTwoSections, .twoPermits:
            .noResurrection
        case .waitWithoutLoop, .ticketReused: .ownValues
        case .waiterCountedTwice: .noLeakedLoad
        case .flightEnteredLate: .singleFlight
        case .evictedAfterwards, .countHidesExcess, .roomMadeBefore: .limits
        case .expiredInSecondStep: .retention
        case .timeoutTakenForSignal: .errors
        case .missingBarrier, .readPastQueue, .groupEnteredLate, .cancelledWrite, .sweptAfterLook, .olderWriteFlushed,
            .flushInTwoSections, .flushForgetsNewer:
            .freshness
        }
    }
}

/// A fault as a type, so that each cache with a fault is a distinct type.
package protocol PlantedOrderFault: Sendable {
    /// `nil` for the cache without a fault.
    static var fault: OrderFault? { get }
}

extension PlantedOrderFault {
    /// Whether the cache has a fault.
    static func has(_ fault: OrderFault) -> Bool { Self.fault == fault }
}

/// The faults as types.
package enum PlantedOrders {
    package enum None: PlantedOrderFault { package static let fault: OrderFault? = nil }
    package enum LockOrderReversed: PlantedOrderFault { package static let fault: OrderFault? = .lockOrderReversed }
    package enum CheckThenInsert: PlantedOrderFault { package static let fault: OrderFault? = .checkThenInsert }
    package enum ClearMissesLoads: PlantedOrderFault { package static let fault: OrderFault? = .clearMissesLoads }
    package enum RemoveMissesLoads: PlantedOrderFault { package static let fault: OrderFault? = .removeMissesLoads }
    package enum EpochReadTooLate: PlantedOrderFault { package static let fault: OrderFault? = .epochReadTooLate }
    package enum EvictedBeforeTouch: PlantedOrderFault { package static let fault: OrderFault? = .evictedBeforeTouch }
    package enum SpinsWithLock: PlantedOrderFault { package static let fault: OrderFault? = .spinsWithLock }
    package enum UnlockedByAnother: PlantedOrderFault { package static let fault: OrderFault? = .unlockedByAnother }
    package enum LostWakeUp: PlantedOrderFault { package static let fault: OrderFault? = .lostWakeUp }
    package enum SignalForBroadcast: PlantedOrderFault { package static let fault: OrderFault? = .signalForBroadcast }
    package enum WaitWithoutLoop: PlantedOrderFault { package static let fault: OrderFault? = .waitWithoutLoop }
    package enum TicketReused: PlantedOrderFault { package static let fault: OrderFault? = .ticketReused }
    package enum WaiterCountedTwice: PlantedOrderFault { package static let fault: OrderFault? = .waiterCountedTwice }
    package enum FlightEnteredLate: PlantedOrderFault { package static let fault: OrderFault? = .flightEnteredLate }
    package enum BroadcastBeforeDone: PlantedOrderFault { package static let fault: OrderFault? = .broadcastBeforeDone }
    package enum FailureWakesNoWaiter: PlantedOrderFault {
        package static let fault: OrderFault? = .failureWakesNoWaiter
    }
    package enum WriteUnderReadLock: PlantedOrderFault { package static let fault: OrderFault? = .writeUnderReadLock }
    package enum UpgradeWithoutRecheck: PlantedOrderFault {
        package static let fault: OrderFault? = .upgradeWithoutRecheck
    }
    package enum ReadLockTwice: PlantedOrderFault { package static let fault: OrderFault? = .readLockTwice }
    package enum CopyInTwoSections: PlantedOrderFault { package static let fault: OrderFault? = .copyInTwoSections }
    package enum MissingBarrier: PlantedOrderFault { package static let fault: OrderFault? = .missingBarrier }
    package enum ReadPastQueue: PlantedOrderFault { package static let fault: OrderFault? = .readPastQueue }
    package enum QueueReentered: PlantedOrderFault { package static let fault: OrderFault? = .queueReentered }
    package enum QueuesCrossed: PlantedOrderFault { package static let fault: OrderFault? = .queuesCrossed }
    package enum GroupEnteredLate: PlantedOrderFault { package static let fault: OrderFault? = .groupEnteredLate }
    package enum TwoPermits: PlantedOrderFault { package static let fault: OrderFault? = .twoPermits }
    package enum CancelledWrite: PlantedOrderFault { package static let fault: OrderFault? = .cancelledWrite }
    package enum EvictedAfterwards: PlantedOrderFault { package static let fault: OrderFault? = .evictedAfterwards }
    package enum CountHidesExcess: PlantedOrderFault { package static let fault: OrderFault? = .countHidesExcess }
    package enum RoomMadeBefore: PlantedOrderFault { package static let fault: OrderFault? = .roomMadeBefore }
    package enum TimeoutTakenForSignal: PlantedOrderFault {
        package static let fault: OrderFault? = .timeoutTakenForSignal
    }
    package enum SecondLoadForgetsFirst: PlantedOrderFault {
        package static let fault: OrderFault? = .secondLoadForgetsFirst
    }
    package enum SweptAfterLook: PlantedOrderFault { package static let fault: OrderFault? = .sweptAfterLook }
    package enum OlderWriteFlushed: PlantedOrderFault { package static let fault: OrderFault? = .olderWriteFlushed }
    package enum FlushInTwoSections: PlantedOrderFault { package static let fault: OrderFault? = .flushInTwoSections }
    package enum ExpiredInSecondStep: PlantedOrderFault {
        package static let fault: OrderFault? = .expiredInSecondStep
    }
    package enum FlushForgetsNewer: PlantedOrderFault { package static let fault: OrderFault? = .flushForgetsNewer }
}
