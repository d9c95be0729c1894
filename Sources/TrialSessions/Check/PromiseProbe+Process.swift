import CacheStrategies
import Foundation
import HistoryChecking
import Locks
import TrialModel

extension PromiseProbe {
    /// When the process of a probe counts as hung: more than its patience, so that a check can say itself what it waits
    /// for.
    private var deadline: Duration { .seconds(4 * patienceSeconds) }

    /// Asks in a process of its own.
    ///
    /// - Parameters:
    ///   - executable: the program to start; it must know the hidden verb `probe`.
    ///   - folder: an empty one, for what the strategy keeps in files.
    /// - Throws: `CancellationError` when the run is interrupted, and what kept the process from starting.
    func finding(
        executable: String, folder: String, declaration: StrategyDeclaration
    ) async throws -> PromiseFinding {
        let line = try JSONEncoder().encode(self) + [UInt8(ascii: "\n")]
        let answer = Locked(Report?.none)
        let process = WatchedProcess(
            executable: executable, arguments: ["probe"], additions: ["TMPDIR": folder], deadline: deadline)
        let (end, tail) = try await process.run(input: Array(line)) { text in
            let report = try? JSONDecoder().decode(Report.self, from: Data(text.utf8))
            if let report { answer.withLock { $0 = report } }
        }
        guard let report = answer.withLock({ $0 }), end == .exited(0) else {
            return broken(by: end, headline: tail.headline)
        }
        return finding(of: report, declaration)
    }

    private func finding(of report: Report, _ declaration: StrategyDeclaration) -> PromiseFinding {
        if let admission = report.admission { return finding(of: admission, report, declaration) }
        guard report.checked > 0 else {
            return PromiseFinding(
                promise: promise, verdict: .unknown, operationsChecked: 0,
                example: Counterexample(summary: "the scenario has no limit to be full by", events: []))
        }
        return PromiseFinding(
            promise: promise, verdict: report.failures.isEmpty ? .consistent : .inconsistent,
            operationsChecked: UInt64(report.checked), violations: UInt64(report.failures.count),
            example: report.failures.first.map { Counterexample(summary: $0, events: []) })
    }

    /// What a full cache did is said whether it was promised or not: `violations` are the entries it refused.
    private func finding(
        of admission: AdmissionReport, _ report: Report, _ declaration: StrategyDeclaration
    ) -> PromiseFinding {
        let isPromised = declaration.promises.admission == .always
        let refused = max(admission.offered - admission.admitted, 0)
        let isBroken = isPromised && (refused > 0 || !report.failures.isEmpty)
        let seen =
            "\(admission.admitted) of \(admission.offered) new entries were found right after their insert into a cache "
            + "full with \(admission.limit)"
        let summary =
            isPromised ? ([seen] + report.failures.prefix(1)).joined(separator: "; ") : "not promised: \(seen)"
        return PromiseFinding(
            promise: promise, verdict: isBroken ? .inconsistent : .consistent,
            operationsChecked: UInt64(admission.offered), violations: UInt64(refused),
            example: Counterexample(summary: summary, events: []))
    }

    private func broken(by end: ProcessEnd, headline: String?) -> PromiseFinding {
        let what =
            switch end {
            case .deadlinePassed(let limit): "no end after \(limit.components.seconds) s"
            case .signaled(let signal): "the process died of \(ProcessEnd.name(ofSignal: signal))"
            case .exited(let code): "the process exited with \(code) before its end"
            }
        let summary = "while it was asked for this promise: \(what)" + (headline.map { ": \($0)" } ?? "")
        return PromiseFinding(
            promise: promise, verdict: .inconsistent, operationsChecked: 1, violations: 1,
            example: Counterexample(summary: summary, events: []))
    }
}
