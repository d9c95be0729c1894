import CacheStrategies
import TimedStrategies

extension StrategyRegistry {
    /// What tables show in place of a rank: the roles other than sound, by strategy.
    var marks: [String: String] {
        let roles = declarations.filter { $0.role != .sound }
        return Dictionary(roles.map { ($0.name, $0.role.rawValue) }) { first, _ in first }
    }

    /// How the promises of strategies differ from the usual ones, by strategy.
    var contracts: [String: String] {
        Dictionary(declarations.map { ($0.name, $0.contract) }) { first, _ in first }
    }
}

extension StrategyDeclaration {
    /// What tables say of a strategy whose promises differ from the usual ones: hard limits on entries and on cost, and
    /// loads that each caller makes alone and that never undo a write.
    fileprivate var contract: String {
        var words: [String] = []
        switch promises.limit {
        case .none: words.append("no limits")
        case _ where bounds.isEmpty: words.append("no limits")
        case .soft: words.append("soft limits")
        case .approximate: words.append("limits of its own measure")
        case .hard: break
        }
        if !bounds.isEmpty, bounds != [.entries, .cost] {
            words.append(bounds.contains(.entries) ? "no cost limit" : "no entry limit")
        }
        if promises.coalescesLoads { words.append("shares loads") }
        if !promises.keepsNewerWrites { words.append("loads may undo writes") }
        if promises.consistency != .linearizable { words.append("others see writes later") }
        if promises.admission == .notWhenFull { words.append("refuses when full") }
        return words.joined(separator: ", ")
    }
}
