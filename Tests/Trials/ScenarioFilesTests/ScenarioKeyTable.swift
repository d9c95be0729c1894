@testable import ScenarioFiles

/// The tables of keys in `Scenarios/README.md`, made from the same declarations as the reader's messages.
enum ScenarioKeyTable {
    /// A table for the top level, and one for each section.
    static func markdown() -> String {
        var sections: [String] = []
        add(ScenarioKeys().declarations, title: "At the top", path: "", to: &sections)
        return sections.joined(separator: "\n\n") + "\n"
    }

    private static func add(_ keys: [ScenarioKey], title: String, path: String, to sections: inout [String]) {
        var lines = ["### \(title)", "", "| key | allowed | default | meaning |", "| --- | --- | --- | --- |"]
        for key in keys { add(key, path: path, to: &lines) }
        sections.append(lines.joined(separator: "\n"))
        guard path.isEmpty else { return }
        for key in keys {
            switch key.form {
            case .mapping(let inner, _): add(inner, title: "In `\(key.name)`", path: "\(key.name).", to: &sections)
            case .list(.mapping(let inner, _), _):
                add(inner, title: "In each of `\(key.name)`", path: "\(key.name)[].", to: &sections)
            case .any(let forms):
                guard case .mapping(let inner, _)? = forms.first else { break }
                add(inner, title: "In `\(key.name)`", path: "\(key.name).", to: &sections)
            default: break
            }
        }
    }

    private static func add(
        _ key: ScenarioKey, path: String, isAlternative: Bool = false, to lines: inout [String]
    ) {
        let requirement = isAlternative ? "one of these" : "required"
        let defaultText = key.isRequired ? requirement : key.defaultText ?? ""
        lines.append("| `\(path)\(key.name)` | \(allowed(key.form)) | \(defaultText) | \(key.meaning) |")
        // Mappings and lists at the top have a separate table.
        guard !path.isEmpty else { return }
        for (inner, isAlternative) in innerKeys(of: key.form) {
            add(inner, path: "\(path)\(key.name).", isAlternative: isAlternative, to: &lines)
        }
    }

    /// The keys within a value. Distributions are the same everywhere and have a separate chapter.
    private static func innerKeys(of form: ScenarioForm) -> [(key: ScenarioKey, isAlternative: Bool)] {
        switch form {
        case .mapping(let keys, _): keys.map { ($0, false) }
        case .oneOf(let keys) where !keys.contains { $0.name == "log-normal" }: keys.map { ($0, true) }
        case .any(let forms): forms.flatMap(innerKeys)
        default: []
        }
    }

    private static func allowed(_ form: ScenarioForm) -> String {
        switch form {
        case .mapping: "a mapping"
        case .list(of: .mapping, let count):
            "a list of \(count.range.lowerBound) to \(count.range.upperBound) mappings"
        case .list(let element, let count):
            "a list of \(count.range.lowerBound) to \(count.range.upperBound), each \(allowed(element))"
        case .choice(let words): words.map { "`\($0)`" }.joined(separator: ", ")
        case .oneOf(let keys): keys.map { "`{ \($0.name): … }`" }.joined(separator: ", ")
        case .any(let forms): forms.map(allowed).joined(separator: ", or ")
        default: form.allowed
        }
    }
}
