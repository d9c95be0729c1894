import Foundation
import Measurement
import Reports
import TrialModel
import TrialSessions

/// The way of every verb that runs something for a while: what is run is written down, it runs until it ends or a
/// signal comes, gates judge what it left, and the verdict is written before anybody is told.
struct Pipeline<Summary: Sendable> {
    let folder: ResultFolder
    /// What is run, on which machine; `nil` where rows are all that is kept.
    var description: RunDescription?
    /// What cancels the session.
    var signals = TrappedSignals.interruptions
    /// What runs. A signal cancels it; it cleans up and returns then.
    let session: @Sendable () async throws -> Summary

    /// What is said of an ending.
    struct Judgement {
        var gates: [VerdictGate]
        /// What `junit.xml` has besides the gates; `nil` where there is no such file.
        var cases: [JUnitXML.Case]?
        /// The suite of `junit.xml`.
        var suite = ""
    }

    /// Runs.
    ///
    /// - Parameters:
    ///   - judge: makes the gates from what stands in the folder; notes in the description what is missing. It answers
    ///     `nil` where there is nothing to judge; then there is no verdict, and an error is said as it is.
    ///   - show: prints what was found, once verdict and description are written.
    /// - Returns: the exit code that the verdict asks for, or else the ending.
    mutating func carryOut(
        judge: (Interruption<Summary>, inout RunDescription?) throws -> Judgement?,
        show: (RunVerdict, RunDescription?, Interruption<Summary>) throws -> Void
    ) async throws -> TrialExitCode {
        if let description { try folder.writeRun(description) }
        let before = NoiseReading.current()
        let ending = await Interruption.cancelling(session, at: signals)
        description?.end = .now
        description?.noteNoise(since: before)
        description?.loadAfter = Machine.currentLoadAverage()
        let judgement = try judge(ending, &description)
        let verdict = judgement.map { RunVerdict(gates: $0.gates + ending.gates, interruption: ending.interruption) }
        // First what programs read: pages and tables can be had again from it.
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
        if case .interrupted(let code) = self { code } else { nil }
    }

    /// The gate that an error fails.
    fileprivate var gates: [VerdictGate] {
        guard case .failed(let error) = self else { return [] }
        return [VerdictGate(name: "harness", passed: false, reason: "\(error)", exitCode: .harnessTrouble)]
    }

    /// What the ending asks for where nothing is judged. An error is said on standard error.
    var exitCode: TrialExitCode {
        switch self {
        case .ended: .passed
        case .interrupted(let code): code
        case .failed(let error): .ending(with: error)
        }
    }
}

extension RunVerdict {
    /// How the program ends with the verdict.
    var code: TrialExitCode { TrialExitCode(rawValue: exitCode) ?? .harnessTrouble }

    /// Says on standard error which gates did not pass.
    func sayFailures() {
        for gate in gates where !gate.passed { StandardError.error("\(gate.name): \(gate.reason)") }
    }
}

extension ResultFolder {
    /// Writes a verdict as programs read it: `verdict.json`, and `junit.xml` with the gates before other cases.
    ///
    /// - Parameter cases: of `junit.xml`; `nil` where there is no such file.
    func write(_ verdict: RunVerdict, suite: String, cases: [JUnitXML.Case]?) throws {
        try writeVerdict(verdict)
        guard let cases else { return }
        try write(JUnitXML.render(suite: suite, JUnitXML.cases(of: verdict) + cases), as: "junit.xml")
    }
}
