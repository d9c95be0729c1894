import CacheStrategies
import Foundation
import Origins
import TrialModel

extension Strategy {
    /// No cache at all: each call is answered at once, without a lookup, a value or a fetch. What the harness sends to it is
    /// the most that it can send to any strategy.
    package static let ceiling = Strategy(
        StrategyDeclaration(
            name: "ceiling", summary: "answers each call at once: what the harness itself can send", role: .bound,
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
