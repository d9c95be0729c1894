import Foundation
import Reports
import Testing
import TrialModel

@testable import ReportPage

/// What holds for every page.
@Suite(.timeLimit(.minutes(1)))
struct PageRulesTests {
    /// Pages of results and of a comparison, whose names try to become markup.
    private static let pages: [String: String] = [
        "report": ReportPage(PageSamples.everything()).html,
        "comparison": ComparisonSamples.page(
            PageSamples.hostileNames.map { name in
                ComparisonSamples.row(
                    name, scenario: ScenarioPoint(named: name), phase: name, .inconclusive, reason: name)
            }, notes: PageSamples.hostileNames
        ).html,
    ]

    @Test(arguments: pages.keys.sorted()) func `a page is one file that loads nothing from outside`(name: String) throws
    {
        let html = try #require(Self.pages[name])
        let text = html.replacing("http://www.w3.org/2000/svg", with: "")
        for word in ["http:", "https:", " src=\"", "url(", "@import", "<link", " style=\"", " onclick"] {
            #expect(!text.contains(word), "\(word)")
        }
        #expect(html.hasPrefix("<!doctype html>") && html.hasSuffix("</html>\n"))
        let policies = try Self.pages.values.map { page in
            try #require(page.firstMatch(of: #/<meta http-equiv="Content-Security-Policy" content="([^"]*)">/#)).1
        }
        #expect(Set(policies).count == 1 && policies[0].contains("default-src 'none'; style-src 'sha256-"))
    }

    @Test(arguments: pages.keys.sorted()) func `names can't become markup`(name: String) throws {
        let html = try #require(Self.pages[name])
        for markup in ["<script>alert", "<b>scan", "<i>after", "<host>", "\"onload=", "<img"] {
            #expect(!html.contains(markup), "\(markup)")
        }
        #expect(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
    }

    @Test func `a page of many scenarios stays small`() {
        let strategies = (1...12).map { "strategy-\($0)" }
        let results = (1...3).flatMap { scenario in
            strategies.enumerated().flatMap { index, strategy in
                (1...2).flatMap { repetition in
                    ["main", "after"].map { phase in
                        PageSamples.phase(
                            strategy, scenario: ScenarioPoint(named: "scenario-\(scenario)"),
                            repetition: index + repetition,
                            name: phase)
                    }
                }
            }
        }
        // A seventh of a page of 21 scenarios, which is wanted below 2 MB with the charts that these rows don't have.
        #expect(ReportPage(PageSamples.content(results)).html.utf8.count < 200_000)
    }

    @Test func `a thinned line passes within a third of a unit of what it leaves out`() {
        let places = (0...200).map { (x: Double($0), y: 100 * (1 - exp(-Double($0) / 30))) }
        let kept = PathText.thinned(places)
        #expect(kept.count < 40 && kept.first?.x == 0 && kept.last?.x == 200)
        for (from, to) in zip(kept, kept.dropFirst()) {
            for place in places where place.x > from.x && place.x < to.x {
                let line = from.y + (to.y - from.y) * (place.x - from.x) / (to.x - from.x)
                #expect(abs(line - place.y) < 1)
            }
        }
        #expect(PathText([(58, 294), (60.34, 292.96), (60.5, 293)]).text == "M58 294l2.3-1 .2 0")
        #expect(PathText.thinned([(0, 0), (1, 0), (2, 0)]).count == 2)
    }

    @Test(arguments: ["report": 20, "comparison": 10])
    func `every picture is well formed`(name: String, least: Int) throws {
        let html = try #require(Self.pages[name])
        let pictures = html.matches(of: #/<svg xmlns.*?</svg>/#.dotMatchesNewlines()).map { String($0.0) }
        #expect(pictures.count >= least)
        for picture in pictures { #expect(try XMLParsing.elements(picture).contains("path")) }
    }
}
