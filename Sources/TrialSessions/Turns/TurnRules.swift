package import CacheStrategies
import TrialLoop
package import TrialModel

extension Scenario {
    /// The turns of the scenario's trials: of a few milliseconds, and long enough for twenty of the slowest loads.
    ///
    /// - Parameter round: the round; each one uses other cores than the one before.
    func turns(inRound round: Int) -> TurnSettings {
        TurnSettings(
            slice: max(TurnSettings().slice, min(origin.slowestNanoseconds, Self.sliceNanosecondsMax / 20) * 20),
            core: round)
    }
}

extension StrategyDeclaration {
    /// Why trials of the strategy under a scenario can't take turns, if they can't. The clock of the configuration has
    /// no time between turns, and so entries don't expire there.
    package func reasonAgainstTurns(under scenario: Scenario) -> String? {
        if reach == .manyMachines { return "its entries are in a server, which does not wait for turns" }
        if scenario.values.haveLifetimes, promises.timeToLive.clock == .system {
            return "its entries expire by a clock that goes on during the turns of others"
        }
        return scenario.reasonAgainstTurns
    }
}
