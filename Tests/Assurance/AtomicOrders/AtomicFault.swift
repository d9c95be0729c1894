package import TrialModel

/// One fault in the order of atomics, of `Mutex` or of a barrier. Those of atomics and `Mutex` are found only because this
/// target is compiled so that threads switch there.
package enum AtomicFault: String, CaseIterable, Sendable {
    // Atomics
    case tornCounter = "torn-counter"
    case tornPackageCounter = "torn-package-counter"
    case tornCounterOfC = "torn-counter-of-c"
    case flagTestedThenSet = "flag-tested-then-set"
    case doneBeforeAnswer = "done-before-answer"
    case failureLeavesFlag = "failure-leaves-flag"
    // `Mutex`
    case mutexSplit = "mutex-split"
    case mutexCheckThenInsert = "mutex-check-then-insert"
    case mutexesCrossed = "mutexes-crossed"
    // Barriers
    case barrierShared = "barrier-shared"

    /// What is wrong, in one line.
    package var summary: String {
        switch self {
        case .tornCounter: "loads in flight are counted by a read and a write of an atomic"
        case .tornPackageCounter: "loads in flight are counted by a read and a write of a ManagedAtomic"
        case .tornCounterOfC: "loads in flight are counted by a read and a write of a C11 atomic"
        case .flagTestedThenSet: "a load tests an atomic flag that says who fetches, and then sets it"
        case .doneBeforeAnswer: "a load sets the flag that it is done, and then stores its answer"
        case .failureLeavesFlag: "a failed load does not set the flag that it is done"
        case .mutexSplit: "a hit moves its entry to the front in a second section of the Mutex"
        case .mutexCheckThenInsert: "a load checks for newer writes in one section of the Mutex and inserts in the next"
        case .mutexesCrossed: "an insert takes two Mutexes in one order, and a removal in the other"
        case .barrierShared: "all changes meet their workers at the same barrier"
        }
    }

    /// The promise that it breaks.
    package var expectedPromise: Promise {
        switch self {
        case .tornCounter, .tornPackageCounter, .tornCounterOfC: .noLeakedLoad
        case .flagTestedThenSet: .singleFlight
        case .doneBeforeAnswer: .errors
        case .failureLeavesFlag, .mutexesCrossed: .noLostCaller
        case .mutexSplit, .barrierShared: .noResurrection
        case .mutexCheckThenInsert: .newerWritesWin
        }
    }
}

/// A fault as a type, so that each cache with a fault is a distinct type.
package protocol PlantedAtomicFault: Sendable {
    /// `nil` for the cache without a fault.
    static var fault: AtomicFault? { get }
}

extension PlantedAtomicFault {
    /// Whether the cache has a fault.
    static func has(_ fault: AtomicFault) -> Bool { Self.fault == fault }
}

/// The faults as types.
enum PlantedAtomics {
    enum None: PlantedAtomicFault { static let fault: AtomicFault? = nil }
    enum TornCounter: PlantedAtomicFault { static let fault: AtomicFault? = .tornCounter }
    enum TornPackageCounter: PlantedAtomicFault { static let fault: AtomicFault? = .tornPackageCounter }
    enum TornCounterOfC: PlantedAtomicFault { static let fault: AtomicFault? = .tornCounterOfC }
    enum FlagTestedThenSet: PlantedAtomicFault { static let fault: AtomicFault? = .flagTestedThenSet }
    enum DoneBeforeAnswer: PlantedAtomicFault { static let fault: AtomicFault? = .doneBeforeAnswer }
    enum FailureLeavesFlag: PlantedAtomicFault { static let fault: AtomicFault? = .failureLeavesFlag }
    enum MutexSplit: PlantedAtomicFault { static let fault: AtomicFault? = .mutexSplit }
    enum MutexCheckThenInsert: PlantedAtomicFault { static let fault: AtomicFault? = .mutexCheckThenInsert }
    enum MutexesCrossed: PlantedAtomicFault { static let fault: AtomicFault? = .mutexesCrossed }
    enum BarrierShared: PlantedAtomicFault { static let fault: AtomicFault? = .barrierShared }
}
