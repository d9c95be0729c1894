import Foundation
import Testing
import TrialModel

@testable import Comparison
@testable import Reports

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Every output format of a comparison, with names that try to break it.
@Suite(.timeLimit(.minutes(1))) struct ComparisonFormatsTests {
    private static let hostile = ["=cmd|' /C calc'!A0", "a,b\"c\"", "<script>&amp;'", "line\nbreak", "bell\u{7}|*"]

    private static var rows: [ComparisonRow] {
        hostile.map { name in
            var row = ComparisonRow(
                scenario: "steady", strategy: name, phase: "main", metric: "p50", unit: "ns", baseline: 1_000,
                candidate: 1_200, verdict: .worse, reason: name
            ).with {
                ($0.smallestDifference, $0.confidence) = (0.05, 0.99)
                ($0.baselineRepetitions, $0.candidateRepetitions) = (10, 10)
            }
            (row.ratio, row.ratioLow, row.ratioHigh) = (1.2, 1.15, 1.25)
            return row
        }
    }

    @Test func `rows come back from CSV unchanged`() throws {
        let text =
            CSVWriter.line(ComparisonRow.columnNames) + CSVWriter.lines(Self.rows)
        let records = try CSVReader.read(text).records.dropFirst()
        #expect(records.map { $0.fields[1] } == Self.hostile)
        for (record, row) in zip(records, Self.rows) {
            var read = ComparisonRow()
            for (column, cell) in zip(ComparisonRow.columns, record.fields) {
                let isRead = column.read(cell, &read)
                #expect(isRead, "\(column.name)")
            }
            #expect(read == row)
        }
    }

    @Test func `JUnit XML is well-formed, and a parser finds the names`() throws {
        let gate = ComparisonGate(failing: [.worse])
        let text = JUnitXML.render(suite: "<compare>", JUnitXML.cases(of: Self.rows, gate: gate))
        #expect(XMLParser(data: Data(text.utf8)).parse())
        #expect(text.contains("tests=\"5\" failures=\"5\" errors=\"0\" skipped=\"0\""))
        #expect(text.contains("classname=\"steady.&lt;script&gt;&amp;amp;&apos;\""))
        #expect(text.contains("classname=\"steady.bell\u{FFFD}|*\""))
        #expect(text.contains("classname=\"steady.line&#10;break\""))
    }

    @Test func `an exempt strategy never fails a case`() {
        let gate = ComparisonGate(failing: [.worse, .inconclusive], exempt: Set(Self.hostile))
        #expect(JUnitXML.cases(of: Self.rows, gate: gate).allSatisfy { $0.failure == nil })
        #expect(gate.gates(Self.rows).allSatisfy { $0.passed })
    }

    private static var figures: [PublishedFigure] {
        hostile.flatMap { name in
            [Metric.p50, .throughput, .hitRatio].compactMap { metric in
                PublishedFigure(
                    name: name, metric: metric, repetitions: [7, 1, 3, 5, 6, 2], remark: "worse")
            }
        } + [PublishedFigure(name: "short", metric: .p99, repetitions: [2, 1])].compactMap(\.self)
    }

    private struct Entry: Decodable {
        let name: String
        let unit: String
        let value: Double
        let range: String?
        let extra: String?
    }

    @Test func `figures that are better when they are smaller are in one file, the others in another`() throws {
        let smaller = try JSONDecoder().decode(
            [Entry].self, from: Data(try FigureFormat.githubBenchmark.text(Self.figures, of: Made.run()).utf8))
        #expect(smaller.map(\.name) == Self.hostile.map { "\($0)/p50" } + ["short/p99"])
        #expect(smaller.first?.value == 4 && smaller.first?.unit == "ns" && smaller.first?.extra == "worse")
        #expect(smaller.first?.range == "1 ns to 11 ns" && smaller.last?.range == nil)
        let bigger = try JSONDecoder().decode(
            [Entry].self, from: Data(try FigureFormat.githubBenchmarkBigger.text(Self.figures, of: Made.run()).utf8))
        #expect(bigger.map(\.unit) == Self.hostile.flatMap { _ in ["1/s", "ratio"] })
    }

    /// As the schema at <https://bencher.dev/bmf.json> has it, with the longest names that the service takes.
    @Test func `Bencher's format holds a value and its ends by benchmark and measure`() throws {
        let long = String(repeating: "x", count: 2_000)
        let figures = Self.figures + [PublishedFigure(name: long, metric: .p50, repetitions: [1])].compactMap(\.self)
        let text = try FigureFormat.bencher.text(figures, of: Made.run())
        let root = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [String: [String: Double]]])
        #expect(Set(root.keys) == Set(Self.hostile + ["short", String(long.prefix(1_024))]))
        for (name, measures) in root {
            #expect(name.count <= 1_024)
            for (measure, metric) in measures {
                #expect(measure.count <= 64 && !measure.contains("_"))
                #expect(Set(metric.keys).isSubset(of: ["value", "lower_value", "upper_value"]))
                let value = try #require(metric["value"])
                #expect((metric["lower_value"] ?? value) <= value && value <= (metric["upper_value"] ?? value))
            }
        }
        #expect(root["bell\u{7}|*"]?["latency"]?.keys.sorted() == ["lower_value", "upper_value", "value"])
        #expect(root["short"] == ["p99": ["value": 1.5]])
    }

    @Test func `a comment shows what changed, and folds the rest`() {
        var rows = Self.rows
        rows[1].verdict = .same
        rows[2].verdict = .inconclusive
        rows[3].verdict = .better
        let text = ComparisonComment(
            rows, marks: [:], failures: ["worse: <b>"], unmatched: ["new <i>"], notes: ["a_note"]
        ).text
        let parts = text.components(separatedBy: "<details>")
        #expect(parts.count == 3)
        #expect(parts[0].hasPrefix("### Cache trials: 5 values: 2 worse, 1 better, 1 same, 1 inconclusive\n"))
        #expect(parts[0].contains("- worse: &lt;b&gt;"))
        #expect(parts[0].contains("Not compared:\n\n- new &lt;i&gt;\n"))
        let changed = parts[0].split(separator: "\n").filter { $0.hasPrefix("| steady") }
        #expect(changed.map { $0.contains("worse") } == [true, true, false])
        #expect(parts[1].contains("| same") && parts[1].contains("| inconclusive") && !parts[1].contains("| worse"))
        #expect(parts[2].contains("- a_note"))
        #expect(!text.contains("<script>"))
    }

    @Test func `a comment is never longer than GitHub takes, and says what is missing`() {
        let many = (0..<3_000).flatMap { number in
            [ComparisonVerdict.worse, .same].map { (verdict: ComparisonVerdict) -> ComparisonRow in
                ComparisonRow(
                    scenario: ScenarioPoint("scenario-\(number % 20)"), strategy: "s\(number)", phase: "é",
                    metric: "p50", unit: "ns", baseline: 1, candidate: 2, verdict: verdict)
            }
        }
        for rows in [many, many.filter { $0.verdict == .same }] {
            let text = ComparisonComment(rows, marks: [:], failures: many.map(\.strategy)).text
            #expect(text.utf8.count <= 65_536 && text.utf8.count > 10_000)
            #expect(text.contains("room here") || text.contains("of 20 scenarios"))
        }
    }

    @Test func `Markdown and JSON keep names in their cells`() throws {
        let tables = ComparisonTable.tables(Self.rows, marks: [:], all: true)
        let markdown = tables.rendered(as: .markdown)
        #expect(!markdown.contains("<script>"))
        let lines = markdown.split(separator: "\n").filter { $0.hasPrefix("| worse") }
        #expect(lines.count == Self.hostile.count)
        let json = ComparisonTable.tidy(Self.rows).rendered(as: .json)
        let objects = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
        #expect(objects.compactMap { $0["strategy"] as? String } == Self.hostile)
        #expect(objects.first?["ratio"] as? Double == 1.2)
    }

    @Test func `the worst results come first, and equal ones are counted`() throws {
        var rows = Array(Self.rows.prefix(3))
        rows[0].verdict = .same
        rows[1].verdict = .better
        let table = try #require(ComparisonTable.tables(rows, marks: [:], all: false).first)
        #expect(table.rows.map { $0[0].text } == ["worse", "better"])
        #expect(table.notes.dropFirst() == ["1 of 3 values are the same and not shown; --all shows them"])
        #expect(table.rows[0][6].text == "+20.0%" && table.rows[0][7].text == "+15.0% to +25.0%")
    }

    @Test func `when many figures are inconclusive, they are counted, after the known ones`() throws {
        var rows = Array(repeating: Self.rows[0], count: 25)
        for index in 0..<23 { rows[index].verdict = .inconclusive }
        rows[23].verdict = .better
        let table = try #require(ComparisonTable.tables(rows, marks: [:], all: false).first)
        #expect(table.rows.map { $0[0].text } == ["worse", "better"] + Array(repeating: "inconclusive", count: 10))
        #expect(table.notes.last?.hasPrefix("13 more are inconclusive and not shown") == true)
        #expect(try #require(ComparisonTable.tables(rows, marks: [:], all: true).first).rows.count == 25)
    }

    @Test func `a gate names the figures that fail it`() throws {
        var row = Self.rows[0]
        (row.strategy, row.baselineStrategy) = ("lru", "lru")
        let gates = ComparisonGate(failing: [.worse]).gates([row])
        #expect(
            gates.dropFirst().map(\.reason) == [
                "1 of 1 values worse: lru in steady, main: p50 +20.0% (+15.0% to +25.0%)"
            ])
        #expect(gates.map(\.exitCode) == [.gateFailed, .gateFailed] && gates.map(\.passed) == [true, false])
    }

    @Test func `a comparison whose figures all lack rounds has no verdict and does not pass`() {
        var row = ComparisonRow()
        row.lacksRounds = true
        let gates = ComparisonGate(failing: [.worse]).gates([row])
        #expect(gates.map(\.passed) == [false] && gates.first?.exitCode == .harnessTrouble)
        let others = ComparisonGate(failing: [.worse]).gates([row, ComparisonRow()]).map(\.passed)
        #expect(!others.contains(false))
    }

    @Test func `a gate does not pass for lack of figures`() {
        let lost = ComparedRuns(
            baseline: [Made.phase("lru", 1)], candidate: [Made.crash("lru", 1)], metrics: [.p50]
        ).lost
        #expect(lost.map(\.text) == ["lru in steady, main: p50"])
        var row = Self.rows[0]
        row.verdict = .inconclusive
        let gates = ComparisonGate(failing: [.worse]).gates([row], lost: lost)
        #expect(gates.map(\.name) == ["measured", "worse"] && gates.map(\.passed) == [false, true])
        let exempt = ComparisonGate(failing: [.worse], exempt: ["lru"]).gates([row], lost: lost)
        #expect(exempt.map(\.passed) == [true, true])
        #expect(ComparisonGate(failing: []).gates([row], lost: lost).isEmpty)
    }

    @Test func `an empty gate does not pass`() {
        #expect(ComparisonGate(failing: [.worse]).gates([]).map(\.exitCode) == [.harnessTrouble])
    }
}
