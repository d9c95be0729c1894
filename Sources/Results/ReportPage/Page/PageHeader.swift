import Foundation
import Reports
import TrialModel

/// The start of a page: its title, its result, the worst findings, and links to its parts.
struct PageHeader {
    var title: String
    /// The result in one sentence; `nil` where a table shows it.
    var headline: String?
    /// What was tried, where and when.
    var subtitle: String
    /// The table that is the result; `nil` where a sentence says it.
    var result: Section?
    /// The findings, the worst first.
    var findings: [Finding]
    /// The parts of the page.
    var sections: [Section]

    var html: String {
        let items = findings.map { finding in
            Markup.element("li", ["class": "\(finding.level)"], Markup.sentence(finding.text))
        }
        let links = sections.map { Markup.text("a", ["href": "#\($0.anchor)"], $0.name) }
        let first = headline.map { Markup.element("p", [:], Markup.text("strong", [:], $0)) } ?? ""
        return Markup.text("h1", [:], title) + first + Markup.text("p", ["class": "sub"], subtitle)
            + (result?.html ?? "")
            + (items.isEmpty ? "" : Markup.element("ul", ["class": "findings"], items.joined()))
            + Markup.element("nav", [:], links.joined(separator: " ")) + "\n"
    }

    /// The machine and the time of a run.
    static func origin(of run: RunDescription) -> [String] {
        ["\(run.host.cpu), \(Quantity.many(run.host.cores, "core"))", run.start.formatted(.iso8601)]
    }
}
