import BuiltInStrategies
import Foundation
import Races
import Testing
import TimedStrategies
import TrialModel

@testable import TrialSessions

/// The combined result of several runs under the sanitizer.
@Suite(.timeLimit(.minutes(1)))
struct RaceTallyTests {
    static let report = """
        ==================
        WARNING: ThreadSanitizer: data race (pid=1)
          Write of size 8 at 0x7b0400000000 by thread T2:
            #0 insert /elsewhere/Theirs.swift:12:9 (a.out+0x1)

          Previous read of size 8 at 0x7b0400000000 by thread T1:
            #0 value /elsewhere/Theirs.swift:7:9 (a.out+0x2)

        SUMMARY: ThreadSanitizer: data race /elsewhere/Theirs.swift:12:9 in insert
        ==================

        """

    static let quiet = SanitizerEvidence(logs: [SanitizerLog("")])
    static let race = SanitizerEvidence(logs: [SanitizerLog(report)])

    static func result(
        _ status: TrialStatus = .completed, contended: UInt64 = 1_000, wrong: UInt64 = 0
    ) -> [PhaseResult] {
        let key = RowKey(trial: TrialIdentity(scenario: "s", strategy: "theirs", repetition: 1), phase: "p")
        let row = TrialRow(
            key: key, driver: .threads, status: status, reason: status == .completed ? "" : "why", wrongAnswers: wrong)
        return [PhaseResult(trial: row, contendedOperations: contended)]
    }

    static func row(_ runs: ([PhaseResult], SanitizerEvidence)...) -> RaceRow {
        var tally = RaceTally(scenario: "s", strategy: "theirs", leastContended: 500)
        for (results, evidence) in runs { tally.note(results, evidence) }
        return tally.row(reportFile: "")
    }

    @Test func `runs without a report in which callers overlapped are clean`() {
        let row = Self.row((Self.result(contended: 700), Self.quiet), (Self.result(contended: 500), Self.quiet))
        #expect(row.verdict == .clean)
        #expect(row.contendedOperations == 500)
        #expect(row.runs == 2 && row.runsFlagged == 0 && row.races == 0)
    }

    @Test func `one run with a race is enough, and the rate is reported`() {
        let row = Self.row((Self.result(), Self.quiet), (Self.result(), Self.race), (Self.result(), Self.race))
        #expect(row.verdict == .racy)
        #expect(row.runs == 3 && row.runsFlagged == 2)
        #expect(row.races == 1, "the same two places are one race")
        #expect(row.firstLocation == "/elsewhere/Theirs.swift:12")
    }

    @Test func `a run in which few operations overlapped proves nothing`() {
        let row = Self.row((Self.result(), Self.quiet), (Self.result(contended: 499), Self.quiet))
        #expect(row.verdict == .undecided)
        #expect(row.reason.hasPrefix("499 operations overlapped another one, and 500 are needed"))
    }

    @Test(arguments: [TrialStatus.crashed, .hung]) func `a crash is a finding`(status: TrialStatus) {
        let row = Self.row((Self.result(), Self.quiet), (Self.result(status), Self.quiet))
        #expect(row.verdict == .crashed)
        #expect(row.reason == "1 of 2 runs \(status.rawValue): why")
    }

    @Test func `a race takes precedence over the crash that follows it`() {
        let row = Self.row((Self.result(.crashed), Self.race))
        #expect(row.verdict == .racy)
        #expect(row.reason == "1 of 1 runs crashed: why")
    }

    @Test func `a finding that is not a race, or a suppressed one, leaves the strategy undecided`() {
        let misuse = SanitizerLog(
            "WARNING: ThreadSanitizer: unlock of an unlocked mutex (pid=1)\n  x\n==================\n")
        #expect(Self.row((Self.result(), SanitizerEvidence(logs: [misuse]))).verdict == .undecided)
        let suppressed = SanitizerLog("ThreadSanitizer: Matched 3 suppressions (pid=1):\n3 race:Theirs\n")
        let row = Self.row((Self.result(), SanitizerEvidence(logs: [suppressed])))
        #expect(row.verdict == .undecided && row.reason == "3 reports were suppressed")
    }

