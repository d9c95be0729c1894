import Reports
import TrialModel

/// Pieces of HTML and SVG. All text goes through ``escaped(_:)``; nothing else turns text into markup.
enum Markup {
    /// The text, escaped for an element or for an attribute in double quotes.
    ///
    /// Control characters and bidirectional overrides are written out, so that a name can't be displayed as something
    /// else.
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
    /// - Parameter attributes: names known at compile time, and raw values; the values are escaped here.
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

    /// A sentence in which backticks mark code.
    static func sentence(_ text: String) -> String {
        escaped(text).split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, part in
            index % 2 == 1 ? "<code>\(part)</code>" : String(part)
        }.joined()
    }

    /// How to read what follows; backticks mark code.
    static func caption(_ text: String?) -> String { element("p", ["class": "caption"], sentence(text ?? "")) }

    /// Charts beside each other.
    static func figures(_ figures: [String]) -> String { element("div", ["class": "figures"], figures.joined()) }

    /// Markup that a reader can unfold.
    static func details(_ summary: String, isOpen: Bool = false, _ content: String) -> String {
        let content = text("summary", [:], summary) + content
        return isOpen ? element("details", ["open": ""], content) : element("details", [:], content)
    }

    private static func opening(_ name: String, _ attributes: KeyValuePairs<String, String>) -> String {
        "<\(name)" + attributes.map { " \($0)=\"\(escaped($1))\"" }.joined()
    }

    /// A position in a chart, to a tenth of its units: a finer one is invisible, and pages have many positions.
    static func place(_ value: Double) -> String { DecimalText.shortest(value, places: 1) }

    /// A number for SVG, with at most two decimals.
    static func number(_ value: Double) -> String { DecimalText.shortest(value, places: 2) }
}

/// A part of a page: a heading, and a link to it at the start of the page.
struct Section {
    let anchor: String
    /// The text of the link.
    let name: String
    /// The heading; `nil` for the name.
    var title: String?
    let content: String

    var html: String {
        Markup.element("section", [:], Markup.text("h2", ["id": anchor], title ?? name) + content) + "\n"
    }
}
