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

/// The steps of every verb that runs for a while: describe the run, run it until it ends or a signal arrives, judge
/// what it left, and write the verdict before anything is printed.
struct Pipeline<Summary: Sendable> {
    let folder: ResultFolder
    /// What is run, and on which machine; `nil` when only rows are kept.
    var description: RunDescription?
    /// The signals that cancel the session.
    var signals = TrappedSignals.interruptions
    /// The work. A signal cancels it; then it cleans up and returns.
    let session: @Sendable () async throws -> Summary

    /// The judgement of an ending.
    struct Judgement {
        var gates: [VerdictGate]
        /// The cases of `junit.xml` besides the gates; `nil` when there is no such file.
        var cases: [JUnitXML.Case]?
        /// The suite of `junit.xml`.
        var suite = ""
    }

    /// Runs the session, judges it, and writes the verdict.
    ///
    /// - Parameters:
    ///   - judge: makes the gates from the content of the folder, and notes in the description what is missing. It
    ///     returns `nil` when there is nothing to judge; then there is no verdict, and an error is reported as it is.
    ///   - show: prints the findings, after verdict and description are written.
    /// - Returns: the exit code of the verdict, or else that of the ending.
    mutating func carryOut(
        judge: (Interruption<Summary>, inout RunDescription?) throws -> Judgement?,
        show: (RunVerdict, RunDescription?, Interruption<Summary>) throws -> Void
    ) async throws -> TrialExitCode {
        if let description { try folder.writeRun(description) }
        let before = NoiseReading.current()
        let ending = await Interruption.cancelling(session, at: signals)
        description?.noteEnd(since: before)
        let judgement = try judge(ending, &description)
        let verdict = judgement.map { RunVerdict(gates: $0.gates + ending.gates, interruption: ending.interruption) }
        // Files that programs read come first: pages and tables can be made again from them.
        if let verdict { try folder.write(verdict, suite: judgement?.suite ?? "", cases: judgement?.cases) }
        if let description { try folder.writeRun(description) }
        let exitCode = verdict?.code ?? ending.exitCode
        try show(verdict ?? RunVerdict(gates: []), description, ending)
        return exitCode
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

extension ResultFolder {
    /// Writes a verdict for programs: `verdict.json`, and `junit.xml` with the gates before other cases.
    ///
    /// - Parameter cases: the cases of `junit.xml`; `nil` when there is no such file.
    func write(_ verdict: RunVerdict, suite: String, cases: [JUnitXML.Case]?) throws {
        try writeVerdict(verdict)
        guard let cases else { return }
        try write(JUnitXML.render(suite: suite, JUnitXML.cases(of: verdict) + cases), as: "junit.xml")
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
        case is RateSearchError: return .usage
        case is ResumeError, is TraceError: return .badInput
        case let error as ShardError: return error.exitCode
        case let error as HistoryError: return error.exitCode
        case let error as ReportsError: return error.exitCode
        default: return .harnessTrouble
        }
    }

    /// Runs the work of a verb. Its error is reported on standard error.
    static func of(_ verb: () async throws -> TrialExitCode) async -> TrialExitCode {
        do { return try await verb() } catch { return .ending(with: error) }
    }

    /// Ends the program with the code.
    ///
    /// - Throws: `ExitCode`, unless the code is `passed`.
    func leave() throws {
        if self != .passed { throw ExitCode(rawValue) }
    }
}
