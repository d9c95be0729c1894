import Reports
import Testing
import TrialModel

@testable import ReportPage

/// Frames on the page.
@Suite(.timeLimit(.minutes(1)))
struct FrameChartsTests {
    private static func result(_ strategy: String, held: UInt64, missed: UInt64 = 0) -> PhaseResult {
        var result = PageSamples.phase(strategy, scenario: "list")
        result.trial.driver = .main
        result.frames = FramesRow(key: result.trial.key).with {
            ($0.frames, $0.missed, $0.cells, $0.shownAtOnce, $0.shownLater) = (90, missed, 10, 5, 3)
            $0.heldP99 = held
        }
        result.frameTimes = (1...UInt64(90)).map { frame in
            FrameTimeRow(key: result.trial.key).with {
                $0.frame = frame
                $0.scroll = frame <= 45 ? "still" : "fling"
                $0.heldNanoseconds = held
                if frame == 50 { ($0.missed, $0.blame) = (missed, missed > 0 ? .cache : .none) }
            }
        }
        return result
    }

    private static func page(_ results: [PhaseResult]) -> String { ReportPage(PageSamples.content(results)).html }

    @Test func `a phase with frames has a table, a line over the scroll and bars`() {
        let html = Self.page([Self.result("lru", held: 1_000), Self.result("disk", held: 5_000_000, missed: 2)])
        #expect(html.contains("Frames of main</h3>"))
        #expect(html.contains("The main thread blocked by the cache, main"))
        #expect(html.contains(">still</text>") && html.contains(">fling</text>"))
        #expect(html.contains("<title>lru: at once 50 %, later 30 %, never 20 %</title>"))
    }

    @Test func `a missed frame is a cross, and no other frame is`() throws {
        let ranking = try #require(
            ScenarioRanking.all([Self.result("lru", held: 1_000), Self.result("disk", held: 5_000_000, missed: 2)])
                .first)
        let chart = try #require(FrameCharts(ranking: ranking, palette: Palette([], marks: [:])).held(in: "main"))
        let marks = Dictionary(chart.series.map { ($0.strategy, $0.marks) }) { first, _ in first }
        #expect(marks["lru"] == [] && marks["disk"] == [LineChart.Point(x: 50, y: 5_000_000)])
    }

    @Test func `the picture of a list shows the main thread and the loading of its rows`() throws {
        let content = PageSamples.content([Self.result("lru", held: 1_000), Self.result("disk", held: 5_000_000)])
        let picture = try #require(ReportPage(content).picture)
        #expect(picture.contains("The main thread blocked by the cache, main (list)"))
        #expect(picture.contains("What cells showed, main (list)") && !picture.contains("Latency by percentile"))
    }
}
