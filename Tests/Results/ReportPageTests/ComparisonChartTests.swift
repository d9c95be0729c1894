import Reports
import Testing
import TrialModel

@testable import ReportPage

/// Confidence intervals over the band that counts as the same.
@Suite(.timeLimit(.minutes(1)))
struct ComparisonChartTests {
    private static let axis = Axis(title: "", scale: .linear, range: 0...10, ticks: [])

    private static func chart(_ bands: [ClosedRange<Double>?]) -> RangeChart {
        RangeChart(
            title: "t", axis: axis,
            rows: bands.map { band in
                RangeChart.Row(
                    strategy: "lru", spread: Spread(low: 3, median: 4, high: 5), text: "4", band: band)
            })
    }

    /// The rectangles of bands: left, top, width and height.
    private static func bands(_ svg: String) -> [[Double]] {
        svg.matches(of: #/class="band" x="([^"]*)" y="([^"]*)" width="([^"]*)" height="([^"]*)"/#).map { match in
            [match.1, match.2, match.3, match.4].compactMap { Double($0) }
        }
    }

    @Test func `a band reaches from its lower to its upper end on the axis`() throws {
        let svg = Self.chart([4...6]).svg(width: 600, Palette(["lru"], marks: [:]))
        let line = try #require(svg.firstMatch(of: #/class="axis" x1="([^"]*)" y1="[^"]*" x2="([^"]*)"/#))
        let left = try #require(Double(line.1))
        let right = try #require(Double(line.2))
        let band = try #require(Self.bands(svg).first)
        #expect(band.count == 4)
        #expect(abs(band[0] - (left + 0.4 * (right - left))) < 0.2)
        #expect(abs(band[2] - 0.2 * (right - left)) < 0.2)
        #expect(try XMLParsing.elements(svg).contains("rect"))
    }

    @Test func `rows with one band share its shade, others have their own`() {
        let svg = Self.chart([4...6, 4...6, nil, 3...7]).svg(width: 600, Palette(["lru"], marks: [:]))
        let bands = Self.bands(svg)
        #expect(bands.count == 2)
        #expect(bands.first?.last == 40)
        #expect(bands.last?.last == 20)
        #expect(Self.bands(Self.chart([nil]).svg(width: 600, Palette(["lru"], marks: [:]))).isEmpty)
    }

    @Test func `a ratio's band is as far from the same in both directions`() throws {
        let charts = ComparisonCharts(
            rows: [ComparisonSamples.row("lru", .worse)], palette: Palette(["lru"], marks: [:])
        ).charts
        let chart = try #require(charts.first)
        let band = try #require(chart.rows.first?.band)
        #expect(band == (1 / 1.05)...1.05)
        #expect(chart.axis.range.lowerBound < band.lowerBound && chart.axis.range.upperBound > band.upperBound)
    }

    @Test func `a hit ratio's band is in points`() throws {
        var row = ComparisonRow(
            scenario: "steady", strategy: "lru", phase: "main", metric: "hit_ratio", verdict: .worse
        ).with { $0.smallestDifference = 0.005 }
        (row.difference, row.differenceLow, row.differenceHigh) = (-0.02, -0.03, -0.01)
        let chart = try #require(ComparisonCharts(rows: [row], palette: Palette(["lru"], marks: [:])).charts.first)
        let band = try #require(chart.rows.first?.band)
        #expect(abs(band.lowerBound + 0.5) < 1e-9 && abs(band.upperBound - 0.5) < 1e-9)
    }

    @Test(arguments: [-0.5, 0, Double.infinity, 1e300]) func `an invalid smallest difference has no band`(
        difference: Double
    ) throws {
        var row = ComparisonSamples.row("lru", .worse)
        row.smallestDifference = difference
        let chart = try #require(ComparisonCharts(rows: [row], palette: Palette(["lru"], marks: [:])).charts.first)
        #expect(chart.rows.first?.band == nil)
    }

    @Test func `an undecided figure is hollow and dashed`() throws {
        let palette = Palette(["lru"], marks: [:])
        let open = ComparisonCharts(rows: [ComparisonSamples.row("lru", .inconclusive)], palette: palette).html
        #expect(open.contains("class=\"mark dot hollow\"") && open.contains("class=\"mark range open\""))
        #expect(open.contains("A hollow marker with a dashed line is inconclusive."))
        for verdict in [ComparisonVerdict.worse, .better, .same] {
            let html = ComparisonCharts(rows: [ComparisonSamples.row("lru", verdict)], palette: palette).html
            #expect(!html.contains("hollow") && !html.contains("range open"))
        }
    }

    @Test func `a bound whose figure is decided is not hollow`() {
        let palette = Palette(["none"], marks: ["none": "baseline"])
        #expect(
            !ComparisonCharts(rows: [ComparisonSamples.row("none", .same)], palette: palette).html.contains("hollow"))
    }

    @Test func `ticks that are close have different texts`() throws {
        var row = ComparisonSamples.row("lru", .same, ratio: 1)
        (row.smallestDifference, row.ratioLow, row.ratioHigh) = (0.005, 0.998, 1.002)
        let chart = try #require(ComparisonCharts(rows: [row], palette: Palette(["lru"], marks: [:])).charts.first)
        #expect(Set(chart.axis.ticks.map(\.text)).count == chart.axis.ticks.count)
    }

    @Test func `the table says why, and what the samples are`() {
        var sliced = ComparisonSamples.row("lru", .inconclusive, reason: "about 4 more paired blocks would decide it")
        sliced.sampledIn = .slices
        sliced.slices = 1_200
        var uneven = ComparisonSamples.row("arc", .worse)
        uneven.candidateRepetitions = 9
        let table = ComparisonCharts.table([sliced, uneven])
        #expect(table.columns.suffix(2).map(\.header) == ["samples", "why"])
        #expect(
            table.rows[0].suffix(2).map(\.text) == [
                "1200 slices in 6 blocks", "about 4 more paired blocks would decide it",
            ])
        #expect(table.rows[1].suffix(2).map(\.text) == ["6 and 9 repetitions", ""])
    }

    @Test func `rows about one scenario and one baseline don't repeat them, others do`() {
        func row(_ scenario: ScenarioPoint, against baseline: String) -> ComparisonRow {
            ComparisonSamples.row("lru", scenario: scenario, .worse).with { $0.baselineStrategy = baseline }
        }
        func heads(_ rows: ComparisonRow...) -> [String] {
            ComparisonCharts.table(rows).columns.map(\.header).prefix { $0 != "phase" }
        }
        #expect(heads(row("a", against: "lru")) == ["strategy"])
        #expect(heads(row("a", against: "fifo"), row("a", against: "fifo")) == ["strategy"])
        #expect(heads(row("a", against: "lru"), row("b", against: "lru")) == ["scenario", "strategy"])
        #expect(heads(row("a", against: "lru"), row("a", against: "fifo")) == ["strategy", "against"])
        let several = [row("a", against: "arc"), row("a", against: "fifo")]
        let charts = ComparisonCharts(rows: several, palette: Palette(["lru"], marks: [:])).charts
        #expect(charts.first?.rows.map(\.name) == ["lru against arc, main", "lru against fifo, main"])
    }

    @Test func `without a reason there is no column for it`() {
        let table = ComparisonCharts.table([ComparisonSamples.row("lru", .same)])
        #expect(table.columns.last?.header == "samples")
        #expect(table.rows[0].last?.text == "6 repetitions")
    }
}