    @Test func `a trial that could not be run leaves the strategy undecided`() {
        #expect(Self.row((Self.result(.invalid), Self.quiet)).verdict == .undecided)
    }

    @Test func `wrong answers add up`() {
        #expect(Self.row((Self.result(wrong: 2), Self.quiet), (Self.result(wrong: 1), Self.quiet)).wrongAnswers == 3)
    }
}

/// Whether the sanitizer reports the known truth about a control.
@Suite(.timeLimit(.minutes(1)))
struct ControlTallyTests {
    /// Runs a control until no more runs are wanted; the evidence of the last run is repeated for all later ones.
    static func row(_ kind: ControlKind, runs: Int? = nil, _ seen: [Bool], end: ChildEnding.Way = .exited(0))
        -> ControlRow
    {
        var tally = ControlTally(name: "c", kind: kind, runs: runs)
        for isFlagged in seen where tally.wantsMore {
            tally.note(
                isFlagged ? RaceTallyTests.race : RaceTallyTests.quiet, ChildEnding(isFlagged ? .exited(66) : end))
        }
        return tally.row
    }

    @Test func `a racy control is run until it is flagged`() {
        let row = Self.row(.racy, [false, true, true])
        #expect(row.isCaught && row.runs == 2 && row.runsFlagged == 1)
    }

    @Test func `a racy control that is not flagged in three runs fails`() {
        let row = Self.row(.racy, [false, false, false, true])
        #expect(!row.isCaught && row.runs == 3)
        #expect(row.reason == "it has a race and was not flagged in 3 runs")
    }

    @Test func `a crash without a report is not a flag, and is reported`() {
        let row = Self.row(.racy, [false, false, false], end: .signaled(11))
        #expect(row.reason == "it has a race and was not flagged in 3 runs; the process died of SIGSEGV")
    }

    @Test func `over many runs three misses in a row fail and two do not`() {
        #expect(Self.row(.racy, runs: 6, [true, false, false, true, false, true]).isCaught)
        #expect(!Self.row(.racy, runs: 6, [true, false, false, false, true, true]).isCaught)
    }

    @Test func `a clean control that is flagged once fails`() {
        let row = Self.row(.clean, runs: 3, [false, true, false])
        #expect(!row.isCaught)
        #expect(row.reason == "it has no race and was flagged in 1 of 3 runs")
    }

    @Test(arguments: [ChildEnding.Way.exited(1), .signaled(6), .deadlinePassed(.seconds(9))])
    func `a clean control that fails to complete fails`(end: ChildEnding.Way) {
        #expect(!Self.row(.clean, [false], end: end).isCaught)
        #expect(Self.row(.clean, [false]).isCaught)
    }
}

/// Recognising failures of the sanitizer itself.
@Suite(.timeLimit(.minutes(1)))
struct SanitizerEvidenceTests {
    private static func evidence(_ log: String, _ end: ChildEnding.Way, errors: [String] = []) throws
        -> SanitizerEvidence
    {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        if !log.isEmpty { try Data(log.utf8).write(to: folder.appendingPathComponent("log.1")) }
        var tail = ErrorTail()
        for line in errors { tail.append(line) }
        return try SanitizerEvidence(folder: folder.path, ChildEnding(end, tail: tail))
    }

    @Test func `a process without a log has nothing to report`() throws {
        #expect(try !Self.evidence("", .exited(0)).hasRaces)
        #expect(try Self.evidence(RaceTallyTests.report, .exited(66)).hasRaces)
    }

    @Test func `the sanitizer's exit code without a report is not a verdict`() {
        #expect(throws: HarnessError.self) { try Self.evidence("", .exited(66)) }
    }

