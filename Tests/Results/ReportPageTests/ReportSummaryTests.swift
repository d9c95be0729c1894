import Reports
import Testing
import TrialModel

@testable import ReportPage

@Suite(.timeLimit(.minutes(1)))
struct ReportSummaryTests {
    private static func lineCount(_ text: String) -> Int {
        text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
    }

    @Test(arguments: [1, 3, 60]) func `it has fewer than sixty lines`(strategies: Int) {
        var results: [PhaseResult] = []
        let scenarios: [ScenarioPoint] = ["a", "b"]
        for scenario in scenarios.prefix(strategies == 1 ? 1 : 2) {
            for index in 0..<strategies { results.append(PageSamples.phase("s\(index)", scenario: scenario)) }
        }
        var content = PageSamples.content(results)
        for index in 0..<strategies {
            content.races.append(
                RaceRow().with {
                    ($0.scenario, $0.strategy, $0.verdict, $0.runs) = ("a", "s\(index)", .racy, 1)
                    $0.runsFlagged = 1
                })
        }
        let summary = ReportPage(content).markdown
        #expect(Self.lineCount(summary) < 60)
        #expect(summary.contains("| s0 |"))
    }

    @Test func `the worst results come first`() throws {
        var content = PageSamples.everything()
        content.sources[0].verdict = RunVerdict(gates: [Self.failedGate])
        let summary = ReportPage(content).markdown
        let bad = try #require(summary.firstRange(of: "- **Bad:** Gate `answers` failed: 2 wrong answers of `lru`"))
        let careful = try #require(summary.firstRange(of: "- **Careful:**"))
        let table = try #require(summary.firstRange(of: "| strategy |"))
        #expect(bad.upperBound < careful.lowerBound)
        #expect(careful.upperBound < table.lowerBound)
    }

    private static let failedGate = VerdictGate(
        name: "answers", passed: false, reason: "2 wrong answers of `lru`", exitCode: .strategyFailed)

    @Test func `an overview of many scenarios hides no failed gate, and what is left out is named`() {
        let scenarios = (1...22).map { ScenarioPoint(named: "scenario-\($0)") }
        var content = PageSamples.content(
            scenarios.flatMap { scenario in (1...12).map { PageSamples.phase("s\($0)", scenario: scenario) } })
        content.sources[0].verdict = RunVerdict(gates: [Self.failedGate])
        let summary = ReportPage(content).markdown
        #expect(Self.lineCount(summary) < 60)
        #expect(summary.contains("- **Bad:** Gate `answers` failed: 2 wrong answers of `lru`"))
        #expect(summary.hasSuffix("\n\nThe rest is in the page.\n"))
        #expect(!ReportPage(PageSamples.content([PageSamples.phase("lru")])).markdown.contains("The rest is"))
    }

    @Test func `rows of several scenarios and baselines say which they are about`() {
        func rows(against baseline: String?) -> [ComparisonRow] {
            ["a", "b"].map { (scenario: ScenarioPoint) in
                ComparisonSamples.row("lru", scenario: scenario, .worse).with {
                    $0.baselineStrategy = baseline ?? $0.strategy
                }
            }
        }
        var content = ReportContent()
        content.comparisons = rows(against: nil)
        let own = ReportPage(content).markdown
        #expect(own.contains("### Comparisons that are not the same"))
        #expect(own.contains("| scenario | strategy | phase |"))
        #expect(own.contains("| a | lru | main |") && own.contains("| b | lru | main |"))
        content.comparisons = rows(against: "fifo")
        let within = ReportPage(content).markdown
        #expect(within.contains("### Comparisons against fifo that are not the same"))
        #expect(within.contains("| scenario | strategy | phase |"))
        content.comparisons += rows(against: "arc")
        let several = ReportPage(content).markdown
        #expect(several.contains("### Comparisons that are not the same"))
        #expect(several.contains("| a | lru | fifo | main |") && several.contains("| a | lru | arc | main |"))
    }

    @Test func `names can't become markup`() {
        let summary = ReportPage(PageSamples.everything()).markdown
        #expect(!summary.contains("<script>"))
        #expect(!summary.contains("<b>"))
        #expect(summary.contains("=cmd\\|' /C calc'!A0"))
    }

    @Test func `a published cache with a race is not bad news`() {
        var content = PageSamples.content([PageSamples.phase("lru")])
        content.races = [
            RaceRow().with {
                ($0.scenario, $0.strategy, $0.verdict, $0.runs, $0.runsFlagged) = ("a", "published-x", .racy, 1, 1)
            }
        ]
        content.marks["published-x"] = "reference"
        #expect(content.findings.map(\.level) == [.note])
    }
}
