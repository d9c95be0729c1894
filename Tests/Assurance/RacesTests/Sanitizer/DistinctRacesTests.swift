import Testing

@testable import Races

@Suite(.timeLimit(.minutes(1))) struct DistinctRacesTests {
    private static let roots = SourceRootsTests.roots

    @Test func `the same race of two processes counts twice and is one`() {
        let logs = [RealLogs.dictionary, RealLogs.dictionary.replacing("pid=4010", with: "pid=4011")]
        let races = DistinctRaces(in: logs.map { SanitizerLog($0) }, roots: Self.roots).races
        #expect(races.map(\.count) == [2])
        #expect(races.first?.firstReport.processIdentifier == 4010)
        #expect(
            races.first?.locations.map(\.description) == [
                "Sources/Caches/Table.swift:6", "Sources/Caches/Table.swift:7",
            ])
    }

    @Test func `the order of the accesses makes no difference`() throws {
        let report = try #require(SanitizerLog(RealLogs.dictionary).reports.first)
        let swapped = SanitizerReport(
            kind: report.kind, processIdentifier: 7, accesses: report.accesses.reversed(), text: "")
        let races = DistinctRaces(in: [SanitizerLog(reports: [swapped, report])], roots: Self.roots).races
        #expect(races.map(\.count) == [2])
        #expect(races.first?.firstReport == swapped)
    }

    @Test func `other places are another race, in order of appearance`() {
        let logs = [RealLogs.useAfterFree, RealLogs.dictionary, RealLogs.leak, RealLogs.useAfterFree]
        let races = DistinctRaces(in: logs.map { SanitizerLog($0) }, roots: Self.roots).races
        #expect(races.map(\.count) == [2, 1])
        #expect(races.map(\.firstReport.kind) == ["heap-use-after-free", "Swift access race"])
    }
}
