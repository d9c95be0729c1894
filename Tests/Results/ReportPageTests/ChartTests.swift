import Foundation
import Measurement
import Reports
import Testing
import TrialModel

@testable import ReportPage

@Suite(.timeLimit(.minutes(1)))
struct ChartTests {
    @Test func `a curve has the percentiles of its distribution`() throws {
        let result = PageSamples.phase("lru")
        let curve = try #require(
            LatencyCurve([result], operation: .only(.load), [result.trial.key: result.distributions]))
        let latency = try #require(result.latency.first?.latency)
        let p90 = try #require(curve.points.first { abs($0.nines - 1) < 1e-9 })
        let p99 = try #require(curve.points.first { abs($0.nines - 2) < 1e-9 })
        #expect(try abs(p90.nanoseconds / Double(#require(latency.p90)) - 1) < 0.002)
        #expect(try abs(p99.nanoseconds / Double(#require(latency.p99)) - 1) < 0.002)
        #expect(try #require(curve.points.last).nines == 3)
    }

    @Test func `without distributions a curve has the percentiles of the rows`() throws {
        let result = PageSamples.phase("lru")
        let curve = try #require(LatencyCurve([result], operation: .only(.load), [:]))
        #expect(curve.points.count == 6)
        #expect(curve.points[3].nanoseconds == result.latency[0].latency?.p99.map { Double($0) })
    }

    @Test func `a spread has the median, the lowest and the highest figure`() {
        #expect(Spread([5, .nan, 1, 2]) == Spread(low: 1, median: 2, high: 5))
        #expect(Spread([]) == nil)
    }

    @Test(
        arguments: [
            [0.0], [-5, 5], [.nan, .infinity], [], [1e18, 1], [1e-9, 2e-9], [-1e308, 1e308], [1e308],
            [.greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude],
        ])
    func `every axis has an end and ticks that lie on it`(values: [Double]) {
        for axis in [
            Axis.linear("", values) { "\($0)" }, Axis.linear("", values, fromZero: false) { "\($0)" },
            Axis.linear("", values, isBinary: true) { "\($0)" }, Axis.logarithmic("", values) { "\($0)" },
            Axis.logarithmic("", values, isTight: true) { "\($0)" },
        ] {
            #expect(axis.range.lowerBound < axis.range.upperBound)
            #expect(axis.range.lowerBound.isFinite && axis.range.upperBound.isFinite)
            #expect(axis.ticks.allSatisfy { (0...1).contains(axis.place($0.value)) })
            #expect(axis.ticks.count < 40)
        }
    }

    @Test(arguments: [UInt64(1), 39_000_000, .max]) func `a timeline far beyond its phase is drawn at its end`(
        elapsed: UInt64
    ) throws {
        let results = ["lru", "arc"].map { name in
            var result = PageSamples.phase(name)
            // Different numbers of operations make the axis one of time.
            result.trial.operations = name == "lru" ? 1_000 : 900
            result.trial.elapsedNanoseconds = elapsed
            for index in result.timeline.indices {
                result.timeline[index].elapsedMilliseconds = .max - UInt64(5 - index)
            }
            return result
        }
        let timeline = HitRatioTimeline(results.map { ($0.trial.key.strategy, [$0]) }, order: results)
        #expect(timeline.chart?.series.flatMap { $0.pieces.joined() }.allSatisfy { (0...1).contains($0.x) } ?? true)
    }

    @Test(arguments: [1e308, -1e308, .greatestFiniteMagnitude, .leastNonzeroMagnitude])
    func `a comparison of any size has a page`(figure: Double) {
        var row = ComparisonSamples.row("lru", .worse)
        (row.ratio, row.ratioLow, row.ratioHigh) = (figure.magnitude, figure.magnitude, figure.magnitude)
        var points = ComparisonRow(
            scenario: "steady", strategy: "lru", phase: "main", metric: "hit_ratio", verdict: .worse)
        (points.difference, points.differenceLow, points.differenceHigh) = (figure, -figure, figure)
        var bytes = ComparisonRow(scenario: "steady", strategy: "lru", phase: "main", metric: "p99", verdict: .same)
        (bytes.difference, bytes.differenceLow, bytes.differenceHigh) = (figure, -figure, figure)
        let html = ComparisonSamples.page([row, points, bytes]).html
        #expect(html.contains("candidate / baseline") && html.contains("candidate − baseline"))
        #expect(html.matches(of: #/ (?:d|x|y|x1|x2|y1|y2|width)="[^"]*(?:nan|inf)/#).isEmpty)
    }

    @Test func `a round figure has no decimals on an axis`() {
        #expect(TickText.duration(1_000_000) == "1 ms")
        #expect(TickText.duration(1_500_000) == "1.50 ms")
        #expect(TickText.count(1_000) == "1k")
        #expect(TickText.factor(0.05) == "0.05×")
    }

    @Test func `names at the ends of lines don't overlap`() throws {
        let axis = Axis.linear("", [0, 1]) { "\($0)" }
        let names = (0..<20).map { "s\($0)" }
        let chart = LineChart(
            title: "t", x: axis, y: axis,
            series: names.map { .init(strategy: $0, pieces: [[.init(x: 0, y: 0.5), .init(x: 1, y: 0.5)]]) })
        let svg = chart.svg(width: 360, Palette(names, marks: [:]))
        let heights = svg.matches(of: #/class="name" x="[^"]*" y="([^"]*)"/#).compactMap { Double($0.1) }.sorted()
        #expect(heights.count == 20)
        #expect(zip(heights, heights.dropFirst()).allSatisfy { $1 - $0 > 11 })
    }

    @Test func `a non-finite figure is placed at an end`() {
        let axis = Axis.linear("", [0, 10]) { "\($0)" }
        #expect(axis.place(.nan) == 0)
        #expect(axis.place(1e300) == 1)
    }
}
