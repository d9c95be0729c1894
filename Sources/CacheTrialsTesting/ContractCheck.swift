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
    private let canRun: Bool
    private let run: @Sendable (ConformanceCheck) async -> [ConformanceFailure]

    init(
        _ check: ConformanceCheck, of cache: String, canRun: Bool,
        _ run: @escaping @Sendable (ConformanceCheck) async -> [ConformanceFailure]
    ) {
        name = check.rawValue
        self.cache = cache
        self.check = check
        self.canRun = canRun
        self.run = run
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

    private func result() async -> (failures: [String], reason: String?) {
        guard canRun else {
            return ([], "other tests of this process allocate memory as well; 'cache-trials check' measures it")
        }
        let found = await run(check)
        let failures = found.filter { !$0.isPremise }.map { failure in
            let example = Counterexample(summary: failure.message, events: failure.events)
            return failure.events.isEmpty
                ? failure.text
                : "\(failure.check.rawValue):\n" + CounterexampleDrawing(example).lines.joined(separator: "\n")
        }
        return (failures, found.first { $0.isPremise }?.message)
    }
}
