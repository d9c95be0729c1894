import ArgumentParser
import BuiltInStrategies
import Foundation
import TrialModel
import TrialSessions

/// `probe`: asks a strategy for one promise in this process. The runner starts it; it is of no use by hand.
///
/// What to ask is the first line of standard input, which stays open as long as the runner lives. The answer is a line of
/// JSON on what was standard output.
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
                "'probe' is started by 'run --check', which tells it what to do; use 'cache-trials run --check'.")
        }
        ParentWatch.exitWhenInputCloses()
        do {
            let report = try await probe.report(registry: .current)
            try output.write(contentsOf: JSONEncoder().encode(report) + [UInt8(ascii: "\n")])
        } catch {
            StandardError.error("\(error)")
            throw ExitCode(TrialExitCode.harnessTrouble.rawValue)
        }
    }
}
