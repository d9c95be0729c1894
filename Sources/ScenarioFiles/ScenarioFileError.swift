/// The error of an invalid scenario file, with all of its mistakes.
package struct ScenarioFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// All mistakes, in order of position; never empty.
    package let mistakes: [ScenarioMistake]

    init(_ mistakes: [ScenarioMistake]) {
        self.mistakes = mistakes.sorted { ($0.position, $0.key, $0.message) < ($1.position, $1.key, $1.message) }
    }

    /// One line for each mistake.
    package var description: String {
        mistakes.map(\.description).joined(separator: "\n")
    }
}

/// One mistake in a scenario file: its position, what was found and what is allowed.
package struct ScenarioMistake: Hashable, Sendable, CustomStringConvertible {
    /// The file, as the caller named it.
    package let file: String
    /// From 1.
    package let line: Int
    /// From 1, in Unicode scalars.
    package let column: Int
    /// The dotted path of the key, such as `phases[1].mix.load`; empty when the mistake is outside a value.
    package let key: String
    /// What was found, and what is allowed.
    package let message: String

    init(file: String, position: YAMLPosition, key: String, message: String) {
        self.file = file
        self.line = position.line
        self.column = position.column
        self.key = key
        self.message = message
    }

    var position: YAMLPosition { YAMLPosition(line: line, column: column) }

    /// `file:line:column: key: message`, a form that editors and terminals turn into a link.
    package var description: String {
        "\(file):\(line):\(column): " + (key.isEmpty ? message : "\(key): \(message)")
    }
}

/// A place in a text.
struct YAMLPosition: Hashable, Comparable, Sendable {
    /// From 1.
    var line: Int
    /// From 1, in Unicode scalars, as libyaml counts.
    var column: Int

    static let start = YAMLPosition(line: 1, column: 1)

    static func < (left: YAMLPosition, right: YAMLPosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
