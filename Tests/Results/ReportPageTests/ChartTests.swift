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

    @Test(arguments: [[0.0], [-5, 5], [.nan, .infinity], [], [1e18, 1], [1e-9, 2e-9]])
    func `every axis has an end and ticks that lie on it`(values: [Double]) {
        for axis in [
            Axis.linear("", values) { "\($0)" }, Axis.logarithmic("", values) { "\($0)" },
            Axis.logarithmic("", values, isTight: true) { "\($0)" },
        ] {
            #expect(axis.range.lowerBound < axis.range.upperBound)
            #expect(axis.ticks.allSatisfy { (0...1).contains(axis.place($0.value)) })
            #expect(axis.ticks.count < 40)
        }
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
