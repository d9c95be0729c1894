import CHeap
import CacheStrategies
import Conformance
import HistoryChecking
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
    private let run: @Sendable (ConformanceCheck) async -> [ConformanceFailure]

    init(
        _ check: ConformanceCheck, of cache: String, isApart: Bool,
        _ run: @escaping @Sendable (ConformanceCheck) async -> [ConformanceFailure]
    ) {
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
        run = { [name] in [ConformanceFailure(strategy: cache, check: $0, message: name, isPremise: true)] }
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
        if result.failures.isEmpty, let reason = result.reason {
            try Test.cancel("\(cache): \(name): \(reason)", sourceLocation: sourceLocation)
        }
    }

    /// Runs the check, for a test library other than Swift Testing.
    ///
    /// - Returns: what does not hold, with the smallest script that shows it or the operations of the callers; empty when
    ///   it holds, and when it has no meaning here.
    public func failures() async -> [String] { await result().failures }

    private func result() async -> CheckResult {
        let start = ContinuousClock.now
        var result = await unreported()
        if let report, !TestProcess.isApart,
            let trouble = report.add(result, of: name, after: ContinuousClock.now - start)
        {
            result.failures.append(trouble)
        }
        return result
    }

    private func unreported() async -> CheckResult {
        let part = "\(name), of \(cache)"
        switch TestProcess.isAsked(for: part) {
        case false: return CheckResult()
        case true:
            TestProcess.answer(
                !isApart || check == .pressureInsideEviction || Heap.isMeasured
                    ? await here() : CheckResult(reason: "the memory can't be measured here"))
        case nil:
            let hasEnded = CheckJournal.hasEndedProcess(cache)
            guard isApart || hasEnded else { return await here() }
            do throws(TestProcess.Trouble) {
                return try await TestProcess.ask(for: part, CheckResult.self, limit: Self.limit)
            } catch {
                switch error.kind {
                case .unavailable where !isApart:
                    guard let script = CheckJournal.lastScript(of: name, cache) else { return await here() }
                    CheckJournal.forget(name, cache)
                    return CheckResult(failures: ["\(name): it ended an earlier process; \(script)"])
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

    /// Runs the check in this process. One that waits for a caller that the cache has lost would never end.
    private func here() async -> CheckResult {
        let (ends, end) = AsyncStream.makeStream(of: [ConformanceFailure].self)
        let journal = CheckJournal(of: name, cache)
        defer { journal.end() }
        let work = CheckJournal.$current.withValue(journal) { Task { end.yield(await run(check)) } }
        let watchdog = Task {
            try await Task.sleep(for: Self.limit)
            end.finish()
        }
        defer {
            work.cancel()
            watchdog.cancel()
        }
        guard let found = await ends.first(where: { _ in true }) else {
            return CheckResult(failures: ["\(name): the check did not end, as when a caller waits for ever"])
        }
        let failures = found.filter { !$0.isPremise }.map { failure in
            let example = Counterexample(summary: failure.message, events: failure.events)
            return failure.events.isEmpty
                ? failure.text
                : "\(failure.check.rawValue):\n" + CounterexampleDrawing(example).lines.joined(separator: "\n")
        }
        return CheckResult(failures: failures, reason: found.first { $0.isPremise }?.message)
    }
}

/// What a check has found.
struct CheckResult: Codable, Sendable {
    var failures: [String] = []
    /// Why the check has no meaning here.
    var reason: String?
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
