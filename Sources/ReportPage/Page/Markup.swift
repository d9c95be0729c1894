import Reports
import TrialModel

/// Pieces of HTML and SVG. Every text goes through ``escaped(_:)``, and nothing else makes markup of a text.
enum Markup {
    /// The text as it stands in an element or in an attribute between double quotes.
    ///
    /// Control characters and those that turn a line around are written out, so that a name shows what it is.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in DisplayWidth.harmless(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// An element around markup.
    ///
    /// - Parameter attributes: names that are known here, and values as they are; escaped on the way.
    static func element(_ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ content: String) -> String
    {
        "\(opening(name, attributes))>\(content)</\(name)>"
    }

    /// An element around a text.
    static func text(_ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ content: String) -> String {
        element(name, attributes, escaped(content))
    }

    /// An SVG element without content.
    static func shape(_ name: String, _ attributes: KeyValuePairs<String, String>) -> String {
        opening(name, attributes) + "/>"
    }

    /// A sentence in which backticks mark words.
    static func sentence(_ text: String) -> String {
        escaped(text).split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, part in
            index % 2 == 1 ? "<code>\(part)</code>" : String(part)
        }.joined()
    }

    private static func opening(_ name: String, _ attributes: KeyValuePairs<String, String>) -> String {
        "<\(name)" + attributes.map { " \($0)=\"\(escaped($1))\"" }.joined()
    }

    /// A place in a picture, to a tenth of its units: finer is not to be seen, and pages have many.
    static func place(_ value: Double) -> String {
        let text = DecimalText.fixed(value, places: 1)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// A number as SVG takes it, with two decimals at most.
    static func number(_ value: Double) -> String {
        let text = DecimalText.fixed(value, places: 2)
        guard text.hasSuffix("0") else { return text }
        return text.hasSuffix(".00") ? String(text.dropLast(3)) : String(text.dropLast())
    }
}
