import CacheStrategies
import Schedules
package import TimedStrategies

/// A cache with one planted fault in the order of atomics, or with none.
package struct AtomicMutant: Sendable {
    package let fault: AtomicFault
    /// The cache as a strategy of the program.
    package let strategy: Strategy

    /// The caches without a fault, which no check may report.
    package static let sound: [Strategy] = [
        atomics(SwiftWord.self, PlantedAtomics.None.self), atomics(PackageWord.self, PlantedAtomics.None.self),
        atomics(WordOfC.self, PlantedAtomics.None.self),
        mutex(PlantedAtomics.None.self),
        Strategy(BarrierOrderCache<Int, TrialValue, PlantedAtomics.None>.self)
            .exploring(BarrierOrderCache<Int, ScheduleValue, PlantedAtomics.None>.self),
    ]

    /// The caches with a fault.
    package static let all: [AtomicMutant] = [
        AtomicMutant(fault: .tornCounter, strategy: atomics(SwiftWord.self, PlantedAtomics.TornCounter.self)),
        AtomicMutant(
            fault: .tornPackageCounter, strategy: atomics(PackageWord.self, PlantedAtomics.TornPackageCounter.self)),
        AtomicMutant(fault: .tornCounterOfC, strategy: atomics(WordOfC.self, PlantedAtomics.TornCounterOfC.self)),
        AtomicMutant(
            fault: .flagTestedThenSet, strategy: atomics(SwiftWord.self, PlantedAtomics.FlagTestedThenSet.self)),
        AtomicMutant(fault: .doneBeforeAnswer, strategy: atomics(SwiftWord.self, PlantedAtomics.DoneBeforeAnswer.self)),
        AtomicMutant(
            fault: .failureLeavesFlag, strategy: atomics(SwiftWord.self, PlantedAtomics.FailureLeavesFlag.self)),
        AtomicMutant(fault: .mutexSplit, strategy: mutex(PlantedAtomics.MutexSplit.self)),
        AtomicMutant(fault: .mutexCheckThenInsert, strategy: mutex(PlantedAtomics.MutexCheckThenInsert.self)),
        AtomicMutant(fault: .mutexesCrossed, strategy: mutex(PlantedAtomics.MutexesCrossed.self)),
        AtomicMutant(
            fault: .barrierShared,
            strategy: Strategy(BarrierOrderCache<Int, TrialValue, PlantedAtomics.BarrierShared>.self)
                .exploring(BarrierOrderCache<Int, ScheduleValue, PlantedAtomics.BarrierShared>.self)),
    ]

    private static func atomics<Word: AtomicWord, Planted: PlantedAtomicFault>(
        _: Word.Type, _: Planted.Type
    ) -> Strategy {
        Strategy(AtomicOrderCache<Int, TrialValue, Word, Planted>.self)
            .exploring(AtomicOrderCache<Int, ScheduleValue, Word, Planted>.self)
    }

    private static func mutex<Planted: PlantedAtomicFault>(_: Planted.Type) -> Strategy {
        Strategy(MutexOrderCache<Int, TrialValue, Planted>.self)
            .exploring(MutexOrderCache<Int, ScheduleValue, Planted>.self)
    }
}
