import Foundation
import Reports

/// What a page begins with: its name, what it comes to, the worst news, and ways to its parts.
struct PageHeader {
    var title: String
    /// What the page comes to, in one sentence; `nil` where a table says it.
    var headline: String?
    /// What was tried, where and when.
    var subtitle: String
    /// The worst first.
    var findings: [Finding]
    /// Anchors and names.
    var parts: [(String, String)]

    var html: String {
        let items = findings.map { finding in
            Markup.element("li", ["class": "\(finding.level)"], Markup.sentence(finding.text))
        }
        let links = parts.map { Markup.text("a", ["href": "#\($0.0)"], $0.1) }
        let first = headline.map { Markup.element("p", [:], Markup.text("strong", [:], $0)) } ?? ""
        return Markup.text("h1", [:], title) + first + Markup.text("p", ["class": "sub"], subtitle)
            + (items.isEmpty ? "" : Markup.element("ul", ["class": "findings"], items.joined()))
            + Markup.element("nav", [:], links.joined(separator: " ")) + "\n"
    }

    /// The machine and the time of a run.
    static func origin(of run: RunDescription) -> [String] {
        ["\(run.host.cpu), \(many(run.host.cores, "core"))", run.start.formatted(.iso8601)]
    }

    /// `1 core`, `2 cores`.
    static func many(_ count: some BinaryInteger, _ one: String, _ several: String? = nil) -> String {
        "\(count) \(count == 1 ? one : several ?? one + "s")"
    }
}
