import Foundation
import Testing

@testable import Races

@Suite(.timeLimit(.minutes(1))) struct SanitizerLogTests {
    @Test func `a race has its kind, its process and two accesses`() throws {
        let report = try #require(SanitizerLog(RealLogs.dictionary).reports.first)
        #expect(report.kind == "Swift access race")
        #expect(report.processIdentifier == 4010)
        #expect(report.isRace && report.isComplete)
        #expect(
            report.accesses.map(\.description) == ["Read of size 8", "Previous modifying access of Swift variable"])
    }

    @Test func `only the frames of the accesses are frames of the report`() throws {
        let report = try #require(SanitizerLog(RealLogs.dictionary).reports.first)
        #expect(report.accesses.map(\.frames.count) == [6, 6])
    }

    @Test func `the text is the whole report, demangled, without its separators`() throws {
        let text = try #require(SanitizerLog(RealLogs.dictionary).reports.first).text
        #expect(text.hasPrefix("WARNING: ThreadSanitizer: Swift access race (pid=4010)\n  Read of size 8"))
        #expect(
            text.hasSuffix(
                "Table.swift:6:44 in samples.Table.value(Swift.String) -> Swift.Optional<Swift.Int>"))
        #expect(!text.contains("$s") && !text.contains("====="))
    }

    @Test func `several reports of one process are kept in order`() {
        let log = SanitizerLog(RealLogs.actor)
        #expect(log.reports.map(\.kind) == ["Swift access race", "Swift access race", "data race"])
        #expect(log.reports.allSatisfy { $0.isComplete && $0.accesses.count == 2 })
    }

    @Test func `a trap after a race is not a failure of the runtime`() {
        let log = SanitizerLog(RealLogs.trap)
        #expect(log.reports.map(\.isRace) == [true])
        #expect(log.failure == nil && log.crash == nil)
    }

    @Test func `a deadly signal is a crash and not a failure`() {
        let log = SanitizerLog(RealLogs.segv)
        #expect(log.reports.map(\.isRace) == [true])
        #expect(log.failure == nil)
        #expect(log.crash?.hasPrefix("ERROR: ThreadSanitizer: SEGV on unknown address 0x000000000008") == true)
    }

    @Test func `a deadly signal in the middle of a line is a crash`() {
        let log = SanitizerLog("x\n  Thread T2 'samples'ThreadSanitizer:DEADLYSIGNAL\n")
        #expect(log.crash == "ThreadSanitizer:DEADLYSIGNAL")
    }

    @Test func `a thread leak is kept but is not a race`() {
        let log = SanitizerLog(RealLogs.leak)
        #expect(log.reports.map(\.kind) == ["thread leak"])
        #expect(log.reports.allSatisfy { !$0.isRace })
    }

    @Test(arguments: [RealLogs.useAfterFree, RealLogs.useAfterFreeInOneThread])
    func `a use after free counts as a race`(log: String) {
        #expect(SanitizerLog(log).reports.filter(\.isRace).map(\.kind) == ["heap-use-after-free"])
    }

    @Test(arguments: [
        ("data race", true), ("Swift access race", true), ("data race on vptr (ctor/dtor vs virtual call)", true),
        ("heap-use-after-free (virtual call vs free)", true), ("race on external object", true),
        ("thread leak", false), ("signal-unsafe call inside of a signal", false),
        ("lock-order-inversion (potential deadlock)", false), ("destroy of a locked mutex", false),
        ("unlock of an unlocked mutex (or by a wrong thread)", false), ("signal handler spoils errno", false),
        ("use of an invalid mutex (e.g. uninitialized or destroyed)", false),
    ])
    func `the kind says whether it is a race`(kind: String, isRace: Bool) throws {
        let log = SanitizerLog("==================\nWARNING: ThreadSanitizer: \(kind) (pid=1)\n\n==================\n")
        #expect(log.reports.map(\.kind) == [kind])
        #expect(log.reports.first?.isRace == isRace)
    }

    @Test func `other lines before, between and after don't matter`() {
        let text = "progress 1\n\(RealLogs.leak)progress 2\n\(RealLogs.dictionary)WARNING: something else (pid=3)\n"
        #expect(SanitizerLog(text).reports.count == 2)
    }

    @Test func `a line of the program between two frames ends no stack`() throws {
        let text = RealLogs.dictionary.replacing(
            "    #3 $s7samples7threads", with: "progress\n    #3 $s7samples7threads")
        #expect(try #require(SanitizerLog(text).reports.first).accesses.map(\.frames.count) == [6, 6])
    }

    @Test func `program output before the closing separator leaves the report whole`() {
        let text = RealLogs.dictionary.replacing(
            "\n==================\nThread", with: "\nabc==================\nThread")
        #expect(SanitizerLog(text).reports.map(\.isComplete) == [true])
    }

    @Test func `colours are left out`() throws {
        let text = RealLogs.dictionary.replacing("WARNING:", with: "\u{1B}[1m\u{1B}[31mWARNING:")
            .replacing("  Read of", with: "\u{1B}[1m\u{1B}[0m\u{1B}[34m  Read of")
        let log = SanitizerLog(text)
        #expect(log == SanitizerLog(RealLogs.dictionary))
    }

    @Test func `an access of the main thread may name mutexes`() throws {
        let access = try #require(
            MemoryAccess(
                heading: Array("  Atomic write of size 4 at 0x7b by main thread (mutexes: write M0):".utf8)[...]))
        #expect(access.description == "Atomic write of size 4")
    }
}
