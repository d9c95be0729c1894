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

/// Work that runs for a while, from its arguments to its exit code; a verb declares what differs.
protocol Work {
    associatedtype Summary: Sendable
    associatedtype Format: OutputFormat

    /// Checks everything, opens the folder, describes what is run, and says what is judged and shown.
    func pipeline(format: Format) async throws -> Pipeline<Summary>
}

extension Work {
    /// Does the work, writes the verdict, prints the findings.
    ///
    /// - Returns: the exit code that the verdict asks for.
    func carryOut(format: Format) async throws -> TrialExitCode {
        var pipeline = try await pipeline(format: format)
        return try await pipeline.carryOut()
    }
}

/// The steps of all work: describe it, run it until it ends or a signal arrives, judge what it left, and write the
/// verdict before anything is printed.
struct Pipeline<Summary: Sendable> {
    /// The folder that is named at the end.
    let output: String
    /// The folders of the rows: one, or one for each program.
    let folders: [(folder: ResultFolder, program: RunDescription.Program?)]
    /// What is run, and on which machine.
    var description: RunDescription
    /// Whether the verb has `--resume`.
    var isResumable = false
    /// What a time budget leaves out.
    var budgeted = "trials"
    /// The signals that cancel the session.
    var signals = TrappedSignals.interruptions
    /// The work. A signal cancels it; then it cleans up and returns.
    let session: @Sendable () async throws -> Summary
    /// Makes the gates from the content of the folder, and notes in the description what was left out. It returns `nil`
    /// when there is nothing to judge; then there is no verdict, and an error is reported as it is.
    let judge: (Interruption<Summary>, inout RunDescription) throws -> WorkJudgement?
    /// Prints the findings, after verdict and description are written.
    let show: (RunVerdict, Interruption<Summary>) throws -> Void
    /// Says on standard error what a reader of the findings must know.
    var remark: (RunDescription) -> Void = { _ in }
    /// Removes a folder in which nothing was finished, and says whether it did.
    var discard: () -> Bool = { false }
    /// What comes after the closing line.
    var finish: () -> Void = {}

    /// Runs the session, judges it, and writes the verdict.
    ///
    /// - Returns: the exit code of the verdict, or else that of the ending.
    mutating func carryOut() async throws -> TrialExitCode {
        try writeDescription()
        let before = NoiseReading.current()
        let ending = await Interruption.cancelling(session, at: signals)
        description.noteEnd(since: before)
        if case .ended = ending { description.partial = false }
        let judgement = try judge(ending, &description)
        let verdict = judgement.map { RunVerdict(gates: $0.gates + ending.gates, interruption: ending.interruption) }
        // Files that programs read come first: pages and tables can be made again from them.
        if let judgement, let verdict { try judgement.write(verdict, to: judgement.folder ?? folders[0].folder) }
        try writeDescription()
        let code = verdict?.code ?? ending.exitCode
        let shown = verdict ?? RunVerdict(gates: [])
        try show(shown, ending)
        shown.sayFailures()
        if !description.leftOut.isEmpty {
            StandardError.write(
                "The time budget left out \(description.leftOut.count) \(budgeted); run.json names them. To run them: "
                    + "the same command with --output \(output) --resume, and without --budget.")
        }
        remark(description)
        sayEnd(ending)
        finish()
        return RunDescription.Shard.exitCode(code, isShard: description.shard != nil)
    }

    private func writeDescription() throws {
        for (folder, program) in folders {
            var own = description
            own.program = program
            try folder.writeRun(own)
        }
    }

    private func sayEnd(_ ending: Interruption<Summary>) {
        guard description.partial else { return StandardError.write("Results: \(output)") }
        let word = if case .failed = ending { "Stopped early" } else { "Interrupted" }
        if discard() { return StandardError.write("\(word); nothing was finished") }
        let wayOn = isResumable ? ". To continue: the same command with --output \(output) --resume" : ""
        StandardError.write("\(word); finished results are in \(output)\(wayOn)")
    }
}

extension Pipeline {
    init(
        _ folder: ResultFolder, _ description: RunDescription, signals: TrappedSignals = .interruptions,
        session: @escaping @Sendable () async throws -> Summary,
        judge: @escaping (Interruption<Summary>, inout RunDescription) throws -> WorkJudgement?,
        show: @escaping (RunVerdict, Interruption<Summary>) throws -> Void
    ) {
        self.init(
            output: folder.path, folders: [(folder, nil)], description: description, signals: signals, session: session,
            judge: judge, show: show)
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

    /// The signals that end a program, trapped from now on.
    static var interruptions: TrappedSignals {
        if let signals = Surroundings.current?.signals { return TrappedSignals(scripted: signals) }
        return TrappedSignals(SIGINT, SIGTERM, SIGHUP)
    }

    private init(scripted numbers: AsyncStream<Int32>) {
        self.numbers = numbers
        sources = []
    }

    init(_ trapped: Int32...) {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        let queue = DispatchQueue(label: "cache-trials.signals")
        numbers = stream
        // A source is registered by another thread; until then a signal would end the process.
        let registered = DispatchSemaphore(value: 0)
        sources = trapped.map { number in
            leaveSignalToSource(number)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { continuation.yield(number) }
            source.setRegistrationHandler { registered.signal() }
            source.setCancelHandler { signal(number, SIG_DFL) }
            source.activate()
            return source
        }
        for _ in sources { registered.wait() }
    }

    /// Restores the default action of the signals.
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
        case is TraceError: return .badInput
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
