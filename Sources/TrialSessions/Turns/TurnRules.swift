package import CacheStrategies
import TrialLoop
package import TrialModel

extension Scenario {
    /// Why trials of the scenario can't take turns, if they can't: time that passes in the turns of others must not
    /// matter.
    package var reasonAgainstTurns: String? {
        if check { return "its operations are recorded" }
        for phase in phases {
            if phase.frames != nil { return "a list scrolls by the clock in \(phase.name)" }
            if phase.memoryPressure != nil { return "memory pressure follows the clock in \(phase.name)" }
            if phase.prefetching != nil { return "keys are prefetched in the background in \(phase.name)" }
            if phase.arrival.isOpen { return "arrival is open in \(phase.name)" }
            if phase.thinkTime.largest > 0 { return "clients think in \(phase.name)" }
            if phase.cancel != nil { return "loads are cancelled in \(phase.name), and may outlive their callers" }
        }
        if origin.slowestNanoseconds > Self.longestSlice / 20 {
            return "a load may take \(origin.slowestNanoseconds / 1_000_000) ms, too long for a slice"
        }
        return nil
    }

    /// Whether entries expire.
    fileprivate var hasLifetimes: Bool {
        values.timeToLive != nil || values.traced?.lifetimes == true
            || values.pools?.contains(where: { $0.timeToLive != nil }) == true
    }

    /// The turns of the scenario's trials: of a few milliseconds, and long enough for twenty of the slowest loads.
    ///
    /// - Parameter round: the round; each one uses other cores than the one before.
    func turns(inRound round: Int) -> TurnSettings {
        TurnSettings(
            slice: max(TurnSettings().slice, min(origin.slowestNanoseconds, Self.longestSlice / 20) * 20), core: round)
    }

    private static var longestSlice: UInt64 { 250_000_000 }
}

extension StrategyDeclaration {
    /// Why trials of the strategy under a scenario can't take turns, if they can't. The clock of the configuration has
    /// no time between turns, and so entries don't expire there.
    package func reasonAgainstTurns(under scenario: Scenario) -> String? {
        if reach == .manyMachines { return "its entries are in a server, which does not wait for turns" }
        if scenario.hasLifetimes, promises.timeToLive.clock == .system {
            return "its entries expire by a clock that goes on during the turns of others"
        }
        return scenario.reasonAgainstTurns
    }
}
