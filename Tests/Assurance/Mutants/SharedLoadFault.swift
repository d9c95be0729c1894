/// The single fault of a ``SharedLoadCache``. The raw value is the mutant's name.
package enum SharedLoadFault: String, CaseIterable, Sendable {
    case none = "shared-loads"
    case deferByEveryWaiter = "defer-by-every-waiter"
    case checkAwaitAct = "check-await-act"
    case errorEntryLeaked = "error-entry-leaked"
    case errorCachedForever = "error-cached-forever"
    case errorBroadcast = "error-broadcast-to-later-callers"
    case cancelCancelsOthers = "cancel-cancels-others"
    case firstCancelStopsLoad = "first-cancel-stops-load"
    case continuationDropped = "continuation-dropped"
    case continuationResumedTwice = "continuation-resumed-twice"
    case coalescingAcrossKeys = "coalescing-across-keys"
    case noCoalescing = "no-coalescing-though-declared"
    case loadOverNewerWrite = "load-over-newer-write"
    case resurrectAfterRemove = "resurrect-after-remove"
    case joinedAfterRemoval = "joined-after-removal"
    case ticketReused = "ticket-reused"
    case joinedBeforeOwnWrite = "joined-before-own-write"
    case firstCancelForgetsOthers = "first-cancel-forgets-others"
    case errorAcrossShard = "error-across-shard"
    case clearMissesLoads = "clear-misses-loads"

    /// What is wrong, in one line.
    package var summary: String {
        switch self {
        case .none: "sound: callers of one key share one load"
        case .deferByEveryWaiter: "every caller that leaves removes the key's load from the table, even a newer one"
        case .checkAwaitAct: "the cache suspends between looking for a load and starting one"
        case .errorEntryLeaked: "a load that failed stays in the table of loads"
        case .errorCachedForever: "a key whose load failed fails from then on, without a fetch"
        case .errorBroadcast: "the next caller after a failed load gets its error"
        case .cancelCancelsOthers: "a caller that gives up cancels all callers that wait for the load"
        case .firstCancelStopsLoad: "the load is cancelled when its first caller gives up, even if others wait"
        case .continuationDropped: "one of several waiting callers is never resumed"
        case .continuationResumedTwice: "a caller that gave up is resumed again when the load ends"
        case .coalescingAcrossKeys: "a caller joins any load in flight, of any key"
        case .noCoalescing: "every miss fetches"
        case .loadOverNewerWrite: "a load replaces a value written since its request"
        case .resurrectAfterRemove: "a failed load returns a value that was removed before"
        case .joinedAfterRemoval: "a caller joins a load that was requested before a removal"
        case .ticketReused: "a load mistakes a newer load of its key for itself, because both have one ticket"
        case .joinedBeforeOwnWrite: "a caller joins a load that was requested before a write of its own"
        case .firstCancelForgetsOthers: "when the first caller gives up, the other waiting callers are never resumed"
        case .errorAcrossShard: "after a failed load the next load of another key in the shard fails without a fetch"
        case .clearMissesLoads: "a load that was requested before all keys were removed is inserted after that"
        }
    }
}

/// A fault as a type, so that a strategy can be made from it alone.
package protocol PlantedLoadFault: Sendable {
    static var fault: SharedLoadFault { get }
}

/// The faults as types.
package enum PlantedFaults {
    package enum None: PlantedLoadFault { package static let fault = SharedLoadFault.none }
    package enum DeferByEveryWaiter: PlantedLoadFault { package static let fault = SharedLoadFault.deferByEveryWaiter }
    package enum CheckAwaitAct: PlantedLoadFault { package static let fault = SharedLoadFault.checkAwaitAct }
    package enum ErrorEntryLeaked: PlantedLoadFault { package static let fault = SharedLoadFault.errorEntryLeaked }
    package enum ErrorCachedForever: PlantedLoadFault { package static let fault = SharedLoadFault.errorCachedForever }
    package enum ErrorBroadcast: PlantedLoadFault { package static let fault = SharedLoadFault.errorBroadcast }
    package enum CancelCancelsOthers: PlantedLoadFault {
        package static let fault = SharedLoadFault.cancelCancelsOthers
    }
    package enum FirstCancelStopsLoad: PlantedLoadFault {
        package static let fault = SharedLoadFault.firstCancelStopsLoad
    }
    package enum ContinuationDropped: PlantedLoadFault {
        package static let fault = SharedLoadFault.continuationDropped
    }
    package enum ContinuationResumedTwice: PlantedLoadFault {
        package static let fault = SharedLoadFault.continuationResumedTwice
    }
    package enum CoalescingAcrossKeys: PlantedLoadFault {
        package static let fault = SharedLoadFault.coalescingAcrossKeys
    }
    package enum NoCoalescing: PlantedLoadFault { package static let fault = SharedLoadFault.noCoalescing }
    package enum LoadOverNewerWrite: PlantedLoadFault { package static let fault = SharedLoadFault.loadOverNewerWrite }
    package enum ResurrectAfterRemove: PlantedLoadFault {
        package static let fault = SharedLoadFault.resurrectAfterRemove
    }
    package enum JoinedAfterRemoval: PlantedLoadFault { package static let fault = SharedLoadFault.joinedAfterRemoval }
    package enum TicketReused: PlantedLoadFault {
        package static let fault = SharedLoadFault.ticketReused
    }
    package enum JoinedBeforeOwnWrite: PlantedLoadFault {
        package static let fault = SharedLoadFault.joinedBeforeOwnWrite
    }
    package enum FirstCancelForgetsOthers: PlantedLoadFault {
        package static let fault = SharedLoadFault.firstCancelForgetsOthers
    }
    package enum ErrorAcrossShard: PlantedLoadFault {
        package static let fault = SharedLoadFault.errorAcrossShard
    }
    package enum ClearMissesLoads: PlantedLoadFault {
        package static let fault = SharedLoadFault.clearMissesLoads
    }
}
