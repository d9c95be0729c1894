import ArgumentParser
import BuiltInStrategies
import Foundation
import TrialModel
import TrialSessions

/// `probe`: asks a strategy for one promise in this process. The runner starts it; it is of no use by hand.
///
/// What to ask is the first line of standard input, which stays open as long as the runner lives. On what was standard output
/// it writes lines of JSON: a step before each check and operation, and what was found after each check.
struct ProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe", abstract: "Asks a strategy for one promise; used by 'run --check'.",
        shouldDisplay: false)

    func run() async throws {
        let output = TrialCommand.takeOverStandardOutput()
        guard let line = readLine(strippingNewline: true),
            let probe = try? JSONDecoder().decode(PromiseProbe.self, from: Data(line.utf8))
        else {
            throw ValidationError(
                "'probe' is started by 'run --check', which tells it what to do; use '\(ThisProgram.name) run "
                    + "--check'.")
        }
        ParentWatch.exitWhenInputCloses()
        do {
            // Written at once: what comes next may end the process.
            _ = try await probe.report(registry: .current) { step in
                if let line = try? JSONEncoder().encode(step) {
                    try? output.write(contentsOf: line + [UInt8(ascii: "\n")])
                }
            }
        } catch {
            StandardError.error("\(error)")
            throw ExitCode(TrialExitCode.harnessTrouble.rawValue)
        }
    }
}
