import ArgumentParser
import BuiltInStrategies
import TrialLoop
import TrialModel
import TrialSessions

/// `probe`: checks one promise of a strategy in this process. The runner starts it; it is not meant to be started by
/// hand. It reports each check and operation before it begins, and the finding after each check.
struct ProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe", abstract: "Checks one promise of a strategy; used by 'check'.",
        shouldDisplay: false)

    func run() async throws {
        let channel = ChildRole.channel(of: PromiseProbe.Step.self)
        let probe = try ChildRole.request(PromiseProbe.self, verb: "probe", starter: "check")
        ChildRole.exitWhenInputCloses()
        do {
            _ = try await probe.report(registry: .current) { channel.send($0) }
        } catch {
            StandardError.error("\(error)")
            throw ExitCode(TrialExitCode.harnessTrouble.rawValue)
        }
    }
}
