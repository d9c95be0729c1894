package import CacheStrategies
package import Conformance
import HistoryChecking
package import Schedules
package import TrialModel

/// A strategy with one planted fault in its shared loads, and the check that has to catch it.
package struct SharedLoadMutant: Sendable, CustomStringConvertible {
    /// Kebab-case and stable.
    package let name: String
    /// What is wrong, in one line.
    package let summary: String
    /// The promise that it breaks.
    package let expectedPromise: Promise
    /// Whether the fault ends the process, so that it needs a separate process.
    package let isDeadly: Bool
    /// Runs its schedules.
    package let explorer: StrategyExplorer
    /// With keys and values for the checks of the contract.
    package let cache: any CacheStrategy<String, TrackedValue>.Type
    /// With those for orders.
    package let ordered: any CacheStrategy<Int, ScriptedValue>.Type

    package var description: String { name }

    private init<Planted: PlantedLoadFault>(_ planted: Planted.Type, breaks promise: Promise) {
        name = planted.fault.rawValue
        summary = planted.fault.summary
        expectedPromise = promise
        isDeadly = planted.fault == .continuationResumedTwice
        explorer = StrategyExplorer(SharedLoadCache<Int, ScriptedValue, Planted>.self, startsThreads: false)
        cache = SharedLoadCache<String, TrackedValue, Planted>.self
        ordered = SharedLoadCache<Int, ScriptedValue, Planted>.self
    }

    /// The base without a fault, which no check may report.
    package static let sound = StrategyExplorer(
        SharedLoadCache<Int, ScriptedValue, PlantedFaults.None>.self, startsThreads: false)

    /// How many schedules it gets for a seed: three times what the rarest of the faults needs.
    package static let schedules = 800

    /// The findings of a seed's schedules.
    func alarms(seed: UInt64) -> [Alarm] { Self.alarms(of: explorer, seed: seed) }

    /// The base runs the same schedules.
    static let soundBase = SoundBase(
        SharedLoadFault.none.rawValue, SharedLoadCache<String, TrackedValue, PlantedFaults.None>.self
    ) { seed, _ in alarms(of: sound, seed: seed) }

    private static func alarms(of explorer: StrategyExplorer, seed: UInt64) -> [Alarm] {
        let plan = ExplorationPlan().with {
            ($0.strategy, $0.shrinks) = (explorer.declaration.name, false)
            ($0.seed, $0.schedules) = (seed &* 1_000_000, schedules)
        }
        do {
            return try explorer.explore(plan).findings.filter { $0.verdict == .inconsistent }.map {
                Alarm(.schedules($0.promise), $0.example?.summary ?? "")
            }
        } catch {
            return [Alarm(.schedules(.noLostCaller), "the schedules did not run: \(error)")]
        }
    }

    /// All mutants, each with the promise that it breaks.
    package static let all: [SharedLoadMutant] = [
        SharedLoadMutant(PlantedFaults.DeferByEveryWaiter.self, breaks: .singleFlight),
        SharedLoadMutant(PlantedFaults.CheckAwaitAct.self, breaks: .singleFlight),
        SharedLoadMutant(PlantedFaults.ErrorEntryLeaked.self, breaks: .noLeakedLoad),
        SharedLoadMutant(PlantedFaults.ErrorCachedForever.self, breaks: .errors),
        SharedLoadMutant(PlantedFaults.ErrorBroadcast.self, breaks: .errors),
        SharedLoadMutant(PlantedFaults.CancelCancelsOthers.self, breaks: .cancellation),
        SharedLoadMutant(PlantedFaults.FirstCancelStopsLoad.self, breaks: .cancellation),
        SharedLoadMutant(PlantedFaults.ContinuationDropped.self, breaks: .noLostCaller),
        SharedLoadMutant(PlantedFaults.ContinuationResumedTwice.self, breaks: .noLostCaller),
        SharedLoadMutant(PlantedFaults.CoalescingAcrossKeys.self, breaks: .ownValues),
        SharedLoadMutant(PlantedFaults.NoCoalescing.self, breaks: .singleFlight),
        SharedLoadMutant(PlantedFaults.LoadOverNewerWrite.self, breaks: .newerWritesWin),
        SharedLoadMutant(PlantedFaults.ResurrectAfterRemove.self, breaks: .noResurrection),
        SharedLoadMutant(PlantedFaults.JoinedAfterRemoval.self, breaks: .newerWritesWin),
        SharedLoadMutant(PlantedFaults.TicketReused.self, breaks: .newerWritesWin),
        SharedLoadMutant(PlantedFaults.JoinedBeforeOwnWrite.self, breaks: .newerWritesWin),
        SharedLoadMutant(PlantedFaults.FirstCancelForgetsOthers.self, breaks: .noLostCaller),
        SharedLoadMutant(PlantedFaults.ErrorAcrossShard.self, breaks: .errors),
        SharedLoadMutant(PlantedFaults.ClearMissesLoads.self, breaks: .newerWritesWin),
    ]
}
