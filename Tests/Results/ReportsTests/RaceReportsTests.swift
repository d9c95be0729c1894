import Foundation
import Reports
import Testing
import TrialModel

/// The files that `races` writes.
@Suite(.timeLimit(.minutes(1)))
struct RaceReportsTests {
    static let racy = RaceRow().with {
        ($0.scenario, $0.strategy, $0.verdict, $0.runs, $0.runsFlagged) = ("contended", "theirs", .racy, 3, 3)
        ($0.races, $0.contendedOperations) = (2, 1_200)
        ($0.firstLocation, $0.reportFile) = ("Sources/Theirs.swift:12", "reports/contended.theirs.txt")
    }
    static let clean = RaceRow().with {
        ($0.scenario, $0.strategy, $0.verdict, $0.runs) = ("contended", "ours", .clean, 3)
        $0.contendedOperations = 900
    }
    static let control = ControlRow().with {
        ($0.control, $0.kind, $0.isCaught, $0.runs, $0.runsFlagged) = ("unlocked-read", .racy, true, 1, 1)
        ($0.races, $0.firstLocation) = (1, "Sources/RaceControls/UnlockedRead.swift:7")
        $0.reportFile = "reports/unlocked-read.txt"
    }

    @Test func `rows and reports are in the folder as soon as they are written`() throws {
        let temporary = try TemporaryFolder()
        let folder = try ResultFolder.create(at: temporary.path("races"), files: ResultFile.ofRaces)
        try folder.append([Self.control])
        try folder.append([Self.racy])
        #expect(try folder.write("text", as: "a.txt", in: "reports") == "reports/a.txt")
        #expect(try temporary.names("races") == ["controls.csv", "races.csv", "reports"])
        #expect(try temporary.text("races/races.csv").contains("contended,theirs,racy,2,3,3,1200,"))
        #expect(try temporary.text("races/controls.csv").contains("unlocked-read,racy,yes,1,1,1,"))
        #expect(try ResultFolder.rows(of: RaceRow.self, at: temporary.path("races")) == [Self.racy])
        #expect(try ResultFolder.rows(of: ControlRow.self, at: temporary.path("races")) == [Self.control])
        #expect(try temporary.text("races/reports/a.txt") == "text")
    }

    @Test func `a folder with races is not taken for another run`() throws {
        let temporary = try TemporaryFolder()
        _ = try ResultFolder.create(at: temporary.path("races"), files: ResultFile.ofRaces)
        #expect(throws: ReportsError.alreadyHoldsResults(path: temporary.path("races"))) {
            try ResultFolder.create(at: temporary.path("races"))
        }
    }

    @Test func `the table has the worst verdict of a strategy and its first place`() throws {
        var second = Self.clean
        second.scenario = "bursts"
        second.strategy = "theirs"
        let table = RaceTable.table(
            [second, Self.racy, Self.clean], controls: [Self.control], marks: ["theirs": "reference"])
        #expect(
            table.rows.map { $0.map(\.text) } == [
                ["theirs", "reference", "racy", "2", "3", "6", "900", "Sources/Theirs.swift:12"],
                ["ours", "candidate", "clean", "0", "0", "3", "900", ""],
            ])
        #expect(try #require(table.caption).contains("1 of 1 racy ones flagged, 0 of 0 clean ones"))
    }

    @Test func `a page of evidence says which scenario, which verdict, and where`() {
        let finding = RaceFinding(
            accesses: [
                RaceFinding.Access(what: "Write of size 8", location: "Sources/Theirs.swift:12", function: "insert"),
                RaceFinding.Access(
                    what: "Previous read of size 8", location: "Sources/Theirs.swift:9", function: "value"),
            ], count: 4, report: (1...40).map { "line \($0)" }.joined(separator: "\n"))
        let page = EvidencePage.markdown(
            strategy: "theirs", summary: "a cache", findings: [(Self.racy, [finding, finding])])
        #expect(page.contains("# theirs\n\na cache\n"))
        #expect(page.contains("| contended | racy | 2 | 3 | 3 | 1200 | Sources/Theirs.swift:12 |"))
        #expect(page.contains("| 1 | Write of size 8 | Sources/Theirs.swift:12 | insert |"))
        #expect(page.contains("line 24\n..."))
        #expect(!page.contains("line 25"))
        #expect(page.components(separatedBy: "| 1 | Write").count == 2)
    }

    @Test func `a page about a clean strategy has no reports`() {
        let page = EvidencePage.markdown(
            strategy: "ours", summary: "a cache", findings: [(Self.clean, [])])
        #expect(page.contains("| contended | clean | 0 | 0 | 3 | 900 |"))
        #expect(!page.contains("## Report"))
    }

    @Test func `annotations mark places in the repository, at most ten, and nothing that is expected`() {
        func row(_ strategy: String, _ place: String, _ verdict: RaceVerdict = .racy) -> RaceRow {
            RaceRow().with {
                ($0.scenario, $0.strategy, $0.verdict, $0.firstLocation) = ("contended", strategy, verdict, place)
                ($0.races, $0.runs, $0.runsFlagged) = (1, 5, 4)
            }
        }
        let rows = [
            row("a,b", "Sources/A,B.swift:12"), row("clean", "", .clean), row("known", "Sources/K.swift:1"),
            row("100%", "/elsewhere/L.swift:3"), row("line\nbreak", "nowhere"),
        ]
        #expect(
            RaceAnnotations.lines(rows, expected: ["known"]) == [
                "::warning file=Sources/A%2CB.swift,line=12,title=Data race::a,b in contended: 1 data race in 4 of 5 runs",
                "::warning title=Data race::100%25 in contended: 1 data race in 4 of 5 runs",
                "::warning title=Data race::line\\nbreak in contended: 1 data race in 4 of 5 runs",
            ])
        let many = (0..<30).map { row("s\($0)", "Sources/S.swift:\($0)") }
        #expect(RaceAnnotations.lines(many, expected: []).count == 10)
    }
}
