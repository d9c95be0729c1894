import CHeap
import CacheStrategies
import Conformance
import HistoryChecking
import Locks
public import Testing

/// One check of a ``CacheContract``: a case of a test with arguments.
public struct ContractCheck: Sendable, CustomTestStringConvertible {
    /// The fact that must hold, in a sentence.
    public let name: String
    /// The cache's name.
    public let cache: String
    private let check: ConformanceCheck
    private let isApart: Bool
    /// The file that gets its result.
    var report: ContractReport?
    /// How many checks of the cache have hung.
    private let hangs: Locked<Int>
    private let run: Run

    /// Runs a check, and records its calls.
    typealias Run = @Sendable (ConformanceCheck, CallsInFlight) async -> [ConformanceFailure]

    init(
        _ check: ConformanceCheck, of cache: String, isApart: Bool, _ hangs: Locked<Int>, _ run: @escaping Run
    ) {
        self.hangs = hangs
        name = check.rawValue
        self.cache = cache
        self.check = check
        self.isApart = isApart
        self.run = run
    }

    /// A case that names what is not checked, and is skipped.
    init(leavingOut checks: [ConformanceCheck], of cache: String, missing calls: [String]) {
        name = "left out without \(calls.joined(separator: " and ")): \(checks.map(\.rawValue).joined(separator: "; "))"
        self.cache = cache
        check = checks[0]
        isApart = false
        hangs = Locked(0)
        run = { [name] check, _ in [ConformanceFailure(strategy: cache, check: check, message: name, isPremise: true)] }
    }

    /// The name, and the cache's.
    public var testDescription: String { "\(cache): \(name)" }

    /// Runs the check in the current test, and records each failure with it.
    ///
    /// - Throws: what cancels the test with the reason, when the check has no meaning here: a premise does not hold, or the
    ///   process can't be measured.
    public func callAsFunction(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let result = await result()
        for failure in result.failures { Issue.record("\(cache): \(failure)", sourceLocation: sourceLocation) }
        if !TestProcess.isApart, let doubt = CheckJournal.doubt(about: cache) {
            Issue.record("\(cache): \(doubt)", severity: .warning, sourceLocation: sourceLocation)
        }
        if result.failures.isEmpty, let reason = result.reason {
            try Test.cancel("\(cache): \(name): \(reason)", sourceLocation: sourceLocation)
        }
    }

    /// Runs the check, for a test library other than Swift Testing.
    ///
    /// - Returns: what does not hold, with the smallest script that shows it or the operations of the callers; empty when
    ///   it holds, and when it has no meaning here. A check that ended an earlier process, and is therefore left out once,
    ///   is a sentence that begins with "not checked".
    public func failures() async -> [String] {
        let result = await result()
        guard result.hasEndedProcess, let reason = result.reason else { return result.failures }
        return result.failures + ["not checked: \(name): \(reason)"]
    }

    private func result() async -> CheckResult {
        let start = ContinuousClock.now
        var result = await unreported()
        if let trouble = add(result, since: start) { result.failures.append(trouble) }
        return result
    }

    /// Adds a result to the report.
    ///
    /// - Returns: why it could not be added.
    private func add(_ result: CheckResult, since start: ContinuousClock.Instant) -> String? {
        guard let report, !TestProcess.isApart else { return nil }
        return report.add(result, of: name, after: ContinuousClock.now - start)
    }

    /// How many hangs of a cache are waited for. Each takes some seconds, and one fault may cause all of them.
    private static let hangsMax = 2

