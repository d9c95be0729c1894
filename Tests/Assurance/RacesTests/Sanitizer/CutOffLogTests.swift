import Testing

@testable import Races

@Suite(.timeLimit(.minutes(1))) struct CutOffLogTests {
    /// The log up to a text, as after a kill at that point.
    private func log(cutBehind text: String) -> SanitizerLog {
        let end = RealLogs.dictionary.firstRange(of: text)?.upperBound ?? RealLogs.dictionary.startIndex
        return SanitizerLog(String(RealLogs.dictionary[..<end]))
    }

    @Test func `a report that was cut off after its accesses counts`() {
        let reports = log(cutBehind: "  Thread T2 'samples'").reports
        #expect(reports.map(\.isComplete) == [false])
        #expect(reports.first?.accesses.map(\.frames.count) == [6, 6])
    }

    @Test func `a report that was cut off in its first access counts`() {
        let reports = log(cutBehind: "Table.swift:6:44 (samples+0x105f8f) (BuildId: 722f)\n").reports
        #expect(reports.first?.accesses.map(\.frames.count) == [1])
    }

    @Test func `a report without an access is ignored`() {
        #expect(log(cutBehind: "(pid=4010)\n").reports == [])
    }

    @Test func `a frame with a truncated line is left out, because its number may be wrong`() throws {
        let report = try #require(log(cutBehind: "TrialRunner/Main.swift:3").reports.first)
        #expect(report.accesses.map(\.frames.count) == [1])
        #expect(report.text.hasSuffix("Main.swift:3"))
    }

    @Test func `a report that another one interrupts counts`() {
        let start = RealLogs.dictionary.prefix { $0 != "#" }
        #expect(
            SanitizerLog(start + "\n" + RealLogs.leak.drop { $0 == "=" }).reports.map(\.isComplete) == [false, true])
    }

    @Test func `every truncated log is read safely, and never gives more than the whole`() {
        let bytes = Array((RealLogs.segv + RealLogs.leak).utf8)
        for count in stride(from: 0, through: bytes.count, by: 7) {
            #expect(SanitizerLog(bytes.prefix(count)).reports.count <= 2)
        }
    }
}
