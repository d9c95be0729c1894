import Testing

@testable import Races

@Suite(.timeLimit(.minutes(1))) struct SourceLocationTests {
    private static let roots = SourceRootsTests.roots

    private func location(_ log: String) -> Races.SourceLocation? {
        SanitizerLog(log).reports.first?.location(in: Self.roots)
    }

    private func report(_ accesses: [StackFrame]...) -> SanitizerReport {
        SanitizerReport(
            kind: "data race", processIdentifier: 1,
            accesses: accesses.map { MemoryAccess(description: "Write", frames: $0) }, text: "")
    }

    private func frame(_ file: String?, _ line: Int? = nil, function: String = "a.T.f() -> ()") -> StackFrame {
        StackFrame(function: function, file: file, line: line)
    }

    @Test func `the first frame of the first access in our code is the location`() {
        #expect(
            location(RealLogs.dictionary)
                == Races.SourceLocation(file: "Sources/Caches/Table.swift", line: 6))
        #expect(location(RealLogs.useAfterFree)?.description == "Sources/Caches/Buffer.swift:2")
    }

    @Test func `a frame with a line takes precedence over one without, in the other access too`() {
        #expect(location(RealLogs.actor)?.description == "Sources/Caches/Counter.swift:11")
    }

    @Test func `the second access is used when the first has no frame of ours`() {
        let report = report([frame("/home/build-user/a.cpp", 1)], [frame(nil), frame("/project/b.swift", 2)])
        #expect(report.location(in: Self.roots).description == "b.swift:2")
    }

    @Test func `a frame of ours without a line names its function`() {
        let report = report([frame("/project/b.swift")], [frame("crtstuff.c", 2)])
        #expect(report.location(in: Self.roots).description == "b.swift in T.f()")
    }

    @Test func `without a frame of ours the first frame with a file is used`() {
        let report = report([frame(nil), frame("/home/build-user/a.cpp", 7)], [frame("/usr/include/b.h", 2)])
        #expect(report.location(in: Self.roots).description == "/home/build-user/a.cpp:7")
    }

    @Test func `without any file the function is used`() {
        #expect(report([frame(nil)], [frame(nil, function: "g")]).location(in: Self.roots).description == "T.f()")
        #expect(report([], []).location(in: Self.roots).description == "unknown place")
    }
}
