import ArgumentParser
import Races
import TrialModel
import TrialSessions

/// `control`: runs one control in this process. The verb `races` starts it; it is not meant to be started by hand.
struct ControlCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "control", abstract: "Runs one control of the race detector; used by 'races'.",
        shouldDisplay: false)

    func run() async throws {
        let name = try ChildRole.request(ControlTask.self, verb: "control", starter: "races").name
        ChildRole.exitWhenInputCloses()
        SanitizerRuntime.holdUpCrashes()
        guard let control = RaceControls[name] else {
            throw ValidationError("there is no control called '\(name)'")
        }
        let isRight = await control.run()
        SanitizerRuntime.dieOfHeldUpCrash()
        // A racy control may lose counts.
        if control.kind == .clean, !isRight {
            StandardError.error("the control '\(name)' computed a wrong result")
            throw ExitCode(TrialExitCode.gateFailed.rawValue)
        }
    }
}
