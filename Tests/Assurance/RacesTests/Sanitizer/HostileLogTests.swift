import Foundation
import Testing
import TrialModel

@testable import Races

@Suite(.timeLimit(.minutes(2))) struct HostileLogTests {
    private static let heading = "WARNING: ThreadSanitizer: data race (pid=1)\n  Write of size 8 at 0x1 by thread T1:\n"

    @Test func `random bytes are read safely`() {
        var random = RandomSource(seed: 17, stream: 0)
        for _ in 0..<300 {
            let bytes = (0..<400).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            #expect(SanitizerLog(bytes).reports == [])
        }
    }

    @Test func `damaged logs are read safely`() {
        let whole = Array((RealLogs.dictionary + RealLogs.segv).utf8)
        let signs = Array("#()<>$ :\n\u{1B}[=_+/x9".utf8) + [0, 0xFF]
        var random = RandomSource(seed: 17, stream: 0)
        let roots = SourceRoots(root: "/project", otherFolders: ["Sources/TrialLoop"])
        let count = SanitizerLog(whole).reports.count
        for _ in 0..<300 {
            var bytes = whole
            for _ in 0..<40 {
                let index = Int(random.next(below: UInt64(bytes.count)))
                bytes[index] = signs[Int(random.next(below: UInt64(signs.count)))]
            }
            let log = SanitizerLog(bytes)
            #expect(log.reports.count <= count)
            #expect(DistinctRaces(in: [log], roots: roots).races.count <= log.reports.count)
        }
    }

    // A parser with quadratic time would exceed the suite's time limit.
    @Test func `two hundred thousand lines are read`() {
        let lines = String(repeating: "    #0 $s7samples5TableC5valueySiSgSSF /a b.swift:1:2 (m+0x1)\n", count: 20_000)
        let others = String(repeating: "ThreadSanitizer\n", count: 180_000)
        let log = SanitizerLog(Self.heading + lines + "\n" + others)
        #expect(log.reports.first?.accesses.first?.frames.count == 20_000)
    }

    @Test func `a huge line is read in linear time`() {
        for piece in ["(", " /", ":1", "$s", "=", "T", "ThreadSanitizer", " at 0x", "\u{1B}[", "_$"] {
            let huge = String(repeating: piece, count: 20_000)
            for start in ["    #0 ", "    #0 $s", "  Write of ", "WARNING: ThreadSanitizer: ", "==", ""] {
                let log = SanitizerLog(Self.heading + start + huge + "\n" + start + huge + ")\n")
                #expect((1...3).contains(log.reports.count), "\(start)\(piece)")
            }
        }
    }

    @Test func `twenty thousand reports are read in linear time`() {
        let log = SanitizerLog(String(repeating: Self.heading, count: 20_000))
        #expect(log.reports.count == 20_000)
        #expect(DistinctRaces(in: [log], roots: SourceRoots()).races.map(\.count) == [20_000])
    }

    @Test func `a name that nests too deep stays mangled`() {
        let name =
            "$s1a1fyy" + String(repeating: "Say", count: 200_000) + "Si" + String(repeating: "G", count: 200_000) + "F"
        var demangler = Demangler()
        #expect(demangler.name(name) == name)
    }

    @Test func `numbers too large for an integer are not numbers`() {
        let frame = "    #0 f /a.swift:99999999999999999999:2 (m+0x1)\n    #99999999999999999999 f /a.swift:1 (m+0x1)\n"
        let frames = SanitizerLog(Self.heading + frame).reports.first?.accesses.first?.frames
        #expect(frames == [StackFrame(function: "f", file: "/a.swift")])
        #expect(SanitizerLog("WARNING: ThreadSanitizer: data race (pid=99999999999999999999)\n").reports == [])
    }
}
