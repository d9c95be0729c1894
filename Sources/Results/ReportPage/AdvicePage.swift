package import Reports
package import TrialModel

/// An advice as one self-contained HTML page: the decision, the curve, and every number with its error.
package struct AdvicePage: Sendable {
    private let trace: String
    private let headline: String
    private let isRefused: Bool
    private let table: Table
    private let curve: [ReplayRow]

    /// - Parameters:
    ///   - headline: the advice, or why there is none, in a sentence.
    ///   - curve: rows of the advised policy and of LRU at many sizes; may be empty.
    package init(trace: String, headline: String, isRefused: Bool, table: Table, curve: [ReplayRow]) {
        (self.trace, self.headline, self.isRefused, self.table, self.curve) = (trace, headline, isRefused, table, curve)
    }

    /// The whole page.
    package var html: String {
        let palette = Palette(curve.map(\.policy).distinct, marks: [:])
        let charts = MissRatioCurves.all(curve).flatMap(\.charts).map {
            Figure.html($0, caption: "Lower is better.", palette)
        }
        let sections = [
            Section(anchor: "advice", name: "Advice", content: PageTable(palette: palette).html(table)),
            Section(anchor: "curve", name: "Curve", content: Markup.figures(charts)),
        ].filter { $0.name != "Curve" || !charts.isEmpty }
        let header = PageHeader(
            title: Self.title, headline: headline, subtitle: trace,
            findings: isRefused
                ? [Finding(level: .warning, text: "This can't tell; nothing below is advice.")] : [],
            sections: sections)
        return PageDocument.html(title: Self.title, body: header.html + sections.map(\.html).joined())
    }

    private static let title = "Cache trials: advice"
}
