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

    @Test(arguments: ["report": 20, "comparison": 20])
    func `every picture is well formed`(name: String, least: Int) throws {
        let html = try #require(Self.pages[name])
        let pictures = html.matches(of: #/<svg xmlns.*?</svg>/#.dotMatchesNewlines()).map { String($0.0) }
        #expect(pictures.count >= least)
        for picture in pictures { #expect(try XMLParsing.elements(picture).contains("path")) }
    }
}
