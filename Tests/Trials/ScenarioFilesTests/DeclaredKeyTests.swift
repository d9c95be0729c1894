import Testing

@testable import ScenarioFiles

/// A key is declared once: the reader accepts every key that schema and tables list, and requires what they say.
@Suite(.timeLimit(.minutes(1)))
struct DeclaredKeyTests {
    /// A declared key with its path, and the lines of a file around it.
    struct Place: Sendable, CustomTestStringConvertible {
        let key: ScenarioKey
        let path: String
        /// The text before and after the key's value.
        let opening, closing: String

        var testDescription: String { path }

        /// The mistakes of the key's own value in a file with little else.
        func mistakes(of value: String) -> [String] {
            // A phase can have pools only if the scenario has some.
            let context = path.hasPrefix("phases[0].pools") ? "pools: [ { name: a, count: 10 } ]\n" : ""
            let prefix = " \(path): found "
            return HostileText.mistakes(in: context + opening + value + closing).compactMap { mistake in
                mistake.firstRange(of: prefix).map { String(mistake[$0.upperBound...]) }
            }
        }
    }

    static let places = Self.places(of: ScenarioKeys().declarations, path: "", opening: "", closing: "\n")

    /// The other keys without which the reader refuses a key with any value.
    private static let neighbours = [
        "keys.format": "trace: a.csv, ", "keys.requests": "trace: a.csv, ", "keys.speed": "trace: a.csv, ",
        "values.changes": "kind: bytes, size: 1 B, ", "phases[0].arrival.spacing": "steps: [], ",
    ]

    private static func places(of keys: [ScenarioKey], path: String, opening: String, closing: String) -> [Place] {
        keys.flatMap { key -> [Place] in
            let name = path.isEmpty ? key.name : "\(path).\(key.name)"
            let start = opening + (neighbours[name] ?? "") + "\(key.name): "
            let place = Place(key: key, path: name, opening: start, closing: closing)
            return [place] + inner(key.form, path: name, opening: start, closing: closing)
        }
    }

    private static func inner(_ form: ScenarioForm, path: String, opening: String, closing: String) -> [Place] {
        switch form {
        case .mapping(let keys, _), .oneOf(let keys):
            places(of: keys, path: path, opening: opening + "{ ", closing: " }" + closing)
        case .list(let element, _):
            inner(element, path: path + "[0]", opening: opening + "[ ", closing: " ]" + closing)
        case .any(let forms): forms.flatMap { inner($0, path: path, opening: opening, closing: closing) }
        default: []
        }
    }

    /// What messages may say about a value: the words of its form, or of one of several forms.
    private static func texts(_ form: ScenarioForm) -> [String] {
        if case .any(let forms) = form { [form.allowed] + forms.flatMap(texts) } else { [form.allowed] }
    }

    /// A value of a wrong form: a list, or where lists are allowed a mapping without keys.
    private static func wrongValue(of form: ScenarioForm) -> String {
        switch form {
        case .list: "wrong"
        case .any(let forms) where forms.contains { if case .mapping = $0 { true } else { false } }: "wrong"
        case .any(let forms) where forms.contains { if case .list = $0 { true } else { false } }: "{}"
        default: "[]"
        }
    }

    @Test(arguments: places)
    func `the reader refuses a value of another form than the declared one`(place: Place) {
        let mistakes = place.mistakes(of: Self.wrongValue(of: place.key.form))
        guard case .list = place.key.form else {
            #expect(
                Self.texts(place.key.form).contains { text in mistakes.contains { $0.contains("allowed: \(text)") } })
            return
        }
        #expect(mistakes.contains { $0.hasPrefix("wrong, allowed: a list of ") })
    }

    /// Values just outside of the range of a number, or of the length of a list.
    private static func valuesOutside(_ form: ScenarioForm) -> [String] {
        switch form {
        case .amount(let limit):
            let unit =
                switch limit.kind {
                case .count: ""
                case .size: " B"
                case .time: " ns"
                }
            let low = limit.range.lowerBound
            return [low > 0 ? "\(low - 1)\(unit)" : "-1\(unit)", "\(limit.range.upperBound + 1)\(unit)"]
        case .fraction(let limit):
            return ["-1", limit.kind == .plain ? "\(Int(limit.range.upperBound) + 1)" : "101%"]
        default: return []
        }
    }

    @Test(arguments: places.filter { !valuesOutside($0.key.form).isEmpty })
    func `the reader refuses a number outside of the declared range`(place: Place) {
        for value in Self.valuesOutside(place.key.form) {
            let mistakes = place.mistakes(of: value)
            #expect(
                mistakes.contains { $0.hasPrefix("\(value), allowed: \(place.key.form.allowed)") },
                "\(value): \(mistakes)")
        }
    }

    @Test(arguments: places.filter { $0.key.defaultText != nil })
    func `the reader accepts a default that is written as a value`(place: Place) throws {
        let text = try #require(place.key.defaultText)
        // Some words are not values: they explain the effect of the key's absence.
        guard text.wholeMatch(of: /[0-9.]+ ?(%|s|ms)?|true|false|uniform|closed|automatic|even|server/) != nil else {
            return
        }
        #expect(place.mistakes(of: text).isEmpty)
    }

    @Test func `no name is declared twice in a mapping`() {
        let paths = Self.places.map(\.path)
        #expect(Set(paths).count == paths.count)
        #expect(paths.count > 150)
    }
}
