import Foundation

/// A way in which scenarios and commands differ, with its values; the first one is the default.
struct Feature: Sendable {
    let name: String
    let values: [Value]

    /// What one value writes into the scenario and the command.
    struct Value: Sendable {
        let name: String
        /// Keys of the scenario by path, such as `keys.shift.every`; an empty text removes the key.
        var keys: KeyValuePairs<String, String> = [:]
        /// Options of the command.
        var arguments: [String] = []
    }

    init(_ name: String, _ values: Value...) {
        (self.name, self.values) = (name, values)
    }
}

extension Feature.Value {
    /// A value that writes nothing.
    static func plain(_ name: String) -> Self { Self(name: name) }
    /// A value that is written in the scenario.
    static func keys(_ name: String, _ keys: KeyValuePairs<String, String>) -> Self { Self(name: name, keys: keys) }
    /// A value that is written on the command line.
    static func options(_ name: String, _ arguments: String...) -> Self { Self(name: name, arguments: arguments) }
}

extension Feature {
    /// All features: those of a scenario, then those of a command.
    static let all = ofScenario + ofCommand

    /// The index of a feature and of one of its values.
    struct Choice: Hashable, Sendable, CustomStringConvertible {
        var feature: Int
        var value: Int

        var description: String { "\(Feature.all[feature].name): \(Feature.all[feature].values[value].name)" }
    }

    /// The choices of a selector: `mix: writes, burst`; or `shift` for all values but the default.
    static func choices(_ selector: String) -> [Choice] {
        let parts = selector.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        guard let feature = all.firstIndex(where: { $0.name == parts[0] }) else { return [] }
        let values = all[feature].values.map(\.name)
        guard parts.count == 2 else { return values.indices.dropFirst().map { Choice(feature: feature, value: $0) } }
        let names = parts[1].split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let indices = names.compactMap(values.firstIndex)
        return indices.count == names.count ? indices.map { Choice(feature: feature, value: $0) } : []
    }
}
