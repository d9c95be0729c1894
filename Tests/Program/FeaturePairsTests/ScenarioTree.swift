/// A scenario as a tree, written as YAML.
indirect enum ScenarioTree {
    typealias Entry = (key: String, value: ScenarioTree)

    case text(String)
    case mapping([Entry])
    case list([ScenarioTree])

    private enum Step {
        case key(String)
        case index(Int)
    }

    /// Sets the value at a path such as `phases[1].mix.load`, in place of what is there.
    mutating func set(_ path: String, to text: String) {
        set(Self.steps(of: path)[...], to: text)
    }

    private static func steps(of path: String) -> [Step] {
        path.split(separator: ".").flatMap { part -> [Step] in
            let pieces = part.split { "[]".contains($0) }
            return [.key(String(pieces[0]))] + pieces.dropFirst().compactMap { Int($0).map(Step.index) }
        }
    }

    private mutating func set(_ steps: ArraySlice<Step>, to text: String) {
        switch steps.first {
        case nil: self = .text(text)
        case .key(let key):
            var entries: [Entry] = []
            if case .mapping(let present) = self { entries = present }
            if let index = entries.firstIndex(where: { $0.key == key }) {
                entries[index].value.set(steps.dropFirst(), to: text)
            } else {
                var value = ScenarioTree.text("")
                value.set(steps.dropFirst(), to: text)
                entries.append((key, value))
            }
            self = .mapping(entries)
        case .index(let index):
            var elements: [ScenarioTree] = []
            if case .list(let present) = self { elements = present }
            while elements.count <= index { elements.append(.text("")) }
            elements[index].set(steps.dropFirst(), to: text)
            self = .list(elements)
        }
    }

    private static func present(_ entries: [Entry]) -> [Entry] {
        entries.filter { if case .text("") = $0.value { false } else { true } }
    }

    /// The tree on one line.
    private var inline: String {
        switch self {
        case .text(let text): text
        case .mapping(let entries):
            "{ \(Self.present(entries).map { "\($0.key): \($0.value.inline)" }.joined(separator: ", ")) }"
        case .list(let elements): "[\(elements.map(\.inline).joined(separator: ", "))]"
        }
    }

    /// The text of the file: a line for each key at the top, and for each element of its lists.
    var yaml: String {
        guard case .mapping(let entries) = self else { return inline }
        return Self.present(entries).map { key, value in
            guard case .list(let elements) = value else { return "\(key): \(value.inline)\n" }
            return "\(key):\n" + elements.map { "  - \($0.inline)\n" }.joined()
        }.joined()
    }
}
