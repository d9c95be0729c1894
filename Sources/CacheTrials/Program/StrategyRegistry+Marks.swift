import CacheStrategies

extension StrategyRegistry {
    /// What stands in place of a rank: the roles other than sound, by strategy.
    var marks: [String: String] {
        let roles = declarations.filter { $0.role != .sound }
        return Dictionary(roles.map { ($0.name, $0.role.rawValue) }) { first, _ in first }
    }
}
