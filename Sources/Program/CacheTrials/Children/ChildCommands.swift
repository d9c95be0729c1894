import ArgumentParser
import BuiltInStrategies
import Foundation
import Platform
import Races
import Schedules
import TimedStrategies
import TrialLoop
import TrialModel
import TrialSessions

/// The child's side of the conversation with the process that started it.
///
/// The first line of standard input is the request. Standard input stays open as long as the parent lives: when it
/// closes, the child ends. Messages go to the original standard output; what a strategy prints there goes to standard
/// error instead.
enum ChildRole {
    /// The channel for messages. Called once, before anything else prints.
    static func channel<Message>(of type: Message.Type) -> MessageChannel<Message> {
        // What the strategy starts must not hold it.
        let descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        dup2(STDERR_FILENO, STDOUT_FILENO)
        let output = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        return MessageChannel { line in try? output.write(contentsOf: line) }
    }

    /// Reads the request.
    ///
    /// - Throws: `ValidationError` when the verb was started by hand.
    static func request<Request: ChildRequest>(_ type: Request.Type) throws -> Request {
        guard let line = readLine(strippingNewline: true),
            let request = try? JSONDecoder().decode(Request.self, from: Data(line.utf8))
        else {
            throw ValidationError(
                "'\(Request.verb)' is started by '\(Request.starter)', which tells it what to do; use "
                    + "'\(ThisProgram.name) \(Request.starter)'."
            )
        }
        return request
    }

    /// Starts a thread that ends the process when standard input closes.
    ///
    /// - Parameter onByte: called on that thread for each byte that arrives before the end.
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

/// `trial`: runs one trial in this process. The runner starts it; it is not meant to be started by hand.
/// ``ChildRole`` describes how the two communicate.
struct TrialCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: TrialSpecification.verb, abstract: "Runs one trial; used by 'run'.", shouldDisplay: false)

    func run() async throws {
        let channel = ChildRole.channel(of: TrialMessage.self)
        let specification = try ChildRole.request(TrialSpecification.self)
        let turns = specification.turns.map { TurnGate($0, channel: channel) }
        ChildRole.exitWhenInputCloses { turns?.go() }
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
}

/// `probe`: checks one promise of a strategy in this process. The runner starts it; it is not meant to be started by
/// hand. It reports each check and operation before it begins, and the finding after each check.
struct ProbeCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: PromiseProbe.verb, abstract: "Checks one guarantee of a strategy; used by 'check'.",
        shouldDisplay: false)

    func carryOut() async throws -> TrialExitCode {
        let channel = ChildRole.channel(of: PromiseProbe.Step.self)
        let probe = try ChildRole.request(PromiseProbe.self)
        ChildRole.exitWhenInputCloses()
        _ = try await probe.report(registry: .current) { step in
            channel.send(step)
            // The check may keep all threads of the pool.
            if case .hung = step { _exit(0) }
        }
        return .passed
    }
}

/// `control`: runs one control in this process. The verb `races` starts it; it is not meant to be started by hand.
struct ControlCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: RaceControl.verb, abstract: "Runs one control of the race detector; used by 'races'.",
        shouldDisplay: false)

    func carryOut() async throws -> TrialExitCode {
        let control = try ChildRole.request(RaceControl.self)
        ChildRole.exitWhenInputCloses()
        SanitizerRuntime.holdUpCrashes()
        let isRight = await control.run()
        SanitizerRuntime.dieOfHeldUpCrash()
        // A racy control may lose counts.
        if control.kind == .clean, !isRight {
            throw Refusal("the control '\(control.name)' computed a wrong result", .gateFailed)
        }
        return .passed
    }
}

/// `schedules`: explores the schedules of one strategy in this process. `explore` starts it; it is not meant to be
/// started by hand.
struct SchedulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: ExplorationTask.verb, abstract: "Explores the interleavings of one strategy; used by 'explore'.",
        shouldDisplay: false)

    func run() async throws {
        let channel = ChildRole.channel(of: ExplorationMessage.self)
        let task = try ChildRole.request(ExplorationTask.self)
        ChildRole.exitWhenInputCloses()
        channel.send(
            await Self.onThread {
                task.carryOut(StrategyRegistry.current[task.plan.strategy]) { channel.send($0) }
            })
    }

    /// Works on a thread of its own, on which no task runs.
    private static func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            thread.name = "schedules"
            thread.stackSize = 8 << 20
            thread.start()
        }
    }
}
