import Foundation
import Testing
import TrialModel

@testable import Reports

/// Rows about promises: in their file, in the table, for CI systems.
@Suite(.timeLimit(.minutes(1)))
struct ConsistencyReportsTests {
    static func row(
        _ promise: Promise, _ verdict: ConsistencyVerdict, strategy: String = "lru", checked: UInt64 = 10,
        violations: UInt64 = 0, example: String = ""
    ) -> ConsistencyRow {
        ConsistencyRow().with {
            ($0.trial, $0.promise, $0.verdict) = (Samples.key("steady", strategy).trial, promise, verdict)
            ($0.operationsChecked, $0.violations, $0.example) = (checked, violations, example)
        }
    }

    @Test func `rows and examples are read back`() throws {
        let temporary = try TemporaryFolder()
        let path = temporary.path("r")
        let folder = try ResultFolder.create(at: path, files: ResultFile.ofRun + [.consistency])
        let rows = [
            Self.row(.freshness, .inconsistent, violations: 2, example: "a, \"quoted\" one"),
            Self.row(.singleFlight, .unknown, checked: 0, example: "there were no requests"),
        ]
        let entries = [ConsistencyEntry(row: rows[0], example: "{}\n"), ConsistencyEntry(row: rows[1])]
        try folder.append([Samples.phase()], consistency: entries)
        #expect(try ResultFolder.readConsistency(at: path) == rows)
        #expect(try temporary.names("r/consistency") == ["steady-lru-1-freshness.json"])
        #expect(ConsistencyEntry.path(of: rows[0]) == "consistency/steady-lru-1-freshness.json")
    }

    @Test func `a row is written unchanged`() {
        #expect(
            CSVWriter.line(Self.row(.newerWritesWin, .consistent))
                == "steady,lru,1,newer-writes-win,consistent,10,0,,0" + Samples.sweptCells)
    }

    @Test func `the table shows broken promises, and what a full cache admits`() throws {
        let retention = Self.row(.retention, .unknown).with { $0.operationsExcused = 7 }
        let table = ConsistencyTable.table(
            [
                Self.row(.freshness, .consistent), Self.row(.errors, .unknown), retention,
                Self.row(.admission, .consistent, checked: 40, violations: 40),
                Self.row(.freshness, .inconsistent, strategy: "stale"),
            ], marks: ["stale": "control"])
        let texts = table.rows.map { $0.map(\.text) }
        #expect(texts[0] == ["lru", "candidate", "consistent", "", "2", "40", "7", "0 of 40", "retention, errors"])
        #expect(texts[1] == ["stale", "control", "inconsistent", "freshness", "0", "10", "0", "", ""])
    }

    @Test func `of several scenarios the table shows the least that a full cache admitted`() {
        var other = Self.row(.admission, .consistent, checked: 40, violations: 30)
        other.trial.scenario = "scan"
        let table = ConsistencyTable.table(
            [Self.row(.admission, .consistent, checked: 40), other], marks: [:])
        #expect(table.rows.first?[7].text == "10 of 40")
    }

    @Test func `a broken promise is a failed case, an unknown one a skipped case`() {
        let cases = JUnitXML.cases(
            of: [
                Self.row(.freshness, .inconsistent, example: "old"),
                Self.row(.errors, .unknown, example: "no load failed"),
                Self.row(.counts, .consistent), Self.row(.freshness, .inconsistent, strategy: "stale"),
            ], exempt: ["stale"])
        #expect(cases.map(\.name).count == 3)
        #expect(cases.map(\.failure) == ["in steady: old", nil, nil])
        #expect(cases.map(\.skipped) == [nil, "no load failed", nil])
    }

    @Test func `a defect is one outcome, in any number of scenarios`() {
        let rows = ["a", "b", "c"].flatMap { (scenario: ScenarioPoint) in
            [Promise.limits, .errors].map { promise in
                ConsistencyRow().with {
                    $0.trial = TrialIdentity(scenario: scenario, strategy: "x", repetition: 1)
                    $0.promise = promise
                    $0.verdict = promise == .limits ? .inconsistent : scenario == "a" ? .unknown : .consistent
                    ($0.violations, $0.example) = (1, "key 1 is found")
                }
            }
        }
        let outcomes = PromiseOutcome.all(rows)
        #expect(outcomes.map(\.promise) == [.limits, .errors])
        #expect(outcomes.map(\.verdict) == [.inconsistent, .consistent])
        #expect(outcomes.map(\.places) == ["a and 2 other scenarios", ""])
        let cases = JUnitXML.cases(of: rows, exempt: [])
        #expect(cases.map(\.name) == ["guarantee limits", "guarantee errors"])
        #expect(cases.map(\.failure) == ["in a and 2 other scenarios: key 1 is found", nil])
    }
}