    @Test func `the harness's options come after the user's, so that they win`() throws {
        let settings = try SanitizerSettings(userOptions: "history_size=7 log_path=x", symbolizer: "/it's here")
        let text = try #require(settings.environment(logPath: "/a b", stopsAtFirst: true)["TSAN_OPTIONS"])
        #expect(text.hasPrefix("history_size=7 log_path=x log_path='/a b' "))
        #expect(text.contains("halt_on_error='1'") && text.contains("external_symbolizer_path=\"/it's here\""))
    }

    @Test(arguments: [
        "FATAL: ThreadSanitizer: unexpected memory mapping 0x7f0000000000-0x7f0000001000",
        "ThreadSanitizer: failed to read suppressions file '/nowhere'",
    ])
    func `a sanitizer that could not start is not a verdict, in any output`(line: String) {
        #expect(throws: HarnessError.self) { try Self.evidence("", .exited(66), errors: [line]) }
        #expect(throws: HarnessError.self) { try Self.evidence("\(line)\n", .exited(66)) }
    }
}

/// The failures of a judgement of races, and their exit codes.
@Suite(.timeLimit(.minutes(1)))
struct RaceGatesTests {
    static let good = ControlRow().with {
        ($0.control, $0.kind, $0.isCaught, $0.runs, $0.runsFlagged) = ("c", .racy, true, 1, 1)
    }

    static func exitCode(_ verdicts: [(String, RaceVerdict)], control: ControlRow = good, wrong: UInt64 = 0) -> Int32 {
        let rows = verdicts.map { strategy, verdict in
            RaceRow().with {
                ($0.scenario, $0.strategy, $0.verdict) = ("s", strategy, verdict)
                ($0.runsCrashed, $0.wrongAnswers) = (verdict == .crashed ? 1 : 0, wrong)
            }
        }
        return RunVerdict(gates: StrategyRegistry.builtIn.gates(for: rows, controls: [control])).exitCode
    }

    @Test(arguments: [(RaceVerdict.clean, 0), (.racy, 4), (.crashed, 3), (.undecided, 2)] as [(RaceVerdict, Int32)])
    func `a verdict on a sound strategy sets the exit code`(verdict: RaceVerdict, expected: Int32) {
        #expect(Self.exitCode([("actor", .clean), ("lru", verdict)]) == expected)
        #expect(Self.exitCode([("unknown-to-the-registry", verdict)]) == expected)
    }

    @Test(arguments: ["unsynchronized", "published-disk"], RaceVerdict.allCases)
    func `findings in controls and published caches fail nothing`(name: String, verdict: RaceVerdict) {
        // An unknown result is not a finding.
        #expect(Self.exitCode([(name, verdict)], wrong: 1) == (verdict == .undecided ? 2 : 0))
    }

    @Test func `a wrong answer exits with 3`() {
        #expect(Self.exitCode([("lru", .clean)], wrong: 1) == 3)
    }

    @Test func `a crash is worse than the race before it`() {
        let row = RaceRow().with { ($0.scenario, $0.strategy, $0.verdict, $0.runsCrashed) = ("s", "lru", .racy, 1) }
        let gates = StrategyRegistry.builtIn.gates(for: [row], controls: [Self.good])
        #expect(RunVerdict(gates: gates).exitCode == 3)
    }

    @Test func `a control that is not caught exits with 2, for any results of the strategies`() {
        let missed = ControlRow().with {
            ($0.control, $0.kind, $0.isCaught, $0.runs, $0.reason) = ("c", .racy, false, 3, "not flagged")
        }
        for verdict in RaceVerdict.allCases { #expect(Self.exitCode([("lru", verdict)], control: missed) == 2) }
    }

    @Test func `without controls nothing is proved`() {
        let gates = StrategyRegistry.builtIn.gates(for: [], controls: [])
        #expect(RunVerdict(gates: gates).exitCode == 2)
    }
}
