import Foundation
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

    @Test func `the page opens with the overview, whose cells lead to the scenarios`() throws {
        var content = PageSamples.content(Self.results)
        content.sources[0].run?.scenarios = [
            RunDescription.ScenarioReference().with {
                ($0.name, $0.question) = ("a", ScenarioQuestion(text: "Who is it?", column: "a scan passes"))
            }
        ]
        let html = ReportPage(content).html
        let table = html.split(separator: "<table class=\"overview\">").last?.split(separator: "</table>").first ?? ""
        #expect(table.contains("title=\"Who is it? Decided by origin requests per lookup.\">a scan passes<br>"))
        #expect(table.contains("<a href=\"#scenario-2\">") && html.contains("id=\"scenario-2\""))
        #expect(
            table.contains("data-v=\"lru\"") && table.contains("class=\"best\""))
        #expect(html.contains("<p class=\"question\">Who is it?</p>"))
        let (first, findings) = (try #require(html.range(of: "id=\"verdict\"")), html.range(of: "class=\"findings\""))
        #expect(first.lowerBound < (findings?.lowerBound ?? html.endIndex))
    }

    @Test func `the page names the best strategy, unless it is of a smoke run`() {
        var content = PageSamples.content(Self.results)
        #expect(ReportPage(content).html.contains("a: disk and lru have the lowest origin requests per lookup"))
        #expect(ReportPage(content).markdown.contains("- a: disk and lru have the lowest"))
        content.sources[0].run?.smoke = true
        #expect(!ReportPage(content).html.contains("have the lowest"))
        #expect(!ReportPage(content).markdown.contains("have the lowest"))
    }
}
