import Foundation
import Measurement
import Reports
import TrialModel
import TrialSessions

/// The steps of every verb that runs for a while: describe the run, run it until it ends or a signal arrives, judge
/// what it left, and write the verdict before anything is printed.
struct Pipeline<Summary: Sendable> {
    let folder: ResultFolder
    /// What is run, and on which machine; `nil` when only rows are kept.
    var description: RunDescription?
    /// The signals that cancel the session.
    var signals = TrappedSignals.interruptions
    /// The work. A signal cancels it; then it cleans up and returns.
    let session: @Sendable () async throws -> Summary

    /// The judgement of an ending.
    struct Judgement {
        var gates: [VerdictGate]
        /// The cases of `junit.xml` besides the gates; `nil` when there is no such file.
        var cases: [JUnitXML.Case]?
        /// The suite of `junit.xml`.
        var suite = ""
    }

    /// Runs the session, judges it, and writes the verdict.
    ///
    /// - Parameters:
    ///   - judge: makes the gates from the content of the folder, and notes in the description what is missing. It
    ///     returns `nil` when there is nothing to judge; then there is no verdict, and an error is reported as it is.
    ///   - show: prints the findings, after verdict and description are written.
    /// - Returns: the exit code of the verdict, or else that of the ending.
    mutating func carryOut(
        judge: (Interruption<Summary>, inout RunDescription?) throws -> Judgement?,
        show: (RunVerdict, RunDescription?, Interruption<Summary>) throws -> Void
    ) async throws -> TrialExitCode {
        if let description { try folder.writeRun(description) }
        let before = NoiseReading.current()
        let ending = await Interruption.cancelling(session, at: signals)
        description?.noteEnd(since: before)
        let judgement = try judge(ending, &description)
        let verdict = judgement.map { RunVerdict(gates: $0.gates + ending.gates, interruption: ending.interruption) }
        // Files that programs read come first: pages and tables can be made again from them.
        if let verdict { try folder.write(verdict, suite: judgement?.suite ?? "", cases: judgement?.cases) }
        if let description { try folder.writeRun(description) }
        let exitCode = verdict?.code ?? ending.exitCode
        try show(verdict ?? RunVerdict(gates: []), description, ending)
        return exitCode
    }
}

extension Interruption {
    /// The signal's exit code, if one came.
    fileprivate var interruption: TrialExitCode? {
        if case .interrupted(let code, _) = self { code } else { nil }
    }

    /// The gate that an error fails.
    fileprivate var gates: [VerdictGate] {
        guard case .failed(let error) = self else { return [] }
        return [VerdictGate(name: "harness", passed: false, reason: "\(error)", exitCode: .harnessTrouble)]
    }

    /// The exit code of the ending when nothing is judged. An error is reported on standard error.
    var exitCode: TrialExitCode {
        switch self {
        case .ended: .passed
        case .interrupted(let code, _): code
        case .failed(let error): .ending(with: error)
        }
    }
}

extension RunVerdict {
    /// The exit code of the verdict.
    var code: TrialExitCode { TrialExitCode(rawValue: exitCode) ?? .harnessTrouble }

    /// Reports the failed gates on standard error.
    func sayFailures() {
        for gate in gates where !gate.passed { StandardError.error("\(gate.name): \(gate.reason)") }
    }
}

extension ResultFolder {
    /// Writes a verdict for programs: `verdict.json`, and `junit.xml` with the gates before other cases.
    ///
    /// - Parameter cases: the cases of `junit.xml`; `nil` when there is no such file.
    func write(_ verdict: RunVerdict, suite: String, cases: [JUnitXML.Case]?) throws {
        try writeVerdict(verdict)
        guard let cases else { return }
        try write(JUnitXML.render(suite: suite, JUnitXML.cases(of: verdict) + cases), as: "junit.xml")
    }
}
