import ArgumentParser
import BuiltInStrategies
import TrialLoop
import TrialModel
import TrialSessions

/// `probe`: asks a strategy for one promise in this process. The runner starts it; it is of no use by hand.
/// It says each check and operation before it begins, and after each check what was found.
struct ProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe", abstract: "Asks a strategy for one promise; used by 'run --check'.",
        shouldDisplay: false)

    func run() async throws {
        let channel = ChildRole.channel(of: PromiseProbe.Step.self)
        let probe = try ChildRole.request(PromiseProbe.self, verb: "probe", starter: "run --check")
        ChildRole.exitWhenInputCloses()
        do {
            _ = try await probe.report(registry: .current) { channel.send($0) }
        } catch {
            StandardError.error("\(error)")
            throw ExitCode(TrialExitCode.harnessTrouble.rawValue)
        }
    }
}
