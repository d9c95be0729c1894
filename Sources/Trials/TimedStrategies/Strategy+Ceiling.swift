import CacheStrategies
import Foundation
import Origins
import Platform
import TrialModel

extension Strategy {
    /// Not a cache: it answers each call at once, without a lookup, a value or a fetch. Its throughput is the most that
    /// the harness can send to any strategy.
    package static let ceiling = Strategy(
        StrategyDeclaration(
            name: "ceiling", summary: "answers each call at once, which shows the harness limit", role: .baseline,
            bounds: [.entries, .cost],
            promises: Promises(admission: .notWhenFull, limitRules: LimitRules(zero: .holdsNothing))),
        integer: .ceiling, string: .ceiling, url: .ceiling
    ).namedOnly()
}

extension KeyedStrategy {
    fileprivate static var ceiling: KeyedStrategy {
        KeyedStrategy(type: NoCache<Key, Payload>.self, suspends: false) { _, _ in
            OpenStrategy { kind, _, _, _ in
                let start = Nanoclock.now()
                let end = Nanoclock.now()
                return TimedAnswer(start, end, kind == .read || kind == .load ? .miss : .done)
            }
        }
    }
}
