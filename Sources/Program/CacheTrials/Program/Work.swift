import ArgumentParser
import Comparison
import Dispatch
import Foundation
import Measurement
import Platform
import Reports
import Traces
import TrialModel
import TrialSessions

/// Work that takes a while. A verb takes its steps one after the other: it describes and runs the work, judges what it left,
/// writes the verdict before anything is printed, shows the findings, and ends.
///
/// ```swift
/// var work = try await Work(in: [(folder, nil)], description) { try await session.run() }
/// try work.write(judgement(of: work.ending))
/// try show(work.verdict)
/// return work.end(at: output)
/// ```
struct Work<Summary: Sendable> {
    /// What was run, and on which machine.
    var description: RunDescription
    /// How the session ended.
    let ending: Interruption<Summary>
    /// Of the gates; nothing failed where nothing was judged.
    private(set) var verdict = RunVerdict(gates: [])
    /// The exit code of the verdict, or of the ending where nothing was judged.
    private var code = TrialExitCode.passed
    private let folders: [(folder: ResultFolder, program: RunDescription.Program?)]

    /// Describes the work, and runs it until it ends or a signal cancels it.
    ///
    /// - Parameters:
    ///   - folders: the folders of the rows: one, or one for each program.
    ///   - signals: those that cancel the session.
    ///   - session: when it is cancelled, it cleans up and returns what it has.
    init(
        in folders: [(folder: ResultFolder, program: RunDescription.Program?)], _ description: RunDescription,
        at signals: TrappedSignals = .interruptions, session: @escaping @Sendable () async throws -> Summary
    ) async throws {
        (self.folders, self.description) = (folders, description)
        try Self.write(description, in: folders)
        let before = NoiseReading.current()
        ending = await Interruption.cancelling(session, at: signals)
        self.description.noteEnd(since: before)
        if case .ended = ending { self.description.partial = false }
    }

    /// Writes the verdict and the description, from which pages and tables can be made again.
    ///
    /// - Parameter judgement: `nil` where nothing is judged: there is no verdict, and an error is reported as it is.
    mutating func write(_ judgement: WorkJudgement?) throws {
        if let judgement {
            verdict = RunVerdict(gates: judgement.gates + ending.gates, interruption: ending.interruption)
            try judgement.write(verdict, to: judgement.folder ?? folders[0].folder)
        }
        try Self.write(description, in: folders)
        code = judgement == nil ? ending.exitCode : verdict.code
    }

    private static func write(
        _ description: RunDescription, in folders: [(folder: ResultFolder, program: RunDescription.Program?)]
    ) throws {
        for (folder, program) in folders {
            var own = description
            own.program = program
            try folder.writeRun(own)
        }
    }

    /// Says what failed, what the time budget left out, and where the results are.
    ///
    /// - Parameters:
    ///   - output: the folder that is named.
    ///   - isResumable: whether the verb has `--resume`.
    ///   - budgeted: what a time budget leaves out.
    ///   - remarks: what a reader of the findings must know, a line each.
    ///   - isDiscarded: whether nothing was finished, and the folder is gone.
    /// - Returns: the exit code of the verb.
    func end(
        at output: String, isResumable: Bool = false, budgeted: String = "trials", remarks: [String] = [],
        isDiscarded: Bool = false
    ) -> TrialExitCode {
        verdict.sayFailures()
        for (reason, trials) in description.leftOut.grouped(by: \.reason) {
            guard reason == RunDescription.LeftOut.timeBudget else {
                StandardError.write("Not run, because \(reason): \(Quantity.few(trials.map(\.what)))")
                continue
            }
            StandardError.write(
                "The time budget left out \(trials.count) \(budgeted); run.json names them. To run them: "
                    + "the same command with --output \(output) --resume, and without --budget.")
        }
        remarks.forEach(StandardError.write)
        let word = if case .failed = ending { "Stopped early" } else { "Interrupted" }
        let wayOn = isResumable ? ". To continue: the same command with --output \(output) --resume" : ""
        StandardError.write(
            !description.partial
                ? "Results: \(output)"
                : "\(word); " + (isDiscarded ? "nothing was finished" : "finished results are in \(output)\(wayOn)"))
        return RunDescription.Shard.exitCode(code, isShard: description.shard != nil)
    }
}

/// The judgement of an ending.
struct WorkJudgement {
    var gates: [VerdictGate]
    /// The cases of `junit.xml` besides the gates; `nil` when there is no such file.
    var cases: [JUnitXML.Case]?
    /// The suite of `junit.xml`.
    var suite = ""
    /// Where the verdict goes; `nil` for the folder of the rows.
    var folder: ResultFolder?

    /// Writes a verdict for programs: `verdict.json`, and `junit.xml` with the gates before other cases.
    func write(_ verdict: RunVerdict, to folder: ResultFolder) throws {
        try folder.writeVerdict(verdict)
        guard let cases else { return }
        try folder.write(JUnitXML.render(suite: suite, JUnitXML.cases(of: verdict) + cases), as: "junit.xml")
    }
}

extension RunProgress {
    /// The display of progress on standard error.
    ///
    /// - Parameters:
    ///   - total: the steps to take.
    ///   - finished: the steps of an earlier run that is continued.
    ///   - limit: the time limit; `nil` without one.
    ///   - output: what is printed after a step.
    convenience init(
        total: Int, finished: Int = 0, limit: Duration? = nil, isQuiet: Bool, output: @escaping Output = { _ in nil }
    ) {
        self.init(
            total: total + finished, resumed: finished, limit: limit.map(\.nanoseconds),
            style: RunProgress.style(for: .standardError(), isQuiet: isQuiet),
            write: StandardError.writeAsIs, output: output)
    }
}

