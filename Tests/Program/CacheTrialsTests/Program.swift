// Most files here start the built program.
@_exported import BuiltProgram
import TrialSessions

@testable import CacheTrials

extension Program {
    /// Runs a command in the process of the tests, in a fraction of the time that a process takes.
    ///
    /// - Parameters:
    ///   - arguments: with absolute paths, except for the shipped `Scenarios`.
    ///   - trials: answers in place of children; `nil` starts the program.
    ///   - signals: the signals that the command gets; `nil` for those of the tests.
    ///   - onOutput: called with each text for standard output, while the command waits.
    static func here(
        _ arguments: [String], trials: StartChild? = nil, signals: AsyncStream<Int32>? = nil,
        onOutput: @escaping @Sendable (String) -> Void = { _ in }
    ) async -> Program.Ending {
        let words = arguments.map { $0 == "Scenarios" || $0.hasPrefix("Scenarios/") ? "\(root)/\($0)" : $0 }
        let ending = await Surroundings.run(
            words, program: path, startChild: trials, signals: signals, onOutput: onOutput)
        return Program.Ending(exitCode: ending.exitCode, output: ending.output, errors: ending.errors)
    }

    static func here(_ arguments: String..., trials: StartChild? = nil) async -> Program.Ending {
        await here(arguments, trials: trials)
    }
}

extension TemporaryFolder {
    /// The arguments of a replay that takes half a minute at least, so that no machine is done with it before it is
    /// interrupted; it looks for an interruption ten times a second.
    ///
    /// - Parameter parts: a hundredth of it each.
    func longReplay(parts: Int = 100) throws -> [String] {
        let part = (0..<50_000).map { "\($0 &* 7919 % 30_011)\n" }.joined()
        let trace = try write(String(repeating: part, count: parts), to: "long.lirs")
        return [trace, "--policies", "arc,s3-fifo,sieve,w-tinylfu", "--capacities", "100,1000,2000"]
    }
}