    private func unreported() async -> CheckResult {
        let part = "\(name), of \(cache)"
        switch TestProcess.isAsked(for: part) {
        case false: return CheckResult()
        case true:
            TestProcess.answer(
                !isApart || check == .pressureInsideEviction || Heap.isMeasured
                    ? await here() : CheckResult(reason: "the memory can't be measured here"))
        case nil:
            guard hangs.withLock({ $0 }) < Self.hangsMax else {
                return CheckResult(reason: "not checked, because \(Self.hangsMax) checks of this cache have hung")
            }
            let hasEnded = CheckJournal.hasEndedProcess(cache)
            guard isApart || hasEnded else { return await here() }
            do throws(TestProcess.Trouble) {
                let result = try await TestProcess.ask(for: part, CheckResult.self, limit: Self.limit)
                if result.hasHung { hangs.withLock { $0 += 1 } }
                return result
            } catch {
                switch error.kind {
                case .unavailable where !isApart:
                    guard let script = CheckJournal.lastScript(of: name, cache) else { return await here() }
                    CheckJournal.forget(name, cache)
                    // A trap, or another reason to end: the next run tries it again.
                    let reason = "an earlier process of these tests ended while it ran; \(script)"
                    return CheckResult(reason: reason, hasEndedProcess: true)
                case .unavailable: return CheckResult(reason: "it has no process of its own: \(error.reason)")
                case .early:
                    let reason = "the test's own process \(error.reason)"
                    return CheckResult(failures: ["\(name): it was not checked: \(reason)"])
                case .death:
                    let script = CheckJournal.lastScript(of: name, cache).map { "; \($0)" } ?? ""
                    return CheckResult(failures: ["\(name): \(error.reason)\(script)"])
                }
            }
        }
    }

    /// The time after which a check counts as hung; no check waits for nearly as long.
    private static let limit = Duration.seconds(120)

    /// Runs the check in this process. One that waits for a caller that the cache has lost would never end, and one whose
    /// callers block all threads of the pool ends the process, because no test of it can go on.
    private func here() async -> CheckResult {
        let (ends, end) = AsyncStream.makeStream(of: [ConformanceFailure]?.self)
        let hang = Locked("")
        let (calls, start) = (CallsInFlight(), ContinuousClock.now)
        let journal = CheckJournal(of: name, cache)
        defer { journal.end() }
        let watch = calls.watch { text, isPoolBlocked in
            hang.withLock { $0 = "\(name): \(text)" }
            if isPoolBlocked { giveUp("\(name): \(text)", since: start, journal) }
            end.yield(nil)
        }
        let work = CheckJournal.$current.withValue(journal) { Task { end.yield(await run(check, calls)) } }
        defer {
            work.cancel()
            watch.end()
            hangs.withLock { $0 += calls.hangs > 0 ? 1 : 0 }
        }
        guard let found = await ends.first(where: { _ in true }) ?? nil else {
            return CheckResult(failures: [hang.withLock { $0 }], hasHung: true)
        }
        let failures = found.filter { !$0.isPremise }.map { failure in
            let example = Counterexample(summary: failure.message, events: failure.events)
            return failure.events.isEmpty
                ? failure.text
                : ShownFinding.text(["\(failure.check.rawValue):"] + CounterexampleDrawing(example).lines, of: cache)
        }
        return CheckResult(failures: failures, reason: found.first { $0.isPremise }?.message)
    }

    /// Ends the process with a failure of this check.
    private func giveUp(_ failure: String, since start: ContinuousClock.Instant, _ journal: CheckJournal) -> Never {
        let result = CheckResult(failures: [failure], hasHung: true)
        if TestProcess.isApart {
            journal.end()
            TestProcess.answer(result)
        }
        _ = add(result, since: start)
        TestProcess.giveUp("\(cache): \(failure)")
    }
}

/// What a check has found.
struct CheckResult: Codable, Sendable {
    var failures: [String] = []
    /// Why the check has no meaning here.
    var reason: String?
    /// Whether a call did not end.
    var hasHung = false
    /// Whether it ended an earlier process, and was not run for that reason.
    var hasEndedProcess = false
}

/// The memory of this process.
enum Heap {
    @Sendable
    static func allocatedBytes() -> UInt64? { heap_allocated_bytes() }

    /// Whether it is counted: a sanitizer has an allocator of its own.
    static var isMeasured: Bool {
        let before = heap_allocated_bytes()
        let block = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { block.deallocate() }
        return heap_allocated_bytes() >= before + 1 << 20
    }
}
