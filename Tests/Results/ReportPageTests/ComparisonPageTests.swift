import Foundation
import Reports
import Testing
import TrialModel

@testable import ReportPage

/// The page that `compare` writes.
@Suite(.timeLimit(.minutes(1)))
struct ComparisonPageTests {
    @Test func `the first sentence counts the verdicts and names the first figure that is worse`() {
        let rows = [
            ComparisonSamples.row("none", .worse), ComparisonSamples.row("lru", .worse),
            ComparisonSamples.row("arc", .same, ratio: 1), ComparisonSamples.row("actor", .same, ratio: 1),
            ComparisonSamples.row("disk", .inconclusive),
        ]
        // A bound is not news when a strategy is worse as well.
        #expect(
            ComparisonSamples.page(rows).headline
                == "5 values: 2 are worse, 2 are the same and 1 is inconclusive; the first that is worse: "
                + "lru in steady, main: throughput −10.0% (−12.0% to −8.0%).")
        #expect(ComparisonSamples.page([rows[2]]).headline == "1 value: none is worse and 1 is the same.")
        #expect(ComparisonSamples.page([]).headline == "No value was compared.")
        #expect(ComparisonSamples.page(rows).html.contains("<strong>5 values: 2 are worse"))
    }

    @Test func `the table has the worst results first`() throws {
        let rows = [
            ComparisonSamples.row("a", .same), ComparisonSamples.row("b", .inconclusive),
            ComparisonSamples.row("c", .better), ComparisonSamples.row("d", .worse),
            ComparisonSamples.row("e", .worse),
        ]
        #expect(rows.worstFirst.map(\.strategy) == ["d", "e", "c", "b", "a"])
        let html = ComparisonSamples.page(rows).html
        let worst = try #require(html.firstRange(of: "data-v=\"d\""))
        let other = try #require(html.firstRange(of: "data-v=\"a\""))
        #expect(worst.lowerBound < other.lowerBound)
    }

    @Test func `slices of both sides make pictures, collapsed at first`() {
        let html = ComparisonSamples.page([ComparisonSamples.row("lru", .worse)], notes: ["a", "b"]).html
        #expect(html.contains("2 notes on what was compared"))
        #expect(html.contains("id=\"slices\"") && html.contains("href=\"#slices\""))
        #expect(html.contains("<details><summary>lru: throughput in 1 phase</summary>"))
        #expect(html.contains("Throughput of lru in steady, main"))
        #expect(html.contains("3 paired blocks, 30 slices: each point is one."))
    }

    @Test func `without slices there are no such pictures`() {
        let html = ComparisonSamples.page([ComparisonSamples.row("lru", .worse)], hasSlices: false).html
        #expect(!html.contains("id=\"slices\"") && !html.contains("#slices") && !html.contains("<details"))
        #expect(html.contains("id=\"comparisons\"") && html.contains("id=\"machine\""))
    }

    @Test func `slices of one side alone make no picture`() {
        let rounds = ComparisonSamples.rounds("lru")
        let section = SliceSection([ComparisonSamples.row("lru", .worse)], baseline: rounds, candidate: [])
        #expect(section.all.isEmpty && section.section == nil)
    }

    @Test func `a strategy is drawn against the one that it is compared with`() {
        var row = ComparisonSamples.row("lru", .worse)
        row.baselineStrategy = "fifo"
        let results = ComparisonSamples.rounds("lru") + ComparisonSamples.rounds("fifo", throughput: 2_000)
        let section = SliceSection([row], baseline: results, candidate: results)
        #expect(section.all.map(\.chart.title) == ["Throughput of lru in steady, main, against fifo"])
        #expect(section.all.first?.chart.series.last?.pieces.first?.first?.y == 0.5)
    }

    @Test func `lines have few points, at the same places on both sides`() throws {
        let row = ComparisonSamples.row("lru", .worse)
        let section = SliceSection(
            [row], baseline: ComparisonSamples.rounds("lru", count: 5, slices: 200),
            candidate: ComparisonSamples.rounds("lru", count: 5, slices: 200, throughput: 900))
        let series = try #require(section.all.first)
        let lines = series.chart.series.map { $0.pieces.flatMap { $0 } }
        #expect(lines.map(\.count) == [250, 250])
        #expect(lines[0].map(\.x) == lines[1].map(\.x))
        #expect(lines[0].allSatisfy { $0.y == 1 } && lines[1].allSatisfy { $0.y == 0.9 })
        #expect(series.caption == "5 paired blocks, 1000 slices: each point is the median of 4 neighbours.")
        #expect(series.chart.x.ticks.map(\.text) == ["1", "2", "3", "4", "5"])
        #expect(series.chart.x.ticks.map(\.value) == [0, 200, 400, 600, 800])
    }

    @Test func `many rounds have ten numbers at most`() throws {
        let rounds = ComparisonSamples.rounds("lru", count: 47, slices: 2)
        let section = SliceSection([ComparisonSamples.row("lru", .same)], baseline: rounds, candidate: rounds)
        let chart = try #require(section.all.first?.chart)
        #expect(chart.x.ticks.count == 10)
    }

    @Test func `there are twelve pictures at most, of the worst figures first, and the rest is named`() throws {
        let rows =
            (1...13).map { ComparisonSamples.row("same\($0)", .same) }
            + [ComparisonSamples.row("open", .inconclusive), ComparisonSamples.row("slow", .worse)]
        let rounds = rows.flatMap { ComparisonSamples.rounds($0.strategy) }
        let section = SliceSection(rows, baseline: rounds, candidate: rounds)
        #expect(section.all.prefix(3).map(\.place.candidate.strategy) == ["slow", "open", "same1"])
        let html = try #require(section.section?.html)
        #expect(html.matches(of: #/class="chart"/#).count == 12)
        #expect(html.contains("12 of 15 phases have a picture"))
        #expect(html.contains("Left out: same11 in steady, main; same12 in steady, main; same13"))
    }

    @Test func `sides don't hide with a strategy`() {
        let html = ComparisonSamples.page([ComparisonSamples.row("lru", .worse)]).html
        let numbers = html.matches(of: #/<g class="s h." data-s="(\d+)"><title>(baseline|candidate)</#).map(\.1)
        #expect(Set(numbers) == ["2", "3"])
    }

    @Test func `failed gates and noise are on top, and both sides are described`() {
        var run = PageSamples.run()
        run.noise = RunDescription.Noise().with { $0.warnings = ["the host gave 9 % of the time to others"] }
        let verdict = RunVerdict(gates: [
            VerdictGate(name: "worse", passed: false, reason: "1 of 1", exitCode: .gateFailed)
        ])
        let html = ComparisonPage(
            [ComparisonSamples.row("lru", .worse)], baseline: .init(path: "before", results: [], run: run),
            candidate: .init(path: "after", results: [], run: PageSamples.run()), verdict: verdict
        ).html
        #expect(html.contains("Gate <code>worse</code> failed: 1 of 1"))
        #expect(html.contains("Noise: the host gave 9 % of the time to others."))
        #expect(html.contains("<h3>before</h3>") && html.contains("<h3>after</h3>"))
        #expect(html.contains("before → after"))
    }

    @Test func `strategies of one run have one description`() {
        let side = ComparisonPage.Side(path: "monday", results: [], run: PageSamples.run())
        let html = ComparisonPage([ComparisonSamples.row("lru", .same)], baseline: side, candidate: side).html
        #expect(html.matches(of: #/<h3>monday</#).count == 1)
        #expect(html.contains("within monday"))
        #expect(html.contains("<title>Cache trials: comparison</title>"))
    }
}
