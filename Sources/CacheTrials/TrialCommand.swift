import ArgumentParser
import BuiltInStrategies
import Foundation
import SanitizerReports
import TimedStrategies
import TrialLoop
import TrialModel
import TrialSessions

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// `trial`: runs one trial in this process. The runner starts it; it is of no use by hand.
///
/// The specification is the first line of standard input. Standard input stays open as long as the runner lives: when
/// it closes, the runner is gone, and so is the trial. Messages go to what was standard output; what a strategy prints
/// there goes to standard error instead.
struct TrialCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trial", abstract: "Runs one trial; used by 'run'.", shouldDisplay: false)

    func run() async throws {
        let output = Self.takeOverStandardOutput()
        let channel = TrialChannel { line in try? output.write(contentsOf: line) }
        guard let line = readLine(strippingNewline: true),
            let specification = try? JSONDecoder().decode(TrialSpecification.self, from: Data(line.utf8))
        else {
            throw ValidationError(
                "'trial' is started by 'run', which tells it what to do; use '\(ThisProgram.name) run'.")
        }
        let turns = specification.turns.map { TurnGate($0, channel: channel) }
        ParentWatch.exitWhenInputCloses { turns?.go() }
        if specification.purpose == .races { SanitizerRuntime.holdUpCrashes() }
        guard let registration = StrategyRegistry.current[specification.identity.strategy] else {
            channel.send(.trouble("there is no strategy called '\(specification.identity.strategy)'"))
            return
        }
        do {
            try await registration.runTrial(specification, channel: channel, turns: turns)
        } catch let error as StrategyOpenError {
            channel.send(.strategyFailed("the strategy did not open: \(error.reason)"))
        } catch {
            channel.send(.trouble("\(error)"))
        }
        if specification.purpose == .races { SanitizerRuntime.dieOfHeldUpCrash() }
    }

    /// What was standard output, for messages alone; what is printed goes to standard error from here on.
    static func takeOverStandardOutput() -> FileHandle {
        let descriptor = dup(STDOUT_FILENO)
        dup2(STDERR_FILENO, STDOUT_FILENO)
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
}

/// Ends a child process when its parent is gone, on every platform alike: the parent holds the other end of the
/// child's standard input.
enum ParentWatch {
    /// Starts a thread that ends the process when standard input closes.
    ///
    /// - Parameter onByte: is called for each byte that comes before, on that thread.
    static func exitWhenInputCloses(_ onByte: @escaping @Sendable () -> Void = {}) {
        let thread = Thread {
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                if count == 0 || (count < 0 && errno != EINTR) { _exit(TrialExitCode.terminated.rawValue) }
                if count == 1 { onByte() }
            }
        }
        thread.name = "parent watch"
        thread.start()
    }
}
