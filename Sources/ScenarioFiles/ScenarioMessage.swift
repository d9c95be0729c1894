import TrialModel

/// The wording of every message, in one place.
enum ScenarioMessage {
    /// `found X, allowed: Y (hint)`.
    static func text(found: String, allowed: String, hint: String? = nil) -> String {
        "found \(found), allowed: \(allowed)" + (hint.map { " (\($0))" } ?? "")
    }

    /// A text from a file, made safe to print: truncated, and without terminal control characters.
    static func quote(_ text: String, length: Int = 40) -> String {
        var safe = ""
        for (index, scalar) in text.unicodeScalars.enumerated() {
            guard index < length else { return safe + "…" }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse:
                safe += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    /// Names as a list.
    static func list(_ names: [String]) -> String {
        names.joined(separator: ", ")
    }

    /// The hint for a mistyped name; `nil` when nothing is close.
    static func didYouMean(_ name: String, in candidates: [String]) -> String? {
        NearestName.of(name, in: candidates).map { "did you mean \($0)?" }
    }
}
