import Reports
import Testing

@testable import ReportPage
@testable import TrialModel

/// The top of a page of several scenarios.
@Suite(.timeLimit(.minutes(1)))
struct OverviewTests {
    /// Two strategies under three scenarios.
    private static let results = ["a", "b", "c"].flatMap { (scenario: ScenarioPoint) in
        ["lru", "disk"].map { PageSamples.phase($0, scenario: scenario) }
    }

    @Test func `the page opens with a matrix whose heads lead to the scenarios`() {
        var content = PageSamples.content(Self.results)
        content.sources[0].run?.scenarios = [
            RunDescription.ScenarioReference().with {
                ($0.name, $0.question) = ("a", ScenarioQuestion(text: "Who is it?"))
            }
        ]
        let html = ReportPage(content).html
        let matrix = html.split(separator: "<table class=\"matrix\">").last?.split(separator: "</table>").first ?? ""
        #expect(matrix.contains("title=\"Who is it? Decided by origin requests per lookup.\">a</button>"))
        #expect(matrix.contains("<a href=\"#scenario-2\" aria-label=\"To c\">"))
        #expect(html.contains("id=\"scenario-2\""))
        #expect(matrix.contains("data-v=\"lru\"") && matrix.contains("class=\"n best\""))
        #expect(html.contains("<p class=\"question\">Who is it?</p>"))
    }

    @Test func `the page names the best strategy, unless it is of a smoke run`() {
        var content = PageSamples.content(Self.results)
        #expect(ReportPage(content).html.contains("In 3 scenarios no strategy is surely best. Not decided: a, b, c."))
        #expect(ReportPage(content).html.contains("is ahead of"))
        content.sources[0].run?.smoke = true
        #expect(!ReportPage(content).html.contains("is ahead of"))
    }
}
