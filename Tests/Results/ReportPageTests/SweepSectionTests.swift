import Reports
import Testing
import TrialModel

@testable import ReportPage

/// A swept scenario on the page.
@Suite(.timeLimit(.minutes(1)))
struct SweepSectionTests {
    /// Trials of a sweep; a larger first dimension gives more hits and less time.
    private static func results(
        _ strategies: [String] = ["lru", "sieve", "none"], clients: [Double] = [], capacity: [Double] = [],
        repetitions: Int = 2
    ) -> [PhaseResult] {
        let points = (clients.isEmpty ? [nil] : clients.map(Optional.some)).flatMap { clients in
            (capacity.isEmpty ? [nil] : capacity.map(Optional.some)).map { capacity in (clients, capacity) }
        }
        return points.flatMap { clients, capacity in
            strategies.flatMap { strategy in
                (1...repetitions).map { repetition in
                    var point = ScenarioPoint(named: "scaling")
                    (point[.clients], point[.capacity]) = (clients, capacity)
                    var result = PageSamples.phase(strategy, scenario: point, repetition: repetition)
                    let size = (clients ?? 1) * (capacity ?? 1)
                    result.trial.elapsedNanoseconds = UInt64(1e9 / size) + UInt64(repetition) * 1_000
                    let hits = strategy == "none" ? 0 : UInt64(min(800, 100 + size))
                    result.hitRate?.hits = hits
                    result.hitRate?.originLoads = 1_000 - hits
                    return result
                }
            }
        }
    }

    private static func page(_ results: [PhaseResult]) -> ReportPage { ReportPage(PageSamples.content(results)) }

    /// The charts of a page with their captions.
    private static func figures(_ html: String) -> [String] {
        html.matches(of: #/<figure>.*?</figure>/#.dotMatchesNewlines()).map { String($0.0) }
    }

    @Test func `a sweep is one section with curves and tables, and has no rankings`() throws {
        let html = Self.page(Self.results(clients: [1, 2, 4, 16])).html
        #expect(html.contains("<h2 id=\"sweep-0\">scaling</h2>"))
        #expect(html.contains("<a href=\"#sweep-0\">scaling</a>"))
        #expect(!html.contains("id=\"verdict\"") && !html.contains("scaling clients=2"))
        let figures = Self.figures(html)
        #expect(figures.count == 3)
        #expect(figures[0].contains("Throughput by clients") && figures[1].contains("<b>p99 by clients</b>"))
        #expect(html.contains("<h3>scaling: throughput by clients</h3>"))
        #expect(html.contains("data-v=\"1000\"") || html.contains("data-v=\"999"))
        for picture in html.matches(of: #/<svg xmlns.*?</svg>/#.dotMatchesNewlines()) {
            #expect(try XMLParsing.elements(String(picture.0)).contains("path"))
        }
    }

    @Test func `every value has a tick, and every point a mark`() throws {
        let chart = try #require(
            SweepCharts(sweep: Self.page(Self.results(clients: [1, 2, 4, 16])).sweeps[0]).leading.first)
        #expect(chart.x.ticks.map(\.text) == ["1", "2", "4", "16"])
        #expect(chart.x.scale == .logarithmic)
        let svg = chart.svg(width: 600, Palette(["lru", "sieve", "none"], marks: ["none": "baseline"]))
        // Four points and one mark beside the name of each of three strategies.
        let marks = svg.matches(of: #/class="mark dot[^"]*" d="([^"]*)"/#).map(\.1)
        #expect(marks.reduce(0) { sum, path in sum + path.count { $0 == "M" } } == 3 * 5)
    }

    @Test func `the ideal is the throughput of one client times the clients`() throws {
        let charts = SweepCharts(sweep: Self.page(Self.results(clients: [1, 2, 4], repetitions: 1)).sweeps[0])
        let chart = try #require(charts.leading.first)
        let ideal = try #require(chart.series.first { $0.isReference })
        let first = try #require(ideal.pieces[0].first)
        #expect(ideal.strategy == "ideal")
        #expect(ideal.pieces[0].map { ($0.y / first.y).rounded() } == [1, 2, 4])
        #expect(charts.caption(.throughput, charts.sweep.groups[0]).contains("`ideal`: `lru` with"))
    }

    @Test func `hit ratio over capacity has the optimum, and not the bound without hits`() throws {
        let sweep = Self.page(Self.results(capacity: [10, 100, 700])).sweeps[0]
        let charts = SweepCharts(sweep: sweep)
        #expect(charts.figures.prefix(2) == [.hitRatio, .originShare])
        #expect(
            charts.leading.map { $0.series.map(\.strategy) } == [
                ["lru", "sieve", "optimum"], ["lru", "sieve", "optimum"],
            ])
        #expect(charts.leading[1].series[2].pieces[0].allSatisfy { abs($0.y - 0.2) < 1e-9 })
        #expect(SweepTable.tables(sweep)[0].rows.map { $0[0].text } == ["lru", "sieve", "none", "optimum"])
    }

