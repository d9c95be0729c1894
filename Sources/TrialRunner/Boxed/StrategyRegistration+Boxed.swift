package import CacheStrategies
package import Foundation
package import ScheduleExploration
import TrialModel

extension StrategyRegistration {
    /// Registers a strategy of another package, with the types of keys that it has.
    ///
    /// - Parameter explorer: explores its schedules; `nil` where nobody named a type for that.
    package init(
        _ declaration: StrategyDeclaration, integer: BoxedTrial<Int>? = nil, string: BoxedTrial<String>? = nil,
        url: BoxedTrial<URL>? = nil, explorer: StrategyExplorer? = nil
    ) {
        let suspends = [integer?.suspends, string?.suspends, url?.suspends].contains(true)
        var trials: [KeyKind: TrialBody] = [:]
        trials[.integer] = integer?.body(declaration)
        trials[.string] = string?.body(declaration)
        trials[.url] = url?.body(declaration)
        self.init(
            declaration: declaration, preferredDriver: suspends ? .tasks : .threads, suspends: suspends,
            stringKeyed: string?.strategy, explorer: explorer, trials: trials,
            probe: string?.probe ?? integer?.probe ?? url?.probe)
    }
}
