import Foundation
import Reports
import Testing
import TrialModel

@testable import ReportPage

/// The promises section of the page.
@Suite(.timeLimit(.minutes(1)))
struct PromiseSectionTests {
    static func entry(
        _ strategy: String, _ promise: Promise, _ verdict: ConsistencyVerdict, example: String? = nil
    ) -> ConsistencyEntry {
        ConsistencyEntry(
            row: ConsistencyRow().with {
                $0.trial = TrialIdentity(scenario: "steady", strategy: strategy, repetition: 1)
                ($0.promise, $0.verdict, $0.operationsChecked) = (promise, verdict, 10)
                $0.violations = verdict == .inconsistent ? 3 : 0
                $0.example = verdict == .inconsistent ? "version 1 was <old>" : ""
            }, example: example)
    }

    private static let example = """
        {"summary": "version 1 was <old>", "events": [
          {"caller": "client 1", "what": "write 7 version 2", "call": 0, "answer": 10},
          {"caller": "client 2", "what": "read 7 → version 1", "call": 20, "answer": 30}]}
        """

    private static func html(_ entries: [ConsistencyEntry], marks: [String: String] = [:]) throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("page-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = try ResultFolder.create(at: path, files: ResultFile.ofRun + [.consistency])
        try folder.append(
            Set(entries.map(\.row.trial.strategy)).sorted().map { PageSamples.phase($0) }, consistency: entries)
        return ReportPage(try ReportContent.read([path], marks: marks)).html
    }

    @Test func `a broken promise is drawn, and none of it is markup`() throws {
        let html = try Self.html([Self.entry("lru", .freshness, .inconsistent, example: Self.example)])
        #expect(html.contains("id=\"guarantees\""))
        #expect(html.contains("Guarantees that lru violated"))
        #expect(html.contains("<pre>version 1 was &lt;old&gt;\n"))
        #expect(html.contains("├"))
        #expect(html.contains("<code>lru</code> violated its guarantees: freshness in steady."))
    }

    @Test func `a folder that lost its example shows the row's own`() throws {
        let html = try Self.html([Self.entry("lru", .freshness, .inconsistent)])
        #expect(html.contains("<pre>version 1 was &lt;old&gt;</pre>"))
    }

    @Test func `a known violation is collapsed, and is not bad news`() throws {
        let html = try Self.html(
            [Self.entry("stale", .freshness, .inconsistent, example: Self.example)], marks: ["stale": "control"])
        #expect(html.contains("<details><summary>Guarantees that stale (control) violated"))
        #expect(!html.contains("<li class=\"bad\">"))
    }

    @Test func `kept promises are in the table alone`() throws {
        let html = try Self.html(
            [Self.entry("lru", .freshness, .consistent), Self.entry("lru", .errors, .unknown)])
        #expect(html.contains("id=\"guarantees\""))
        #expect(!html.contains("Guarantees that lru violated"))
        #expect(html.contains("consistent"))
    }
}
