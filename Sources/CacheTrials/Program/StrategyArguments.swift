import ArgumentParser
import BuiltInStrategies
import CacheStrategies
import Foundation
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// The strategies that a verb works on.
struct StrategyArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Strategies, separated by commas, such as lru,shared+lru, whose callers share loads; groups are sound, bounds, published, controls, engines, all. (default: the scenario's, else sound,bounds)",
            valueName: "names"),
        completion: .list(StrategyRegistry.current.names + groups.map(\.name) + ["engines", "all"]))
    var strategies: String?

    /// Names of groups, which no strategy may have.
    static var reservedNames: Set<String> { Set(groups.map(\.name) + ["engines", "all"]) }

    private static let groups: [(name: String, role: StrategyRole)] = [
        ("sound", .sound), ("bounds", .bound), ("published", .published), ("controls", .control),
    ]

    func validate() throws {
        _ = try chosen()
    }

    /// The strategies named on the command line, each once, in the order of the names; `nil` when none are named.
    func chosen() throws -> [Strategy]? {
        try strategies.map(Self.chosen)
    }

    /// The names that a scenario may list; `nil`, which means any, when the command line names the strategies.
    func allowed(of known: [String]) -> [String]? { strategies == nil ? known : nil }

    /// The strategies of a list of names, each once, in the order of the names.
    static func chosen(_ strategies: String) throws -> [Strategy] {
        var chosen: [Strategy] = []
        for name in strategies.split(separator: ",").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            for strategy in try self.strategies(called: name)
            where !chosen.contains(where: { $0.declaration.name == strategy.declaration.name }) {
                chosen.append(strategy)
            }
        }
        guard !chosen.isEmpty else { throw ValidationError("'--strategies' names no strategy.") }
        return chosen
    }

    private static func strategies(called name: String) throws -> [Strategy] {
        let registry = StrategyRegistry.current
        if name == "all" { return registry.strategies.filter { !$0.isNamedOnly } }
        if name == "engines" { return registry.namedOnly }
        if let role = groups.first(where: { $0.name == name })?.role { return registry.strategies(of: role) }
        if let strategy = registry[name] { return [strategy] }
        let base = StrategyRegistry.base(of: name) ?? name
        if let off = StrategyRegistry.off.first(where: { $0.name == base }) {
            throw ValidationError("The strategy '\(base)' is off: \(off.reason).")
        }
        if let reason = registry.reasonAgainstSharing(name) {
            throw ValidationError("There is no '\(name)': \(reason). Name \(base) itself.")
        }
        let known = StrategyRegistry.knownNames + groups.map(\.name) + ["engines", "all"]
        let hint =
            NearestName.of(name, in: known + registry.sharingNames).map { "did you mean '\($0)'?" }
            ?? "\(NearestName.hint(for: name, in: known)). The prefix shared+ lets callers share loads."
        throw ValidationError("There is no strategy called '\(name)'; \(hint)")
    }
}

extension StrategyRegistry {
    /// What tables show in place of a rank: the roles other than sound, by strategy.
    var marks: [String: String] {
        let roles = declarations.filter { $0.role != .sound }
        return Dictionary(roles.map { ($0.name, $0.role.rawValue) }) { first, _ in first }
    }

    /// What rankings are made by, apart from what a run says of its scenarios.
    var rankingRules: RankingRules {
        var rules = RankingRules(marks: marks)
        rules.abilities = abilities
        return rules
    }

    /// What strategies have that scenarios may need, by strategy.
    var abilities: [String: Set<StrategyNeed>] {
        Dictionary(declarations.map { ($0.name, $0.abilities) }) { first, _ in first }
    }

    /// How the promises of strategies differ from the usual ones, by strategy.
    var contracts: [String: String] {
        Dictionary(declarations.map { ($0.name, $0.contract) }) { first, _ in first }
    }
}

extension StrategyDeclaration {
    fileprivate var abilities: Set<StrategyNeed> {
        var abilities: Set<StrategyNeed> = []
        if promises.timeToLive != .none { abilities.insert(.lifetimes) }
        if promises.durability != .none { abilities.insert(.files) }
        return abilities
    }

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

extension NearestName {
    /// The hint for an unknown name: the nearest known name, or all of them when none is near.
    static func hint(for name: String, in known: [String]) -> String {
        of(name, in: known).map { "did you mean '\($0)'?" } ?? "there are: \(known.joined(separator: ", "))"
    }
}
