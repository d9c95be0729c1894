import BuiltInStrategies
import CacheStrategies
import Foundation
import HistoryChecking
import Locks
import Origins
import TestTiers
import Testing
import TimedStrategies
import TrialModel

@testable import Conformance
@testable import TrialSessions

/// Findings from a probe's answer, or from its death, that a user can understand.
@Suite(.timeLimit(.minutes(2)))
struct PromiseFindingTests {
    private let scripts: ScriptedTrials

    init() throws { scripts = try ScriptedTrials() }

    /// The finding of a probe whose process is a script.
    private func finding(
        _ promise: Promise, patienceSeconds: Int = 60, body: String
    ) async throws -> PromiseFinding {
        var deaths = PromiseProbe.Deaths()
        return try await finding(promise, patienceSeconds: patienceSeconds, body: body, &deaths)
    }

    private func finding(
        _ promise: Promise, patienceSeconds: Int = 60, body: String, _ deaths: inout PromiseProbe.Deaths
    ) async throws -> PromiseFinding {
        var probe = PromiseProbe(strategy: "scripted", capacity: Capacity(entries: 20), promise: promise)
        probe.patienceSeconds = patienceSeconds
        return try await probe.finding(
            program: ChildProgram(scripts.program("probe", body: body)), folder: NSTemporaryDirectory(),
            of: Strategy(LRUCache<String, Payload>.self), &deaths)
    }

    /// The line that a probe prints for a report.
    private func line(_ report: PromiseProbe.Report) throws -> String {
        "say '\(String(decoding: try JSONEncoder().encode(PromiseProbe.Step.found(report)), as: UTF8.self))'"
    }

    @Test func `every check that failed is a line`() async throws {
        let report = PromiseProbe.Report(checked: 3, violations: 2, failures: ["one", "two"], unasked: ["three"])
        let finding = try await finding(.limits, body: line(report))
        #expect(finding.verdict == .inconsistent)
        #expect(finding.violations == 2)
        #expect(finding.example == Counterexample(summary: "one", details: ["two", "three"]))
    }

    @Test func `a premise that fails is unknown, with its reason`() async throws {
        let finding = try await finding(.limits, body: line(PromiseProbe.Report(checked: 3, unasked: ["why"])))
        #expect(finding.verdict == .unknown)
        #expect(finding.example == Counterexample(summary: "why"))
    }

