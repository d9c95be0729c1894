import Foundation
import Reports
import Testing
import TrialModel

@testable import ReportPage

@Suite(.timeLimit(.minutes(1)))
struct ReportPageTests {
    /// The cells of a strategy's row in the first table, by the text of the column's head.
    private static func values(of strategy: String, in html: String) throws -> [String: String] {
        let table = try #require(html.firstMatch(of: #/<table[^>]*>(.*?)</table>/#.dotMatchesNewlines())).1
        let heads = table.matches(of: #/<th [^>]*><button[^>]*>([^<]*)</#).map { String($0.1) }
        let rows = table.matches(of: #/<tr data-s.*?</tr>/#.dotMatchesNewlines()).map(\.0)
        let row = try #require(rows.first { $0.contains("data-v=\"\(strategy)\"") })
        let cells = row.matches(of: #/<td class="[^"]*" data-v="([^"]*)"/#).map { String($0.1) }
        return Dictionary(zip(heads, cells)) { first, _ in first }
    }

    /// The first row of a CSV file, by column.
    private static func record(_ path: String) throws -> [String: String] {
        let records = try CSVReader.read(Array(try Data(contentsOf: URL(fileURLWithPath: path)))).records
        return Dictionary(zip(records[0].fields, records[1].fields)) { first, _ in first }
    }

    @Test func `the values of the page are those of the files`() throws {
        let folder = try PageFolder()
        let path = try folder.results([PageSamples.phase("lru")])
        let html = ReportPage(try ReportContent.read([path], marks: [:])).html
        let values = try Self.values(of: "lru", in: html)
        let latency = try Self.record("\(path)/latency.csv")
        let rates = try Self.record("\(path)/hit-rate.csv")
        let memory = try Self.record("\(path)/memory.csv")
        #expect(values["p99"] == latency["p99_ns"])
        #expect(values["hits"] == rates["hit_ratio"])
        #expect(values["duplicates"] == rates["duplicate_loads"])
        #expect(values["bytes/entry"] == memory["bytes_per_entry"])
        #expect(values["ops/s"] == "1000.000")
        // 0.7 of 0.8, and 300 requests for 1,000 lookups.
        #expect(values["of optimum"] == "0.875000")
        #expect(values["to origin"] == "0.300000")
    }

    @Test func `an interrupted run is called partial`() {
        let page = ReportPage(PageSamples.content([PageSamples.phase("lru")], isPartial: true))
        #expect(page.html.contains("<h1>Cache trials: partial results</h1>"))
        #expect(page.markdown.hasPrefix("## Cache trials: partial results\n"))
    }

    @Test func `a folder without a description of its run is called partial`() throws {
        let folder = try PageFolder()
        let path = try folder.results([PageSamples.phase("lru")])
        #expect(ReportPage(try ReportContent.read([path], marks: [:])).title == "Cache trials: partial results")
    }

    @Test func `missing files are left out`() throws {
        let folder = try PageFolder()
        let path = try folder.results([PageSamples.phase("lru"), PageSamples.phase("arc")])
        for name in ["histograms", "timeline.csv", "memory.csv", "hit-rate.csv"] {
            try FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
        let html = ReportPage(try ReportContent.read([path], marks: [:])).html
        #expect(html.contains("Latency by percentile, main"))
        #expect(!html.contains("Hit ratio over time"))
        #expect(html.contains("Left out, because empty: "))
    }

    @Test func `the hit ratio over time has one axis, whatever ends its phases`() throws {
        var results = ["lru", "arc"].flatMap { name in ["first", "second"].map { PageSamples.phase(name, name: $0) } }
        func axis() throws -> Axis {
            let ranking = try #require(ScenarioRanking.all(results).first)
            let charts = ScenarioCharts(ranking: ranking, content: PageSamples.content(results))
            return try #require(charts.timeline).x
        }
        #expect(try axis().ticks.map(\.text) == ["0", "1k", "2k"])
        #expect(try axis().title.hasPrefix("operations"))
        results[1].trial.operations = 900
        #expect(try axis().ticks.map(\.text) == ["0", "1 s", "2 s"])
        #expect(try axis().title.hasPrefix("time"))
    }

    @Test func `a folder without results is an error that says so`() throws {
        let folder = try PageFolder()
        #expect(throws: ReportsError.noSuchResults(path: folder.path)) {
            try ReportContent.read([folder.path], marks: [:])
        }
        #expect(ReportsError.noSuchResults(path: "x").exitCode == .badInput)
    }

    @Test func `a trial that is in two folders counts once, and is named`() throws {
        let folders = [try PageFolder(), try PageFolder()]
        let paths = try folders.map { try $0.results([PageSamples.phase("lru")]) }
        let content = try ReportContent.read(paths, marks: [:])
        #expect(content.results.count == 1)
        #expect(content.findings.contains { $0.text.contains("which an earlier folder has as well") })
    }

    @Test func `the promises of a trial that is in two folders count once`() throws {
        let folder = try PageFolder()
        let phase = PageSamples.phase("lru")
        let paths = try ["one", "two"].map { name in
            let results = try ResultFolder.create(at: folder.path(name), files: ResultFile.ofRun + [.consistency])
            try results.append([phase])
            try results.append([ConsistencyRow().with { ($0.trial, $0.verdict) = (phase.trial.key.trial, .consistent) }]
            )
            return folder.path(name)
        }
        #expect(try ReportContent.read(paths, marks: [:]).promises.count == 1)
    }

    @Test func `a replay that is in two folders counts once, and is named`() throws {
        let folder = try PageFolder()
        func interval(_ start: UInt64, _ size: Int) -> ReplayIntervalRow {
            ReplayIntervalRow().with {
                ($0.trace, $0.policy, $0.capacity) = ("t.keys", "lru", Capacity(entries: size))
                $0.startNanoseconds = start
            }
        }
        for (name, hits, sizes) in [("one", 200, [10, 100]), ("two", 900, [10, 1_000])] as [(String, UInt64, [Int])] {
            let results = try ResultFolder.create(
                at: folder.path(name), files: ResultFile.ofReplay + [.replayIntervals])
            try results.append(sizes.map { PageSamples.replay("lru", $0, hits: hits) })
            try results.append(sizes.flatMap { size in [0, 5].map { interval($0, size) } })
        }
        let content = try ReportContent.read([folder.path("one"), folder.path("two")], marks: [:])
        #expect(content.replay.map(\.capacity.entries) == [10, 100, 1_000])
        #expect(content.replay.map(\.hits) == [200, 200, 900])
        #expect(content.replayIntervals.map(\.capacity.entries) == [10, 10, 100, 100, 1_000, 1_000])
        let finding = try #require(content.findings.first { $0.text.contains("which an earlier folder has as well") })
        #expect(finding.level == .warning && finding.text.contains("1 replay of "))
    }

    @Test func `an unreadable comparison is named and left out`() throws {
        let folder = try PageFolder()
        let path = try folder.results([PageSamples.phase("lru")])
        try "scenario,metric\n\"cut".write(toFile: "\(path)/comparison.csv", atomically: true, encoding: .utf8)
        let html = ReportPage(try ReportContent.read([path], marks: [:])).html
        #expect(!html.contains("id=\"comparisons\""))
        #expect(html.contains("Incomplete: "))
    }

    @Test func `what was not measured has no section and no link`() {
        let html = ReportPage(PageSamples.content([PageSamples.phase("lru")])).html
        for text in [
            "Frames of", "Memory pressure", "Prefetch", "Hits by tier", "by stage", "By key pool", "guarantees",
            "races",
            "comparisons", "replay", "rates", "instructions", "sweep-",
        ] { #expect(!html.contains(">\(text)") && !html.contains("id=\"\(text)") && !html.contains("#\(text)")) }
        let links = html.matches(of: #/<a href="#([^"]*)"/#).map(\.1)
        #expect(links == ["verdict", "scenario-0", "machine"])
    }

    @Test func `hit ratios are compared in points, beside ratios of times`() {
        let html = ReportPage(PageSamples.everything()).html
        #expect(html.contains("candidate − baseline, pp") && html.contains("−2.00 pp worse"))
        #expect(html.contains("candidate / baseline"))
    }

    @Test func `differing strategies of one run are not bad news`() throws {
        var content = PageSamples.everything()
        content.comparisons = content.comparisons.map { row in
            var row = row
            row.baselineStrategy = "fifo"
            return row
        }
        #expect(!content.findings.contains { $0.text.hasPrefix("Worse than the baseline") })
        #expect(ReportPage(content).html.contains("steady, against fifo"))
    }

    @Test func `the folder of a comparison alone makes a page`() throws {
        let folder = try PageFolder()
        let results = try ResultFolder.create(at: folder.path("comparison"), files: ResultFile.ofComparison)
        try results.append(PageSamples.everything().comparisons)
        let content = try ReportContent.read([folder.path("comparison")], marks: [:])
        #expect(content.comparisons.count == 3 && !content.hasGaps)
        #expect(ReportPage(content).html.contains("id=\"comparisons\""))
    }

    @Test func `a strategy looks the same in every picture`() {
        let page = ReportPage(PageSamples.everything())
        let style = page.palette.style("arc")
        let groups = page.html.matches(of: #/<g class="s (h.)" data-s="(\d+)"/#).filter { $0.2 == "\(style.index)" }
        #expect(groups.count > 4)
        #expect(groups.allSatisfy { $0.1 == style.hue })
    }

    @Test func `twenty strategies all look different`() {
        let names = (1...24).map { "s\($0)" }
        let palette = Palette(names, marks: [:])
        let looks = Set(names.map { palette.style($0) }.map { "\($0.hue) \($0.dash) \($0.marker)" })
        #expect(looks.count == 24)
    }

    @Test func `bounds are grey`() {
        #expect(Palette(["lru", "none"], marks: ["none": "baseline"]).style("none").hue == "hb")
    }

    @Test func `the picture is complete without the page`() throws {
        let picture = try #require(ReportPage(PageSamples.everything()).picture)
        #expect(try XMLParsing.elements(picture).contains("style"))
        #expect(!picture.contains("<script"))
    }
}
