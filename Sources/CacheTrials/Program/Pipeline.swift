import Foundation
import Measurement
import Reports
import TrialModel
import TrialSessions

/// The way of every verb that runs something for a while: what is run is written down, it runs until it ends or a
/// signal comes, gates judge what it left, and the verdict is written before anybody is told.
struct Pipeline<Summary: Sendable> {
    let folder: ResultFolder
    /// What is run, on which machine.
    var description: RunDescription
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
    ///   - judge: makes the gates from what stands in the folder; notes in the description what is missing.
    ///   - show: prints what was found, once verdict and description are written.
    /// - Returns: the exit code that the verdict asks for.
    mutating func carryOut(
        judge: (Interruption<Summary>, inout RunDescription) throws -> Judgement,
        show: (RunVerdict, RunDescription, Interruption<Summary>) throws -> Void
    ) async throws -> TrialExitCode {
        try folder.writeRun(description)
        let before = NoiseReading.current()
        let ending = await Interruption.cancelling(session)
        description.end = .now
        description.noteNoise(since: before)
        description.loadAfter = Machine.currentLoadAverage()
        var judgement = try judge(ending, &description)
        var interruption: TrialExitCode?
        switch ending {
        case .ended: break
        case .interrupted(let code): interruption = code
        case .failed(let error):
            judgement.gates.append(
                VerdictGate(name: "harness", passed: false, reason: "\(error)", exitCode: .harnessTrouble))
        }
        let verdict = RunVerdict(gates: judgement.gates, interruption: interruption)
        // First what programs read: pages and tables can be had again from it.
        try folder.writeVerdict(verdict)
        try folder.writeRun(description)
        if let cases = judgement.cases {
            try folder.write(
                JUnitXML.render(suite: judgement.suite, JUnitXML.cases(of: verdict) + cases), as: "junit.xml")
        }
        try show(verdict, description, ending)
        return TrialExitCode(rawValue: verdict.exitCode) ?? .harnessTrouble
    }
}

extension RunVerdict {
    /// Says on standard error which gates did not pass.
    func sayFailures() {
        for gate in gates where !gate.passed { StandardError.error("\(gate.name): \(gate.reason)") }
    }
}