    @Test func `a second dimension gives a picture for each of its values, on the same axes`() throws {
        let page = Self.page(Self.results(clients: [1, 2, 4], capacity: [10, 20]))
        let charts = SweepCharts(sweep: page.sweeps[0])
        let pictures = page.sweeps[0].groups.compactMap { charts.chart(.throughput, $0) }
        #expect(
            pictures.map(\.title) == [
                "Throughput by clients, capacity 10", "Throughput by clients, capacity 20",
            ])
        #expect(pictures[0].y.range == pictures[1].y.range)
        #expect(page.html.contains("<h3>scaling: throughput by clients, capacity 20</h3>"))
    }

    @Test func `repetitions are a band, and a gap divides the line`() throws {
        var results = Self.results(["lru", "sieve"], clients: [1, 2, 4, 8])
        results.removeAll { $0.trial.key.strategy == "lru" && $0.trial.key.scenario[.clients] == 4 }
        var crash = PageSamples.phase("lru", scenario: ScenarioPoint(named: "scaling", [.clients: 4]), status: .crashed)
        crash.trial.reason = "signal <11>"
        let page = Self.page(results + [crash])
        let chart = try #require(SweepCharts(sweep: page.sweeps[0]).leading.first)
        #expect(chart.series.first { $0.strategy == "lru" }?.pieces.map { $0.map(\.x) } == [[1, 2], [8]])
        let svg = chart.svg(width: 600, page.palette)
        #expect(svg.matches(of: #/class="spread"/#).count == 2)
        #expect(svg.matches(of: #/class="whisker"/#).count == 1)
        #expect(page.html.contains("lru at 4 clients: crashed (repetition 1, phase main): signal &lt;11&gt;"))
        #expect(page.html.contains("data-v=\"\">crashed</td>"))
    }

    @Test func `a sweep without a completed trial is a section without pictures`() {
        let results = [1.0, 2].map {
            PageSamples.phase("lru", scenario: ScenarioPoint(named: "scaling", [.clients: $0]), status: .crashed)
        }
        let page = Self.page(results)
        #expect(page.html.contains("id=\"sweep-0\""))
        #expect(Self.figures(page.html).isEmpty)
        #expect(page.picture == nil)
    }

    @Test func `a scenario without a sweep beside one keeps its ranking`() {
        let html = Self.page(Self.results(clients: [1, 2]) + [PageSamples.phase("lru", scenario: "steady")]).html
        #expect(html.contains("Verdict: steady") && html.contains("id=\"sweep-0\""))
        #expect(html.contains("2 scenarios"))
    }

    @Test func `the picture of a sweep has its two charts`() throws {
        let picture = try #require(Self.page(Self.results(clients: [1, 2, 4])).picture)
        #expect(try XMLParsing.elements(picture).count { $0 == "svg" } == 5)
        #expect(picture.contains("Throughput by clients (scaling)") && picture.contains("p99 by clients (scaling)"))
    }

    @Test func `the summary has the tables`() {
        let page = Self.page(Self.results(clients: [1, 2, 4]))
        #expect(page.markdown.contains("scaling: throughput by clients"))
        #expect(
            page.markdown.split(separator: "\n", omittingEmptySubsequences: false).count <= ReportPage.lineLimit + 1)
    }
}
