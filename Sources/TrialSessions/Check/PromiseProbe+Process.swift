import CacheStrategies
import Conformance
import Foundation
import HistoryChecking
import Locks
import TrialModel

extension PromiseProbe {
    /// The time after which the process of a probe counts as hung: well after its patience, so that a check can first
    /// report what it waits for, and a slow machine can do the work.
    private var deadline: Duration { .seconds(5 * patienceSeconds) }

    /// The messages of a process so far.
    private struct Transcript: Sendable {
        /// The findings of its checks so far.
        var report = Report()
        /// The check in progress, or the last one.
        var check: String?
        /// The cache that the last operations were sent to.
        var cache: String?
        /// The last operations, the newest at the end.
        var operations: [String] = []

        mutating func add(_ step: Step) {
            switch step {
            case .check(let name): (check, cache, operations) = (name, nil, [])
            case .operation(let text) where text.hasPrefix("open a cache"): (cache, operations) = (text, [])
            case .operation(let text): operations = operations.suffix(2) + [text]
            case .found(let found): report = found
            }
        }
    }

    /// A crash is rare here and must be explained, so the runtime's backtracer is on: for the crashed thread only,
    /// without colours and without questions.
    private static let backtraces = [
        "enable=yes", "color=no", "interactive=no", "threads=crashed", "registers=none", "images=none", "limit=24",
    ].joined(separator: ",")

    /// Runs the checks in processes of their own: one, unless a check kills it. Then another process runs the remaining
    /// checks.
    ///
    /// - Parameters:
    ///   - executable: the program to start; it must know the hidden verb `probe`.
    ///   - folder: an empty folder for the files of the strategy.
    /// - Throws: `CancellationError` when the run is interrupted, and the error that kept the process from starting.
    func finding(
        executable: String, folder: String, declaration: StrategyDeclaration
    ) async throws -> PromiseFinding {
        let checkCount = ConformanceCheck.checks(of: promise, by: declaration).count
        var probe = self
        var report = Report()
        while true {
            let (ending, seen) = try await probe.ask(executable: executable, folder: folder)
            report.add(seen.report)
            if ending.isClean { break }
            report.checked += 1
            report.violations += 1
            report.failures += Self.death(ending, seen)
            guard seen.check != nil, report.checked < checkCount else { break }
            probe.skipped = report.checked
        }
        return finding(of: report, declaration)
    }

    /// Runs the checks in one process.
    private func ask(executable: String, folder: String) async throws -> (ChildEnding, Transcript) {
        let transcript = Locked(Transcript())
        let process = WatchedProcess(
            executable: executable, verb: "probe",
            additions: ["TMPDIR": folder, "SWIFT_BACKTRACE": Self.backtraces], deadline: deadline)
        let ending = try await process.ask(self) { step in transcript.withLock { $0.add(step) } }
        return (ending, transcript.withLock { $0 })
    }

    private func finding(of report: Report, _ declaration: StrategyDeclaration) -> PromiseFinding {
        if let admission = report.admission { return finding(of: admission, report, declaration) }
        if report.checked == 0 { return unknown(["the scenario has no limit that a cache could reach"]) }
        if report.failures.isEmpty, !report.unasked.isEmpty { return unknown(report.unasked) }
        return PromiseFinding(
            promise: promise, verdict: report.failures.isEmpty ? .consistent : .inconsistent,
            operationsChecked: UInt64(report.checked), violations: UInt64(report.violations),
            example: Self.example(report.failures + report.unasked, report.failures.isEmpty ? [] : report.events))
    }

    private func unknown(_ reasons: [String]) -> PromiseFinding {
        PromiseFinding(
            promise: promise, verdict: .unknown, operationsChecked: 0, example: Self.example(reasons))
    }

    /// An example with the first line as its summary and the others below it; `nil` without lines.
    private static func example(_ lines: [String], _ events: [Counterexample.Event] = []) -> Counterexample? {
        lines.first.map { Counterexample(summary: $0, events: events, details: Array(lines.dropFirst())) }
    }

    /// The behaviour of a full cache is reported whether it was promised or not. `violations` are the entries it
    /// refused, or else the failed checks.
    private func finding(
        of admission: AdmissionFinding, _ report: Report, _ declaration: StrategyDeclaration
    ) -> PromiseFinding {
        let isPromised = declaration.promises.admission == .always
        let refused = max(admission.offered - admission.admitted, 0)
        let seen =
            "\(admission.admitted) of \(admission.offered) new entries were found right after their insert into a cache "
            + "full with \(admission.limit)"
        guard isPromised else {
            return PromiseFinding(
                promise: promise, verdict: .consistent, operationsChecked: UInt64(admission.offered),
                violations: UInt64(refused), example: Counterexample(summary: "not promised: \(seen)"))
        }
        let isBroken = refused > 0 || !report.failures.isEmpty
        let lines = (refused > 0 ? [seen] : []) + report.failures + (refused > 0 ? [] : [seen])
        return PromiseFinding(
            promise: promise, verdict: isBroken ? .inconsistent : .consistent,
            operationsChecked: UInt64(admission.offered),
            violations: UInt64(refused > 0 ? refused : report.violations), example: Self.example(lines))
    }

    /// How a process died, in lines: its check, its last operations, the place of the crash.
    private static func death(_ ending: ChildEnding, _ seen: Transcript) -> [String] {
        let steps = [seen.cache].compactMap { $0 } + seen.operations
        return ["\(seen.check ?? "before the first check"): \(ending.clause)"]
            + (steps.isEmpty ? [] : ["the last operations: \(steps.joined(separator: "; "))"])
            + ownFrames(of: ending.tail.backtrace).map { "at \($0)" }
    }

    /// The frames up to the one that the check called; all of them when the strategy died elsewhere.
    private static func ownFrames(of frames: [String]) -> [String] {
        let own = frames.prefix { frame in
            !frame.contains("ConformanceProbe") && !frame.hasPrefix("protocol witness for CacheStrategy")
        }
        return own.isEmpty ? frames : Array(own)
    }
}

extension PromiseProbe.Report {
    /// Adds the findings of another process.
    fileprivate mutating func add(_ other: Self) {
        if failures.isEmpty { events = other.events }
        checked += other.checked
        violations += other.violations
        failures += other.failures
        unasked += other.unasked
        admission = other.admission ?? admission
    }
}