/// A verb that ends with an exit code; its error is reported on standard error.
protocol Verb: AsyncParsableCommand {
    func carryOut() async throws -> TrialExitCode
}

extension Verb {
    func run() async throws {
        let code = try await TrialExitCode.of(carryOut)
        if code != .passed { throw ExitCode(code.rawValue) }
    }
}

/// Why a verb can't do what it was asked to do; the text says what to do instead.
struct Refusal: Error, Hashable, CustomStringConvertible, Sendable {
    let description: String
    /// 64 when the command is wrong, 65 when a file is.
    let exitCode: TrialExitCode

    init(_ description: String, _ exitCode: TrialExitCode = .badInput) {
        self.description = description
        self.exitCode = exitCode
    }
}

extension Interruption {
    /// The signal's exit code, if one came.
    fileprivate var interruption: TrialExitCode? {
        if case .interrupted(let code, _) = self { code } else { nil }
    }

    /// The gate that an error fails.
    fileprivate var gates: [VerdictGate] {
        guard case .failed(let error) = self else { return [] }
        return [VerdictGate(name: "harness", passed: false, reason: "\(error)", exitCode: .harnessTrouble)]
    }

    /// The exit code of the ending when nothing is judged. An error is reported on standard error.
    var exitCode: TrialExitCode {
        switch self {
        case .ended: .passed
        case .interrupted(let code, _): code
        case .failed(let error): .ending(with: error)
        }
    }
}

extension RunVerdict {
    /// The exit code of the verdict.
    var code: TrialExitCode { TrialExitCode(rawValue: exitCode) ?? .harnessTrouble }

    /// Reports the failed gates on standard error.
    func sayFailures() {
        for gate in gates where !gate.passed { StandardError.error("\(gate.name): \(gate.reason)") }
    }
}

/// How work that Ctrl-C may interrupt ended.
enum Interruption<Value: Sendable>: Sendable {
    /// By itself.
    case ended(Value)
    /// With an error.
    case failed(any Error)
    /// By SIGINT, SIGTERM or SIGHUP; the work was cancelled, has cleaned up, and returned what it had, if anything.
    case interrupted(TrialExitCode, Value?)

    /// What the work returned.
    var value: Value? {
        switch self {
        case .ended(let value): value
        case .interrupted(_, let value): value
        case .failed: nil
        }
    }
}

extension Interruption {
    /// Runs work and cancels it at SIGINT, SIGTERM or SIGHUP, then waits until it has cleaned up.
    ///
    /// A second signal ends the process at once, as people expect.
    ///
    /// - Parameter signals: trapped before there is anything to clean up.
    static func cancelling(
        _ work: @escaping @Sendable () async throws -> Value, at signals: TrappedSignals = .interruptions
    ) async -> Interruption {
        defer { signals.release() }
        let running = Task { try await work() }
        let watch = Task { [numbers = signals.numbers] () -> TrialExitCode? in
            var first: TrialExitCode?
            for await signal in numbers {
                if let first { _exit(first.rawValue) }
                first = signal == SIGINT ? .interrupted : .terminated
                running.cancel()
            }
            return first
        }
        let result = await running.result
        watch.cancel()
        if let code = await watch.value { return .interrupted(code, try? result.get()) }
        switch result {
        // Work that was cancelled otherwise is not whole either.
        case .success(let value): return running.isCancelled ? .interrupted(.interrupted, value) : .ended(value)
        case .failure(let error): return .failed(error)
        }
    }
}

/// Signals as values, instead of their default action.
struct TrappedSignals {
    /// The signals that arrive until ``release()``.
    let numbers: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    /// The signals that end a program, trapped from now on unless they are ignored.
    static var interruptions: TrappedSignals {
        if let signals = Surroundings.current?.signals { return TrappedSignals(scripted: signals) }
        return TrappedSignals(SIGINT, SIGTERM, SIGHUP)
    }

    private init(scripted numbers: AsyncStream<Int32>) {
        self.numbers = numbers
        sources = []
    }

    /// Traps signals, except those that are ignored: `nohup` and shells ignore what is not to reach a program.
    init(_ trapped: Int32...) {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        let queue = DispatchQueue(label: "cache-trials.signals")
        numbers = stream
        // A source is registered by another thread; until then a signal would end the process.
        let registered = DispatchSemaphore(value: 0)
        sources = trapped.compactMap { number in
            let before = SignalAction(of: number)
            guard !before.isIgnored else { return nil }
            leaveSignalToSource(number)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { continuation.yield(number) }
            source.setRegistrationHandler { registered.signal() }
            source.setCancelHandler { before.restore() }
            source.activate()
            return source
        }
        for _ in sources { registered.wait() }
    }

    /// Restores what the signals did before.
    func release() {
        for source in sources { source.cancel() }
    }
}

extension TrialExitCode {
    /// Reports an error on standard error, and returns the exit code for it.
    ///
    /// An `ExitCode` means that the error was already reported.
    static func ending(with error: any Error) -> TrialExitCode {
        if let code = error as? ExitCode { return TrialExitCode(rawValue: code.rawValue) ?? .harnessTrouble }
        StandardError.error("\(error)")
        switch error {
        case let error as TraceError:
            if case .writeFailed = error.reason { return .harnessTrouble }
            return .badInput
        case let error as Refusal: return error.exitCode
        case is ThresholdError: return .badInput
        case let error as ReportsError: return error.exitCode
        default: return .harnessTrouble
        }
    }

    /// Runs the work of a verb. Its error is reported on standard error.
    ///
    /// - Throws: `ValidationError`, which is about the command line, and reported with its usage.
    static func of(_ verb: () async throws -> TrialExitCode) async throws -> TrialExitCode {
        do { return try await verb() } catch let error as ValidationError { throw error } catch {
            return .ending(with: error)
        }
    }
}
