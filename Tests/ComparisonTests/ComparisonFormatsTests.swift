import Foundation
import Reports
import Testing
import TrialModel

@testable import Comparison

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
            CSVWriter.header(of: ComparisonRow.self) + CSVWriter.lines(Self.rows)
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

    @Test func `figures that are better when they are smaller are in one file, the others in another`() throws {
        var rows = Self.rows
        rows[0].metric = "throughput"
        let smaller = try BenchmarkJSON.render(BenchmarkJSON.entries(rows, biggerIsBetter: false))
        let entries = try JSONDecoder().decode([BenchmarkJSON.Entry].self, from: Data(smaller.utf8))
        #expect(entries.map(\.name) == Self.hostile.dropFirst().map { "steady/\($0)/main/p50" })
        #expect(entries.first?.value == 1_200 && entries.first?.unit == "ns")
        #expect(entries.first?.range == "+15.0% to +25.0%")
        #expect(BenchmarkJSON.entries(rows, biggerIsBetter: true).count == 1)
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
        #expect(table.notes.dropFirst() == ["1 of 3 figures are the same and not shown; --all shows them"])
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
                "1 of 1 figures worse: lru in steady, main: p50 +20.0% (+15.0% to +25.0%)"
            ])
        #expect(gates.map(\.exitCode) == [.gateFailed, .gateFailed] && gates.map(\.passed) == [true, false])
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