    @Test func `a crash names its check, its last operations and its place`() async throws {
        let finding = try await finding(
            .durability,
            body: """
                say '{"check":{"_0":"huge costs are harmless"}}'
                say '{"operation":{"_0":"insert key 1 at a cost of 9223372036854775807"}}'
                say '{"operation":{"_0":"insert key 2 at a cost of 9223372036854775807"}}'
                cat >&2 <<'END'
                *** Signal 4: Backtracing from 0x55a476e32c9c... done ***
                *** Swift runtime failure: arithmetic overflow ***
                Thread 0 "probe" crashed:
                  0 [inlined] [system] 0x000055a476e32c9c Swift runtime failure: arithmetic overflow in probe
                  1                    0x000055a476e32c9c Total.add(_:) + 92 in probe at /app/Total.swift:1:70
                  2 [ra]               0x000055a476e32d94 Cache.insert(_:) + 163 in probe at /app/Cache.swift:2:29
                  3 [ra]               0x000055a476e32d99 ConformanceProbe.insert(_:) + 1 in probe at /x.swift:2:29
                  4 [ra]               0x000055a476e32d9c main + 163 in probe at /app/main.swift:2:29
                Backtrace took 0.00s
                END
                kill -ILL $$
                """)
        #expect(finding.verdict == .inconsistent)
        let example = try #require(finding.example)
        #expect(
            example.summary == "huge costs are harmless: the process died of SIGILL (a Swift trap): "
                + "Swift runtime failure: arithmetic overflow")
        #expect(
            example.details == [
                "the last operations: insert key 1 at a cost of 9223372036854775807; "
                    + "insert key 2 at a cost of 9223372036854775807",
                "at Total.add(_:) + 92 in probe at /app/Total.swift:1:70",
                "at Cache.insert(_:) + 163 in probe at /app/Cache.swift:2:29",
            ])
    }

    @Test func `a crash at one place is the finding of one promise`() async throws {
        let body = """
            say '{"check":{"_0":"a check"}}'
            echo '  1 0x000055a476e32c9c Cache.count.getter + 92 in probe at /app/Cache.swift:1:70' >&2
            kill -ILL $$
            """
        var deaths = PromiseProbe.Deaths()
        #expect(try await finding(.counts, body: body, &deaths).verdict == .inconsistent)
        let second = try await finding(.durability, body: body, &deaths)
        #expect(second.verdict == .unknown)
        #expect(second.example?.summary.hasPrefix("a check died as under counts, at Cache.count.getter") == true)
    }

    @Test func `a second process makes the checks that remain after a crash`() async throws {
        let first = PromiseProbe.Report(checked: 1, violations: 1, failures: ["one"])
        let rest = PromiseProbe.Report(checked: 1, violations: 1, failures: ["three"])
        // Entries are bounded: there are three checks, and the first process dies of the second one.
        let finding = try await finding(
            .limits,
            body: """
                case "$specification" in *'"skipped":2'*) \(line(rest)); exit 0 ;; esac
                \(line(first))
                say '{"check":{"_0":"two"}}'
                kill -9 $$
                """)
        #expect(finding.operationsChecked == 3)
        #expect(finding.violations == 3)
        let death = "two: the process died of SIGKILL (out of memory, or killed by hand)"
        #expect(finding.example == Counterexample(summary: "one", details: [death, "three"]))
    }

    @Test func `a check that hangs names its calls, and after two the rest is not asked`() async throws {
        let body = """
            say '{"check":{"_0":"a check"}}'
            say '{"operation":{"_0":"look up key 3"}}'
            say '{"hung":{"_0":"no call ended in 8 s; in flight: a lookup of key 3"}}'
            """
        var deaths = PromiseProbe.Deaths()
        // There are six checks; two of them hang.
        let finding = try await finding(.limits, body: body, &deaths)
        let hang = "a check: no call ended in 8 s; in flight: a lookup of key 3"
        let last = "the last operations: look up key 3"
        #expect(finding.verdict == .inconsistent && finding.violations == 2)
        let reason = "4 more: not checked, because 2 trials or checks of it have hung"
        #expect(finding.example == Counterexample(summary: hang, details: [last, hang, last, reason]))
        #expect(deaths.reason != nil)
    }

    @Test(.nightly) func `a probe that does not end names its current check`() async throws {
        let finding = try await finding(
            .limits, patienceSeconds: 1, body: "say '{\"check\":{\"_0\":\"the entry limit holds\"}}'\nexec sleep 600")
        #expect(finding.example?.summary == "the entry limit holds: no progress in 5 s; the process was killed")
    }

    @Test(.nightly) func `a probe that is at work until the end of its time decides nothing`() async throws {
        let finding = try await finding(
            .limits, patienceSeconds: 1,
            body: "while true; do say '{\"check\":{\"_0\":\"the entry limit holds\"}}'; sleep 1; done")
        #expect(finding.verdict == .unknown)
        #expect(
            finding.example?.summary == "the entry limit holds: still at work after 15 s; the process was killed")
    }

    @Test func `a broken admission names the failed check, and does not report success`() async throws {
        let admission = AdmissionFinding(offered: 40, admitted: 40, limit: "20 entries")
        let report = PromiseProbe.Report(
            checked: 1, violations: 1, failures: ["key 8 is not found"], admission: admission)
        let finding = try await finding(.admission, body: line(report))
        #expect(finding.verdict == .inconsistent)
        #expect(finding.violations == 1)
        #expect(finding.example?.summary == "key 8 is not found")
    }

    @Test func `a cache that keeps no limit of the scenario has no figure`() async throws {
        let finding = try await finding(.admission, body: line(PromiseProbe.Report(checked: 1)))
        #expect(finding.verdict == .unknown && finding.operationsChecked == 0)
        #expect(finding.example?.summary == "the scenario has no limit that this cache keeps")
    }

    @Test func `new entries that are refused are counted`() async throws {
        let admission = AdmissionFinding(offered: 40, admitted: 0, limit: "20 entries")
        let finding = try await finding(
            .admission, body: line(PromiseProbe.Report(checked: 1, admission: admission)))
        #expect(finding.violations == 40)
        #expect(
            finding.example?.summary
                == "0 of 40 new entries were found right after their insert into a cache full with 20 entries")
    }

    @Test func `every operation is reported before it is sent`() async throws {
        let steps = Steps()
        let probe = PromiseProbe(strategy: "lru", capacity: Capacity(entries: 20), promise: .limits)
        _ = try await probe.report(registry: .builtIn) { steps.add($0) }
        let all = steps.all
        #expect(all.first == "the entry limit holds")
        #expect(all.contains("insert a value for key 3 at a cost of \(Int.max)"))
        #expect(all.contains("open a cache limited to 4 entries and 6400 bytes"))
        #expect(all.last == "close the cache")
    }
}

/// The messages of a probe.
private final class Steps: Sendable {
    private let lines = Locked([String]())

    func add(_ step: PromiseProbe.Step) {
        lines.withLock {
            switch step {
            case .check(let text), .operation(let text): $0.append(text)
            case .found, .hung: break
            }
        }
    }

    var all: [String] { lines.withLock { $0 } }
}
