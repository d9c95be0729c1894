public import CacheStrategies
public import Conformance
import Foundation
package import HistoryChecking
import Locks
public import Testing
import TrialModel

/// Lets concurrent callers use a cache, records what each saw, and expects that the cache keeps what it declares about
/// that: values of their own, freshness, single-flight, limits and others. A judgement takes O(n log n).
///
/// Callers are tasks, and for a synchronous cache first threads. A failure names the promise, draws the operations that
/// show it, and names a file with the whole history. What can't be decided is a warning.
///
/// - Parameters:
///   - type: the cache, with counted values.
///   - callers: how many callers, from 1 to 64.
///   - operations: how many operations they make together, from 100 to 10,000,000.
///   - seed: the seed of the callers' operations; the machine chooses their order.
/// - Throws: the cache's error when it can't be opened.
public func expectConsistentHistories<Strategy: CacheStrategy<String, TrackedValue>>(
    of type: Strategy.Type, callers: Int = 8, operations: Int = 20_000, seed: UInt64 = 29,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    try await expectConsistentHistories(
        of: type, key: { "key-\($0)" }, values: .tracked, callers: callers, operations: operations, seed: seed,
        sourceLocation: sourceLocation)
}

/// The same for a cache that does not conform to `CacheStrategy`: a type of an app with an API of its own.
///
/// Its calls don't say whether a load joined another one, so that nothing is said about a load that its caller's own change
/// overtakes.
///
/// - Parameters:
///   - declaration: its name, its limits and its promises.
///   - callers: how many callers there are, from 1 to 64.
///   - operations: how many operations they make together, from 100 to 10,000,000.
///   - seed: the seed of the callers' operations; the machine chooses their order.
///   - open: makes a cache with the limits of a configuration, and the calls that are made of it.
/// - Throws: the error of `open`.
public func expectConsistentHistories(
    adapting declaration: StrategyDeclaration, callers: Int = 8, operations: Int = 20_000, seed: UInt64 = 29,
    sourceLocation: SourceLocation = #_sourceLocation, open: @escaping CacheContract.Open
) async throws {
    let sharesLoads = declaration.promises.coalescesLoads
    let calls = AdaptedCache<String, TrackedValue>.calls(opening: open)
    let cache = OpenedCache<AdaptedCache<String, TrackedValue>>(declaration, calls) {
        try AdaptedCache(configuration: AdaptedCache.configuration($0, opening: open, sharesLoads: sharesLoads))
    }
    try await expectConsistentHistories(
        of: cache, key: { "key-\($0)" }, values: .tracked, callers: callers, operations: operations, seed: seed,
        sourceLocation: sourceLocation)
}

/// A cache of a type, or one that is opened by a closure and has a declaration of its own.
package struct OpenedCache<Strategy: CacheStrategy>: Sendable {
    let declaration: StrategyDeclaration
    let open: @Sendable (StrategyConfiguration) throws -> Strategy
    /// What can be asked of it.
    var calls = CacheCalls.all
    /// What its calls don't show.
    var unjudged: Set<Promise> = []

    package init(_ type: Strategy.Type) {
        declaration = type.declaration
        open = { try Strategy(configuration: $0) }
    }

    init(
        _ declaration: StrategyDeclaration, _ calls: CacheCalls,
        _ open: @escaping @Sendable (StrategyConfiguration) throws -> Strategy
    ) {
        self.declaration = declaration
        self.calls = calls
        self.open = open
        unjudged = [.ownPast]
    }
}

/// The values of a history: how one is made, and what it says of itself.
package struct HistoryValues<Value: Sendable>: Sendable {
    let make: @Sendable (_ key: Int, _ version: UInt64) -> Value
    let stamp: @Sendable (Value) -> ValueStamp

    package init(
        make: @escaping @Sendable (_ key: Int, _ version: UInt64) -> Value,
        stamp: @escaping @Sendable (Value) -> ValueStamp
    ) {
        (self.make, self.stamp) = (make, stamp)
    }
}

extension HistoryValues<TrackedValue> {
    /// Counted values of 20 bytes.
    package static var tracked: HistoryValues {
        let counter = InstanceCounter()
        return HistoryValues {
            TrackedValue(number: $0 << 32 | Int(truncatingIfNeeded: $1), byteCount: 20, counter: counter)
        } stamp: {
            ValueStamp(
                key: UInt32(truncatingIfNeeded: $0.number >> 32),
                version: UInt64(UInt32(truncatingIfNeeded: $0.number)), isIntact: $0.byteCount == 20)
        }
    }
}

/// The same with other keys and values: for the tests of this package.
///
/// - Parameter recorder: what a broken recorder does to the history.
package func expectConsistentHistories<Strategy: CacheStrategy>(
    of type: Strategy.Type, key: @escaping @Sendable (Int) -> Strategy.Key, values: HistoryValues<Strategy.Value>,
    callers: Int = 8, operations: Int = 20_000, seed: UInt64 = 29, sourceLocation: SourceLocation = #_sourceLocation,
    recorder: (inout History) -> Void = { _ in }
) async throws {
    try await expectConsistentHistories(
        of: OpenedCache(type), key: key, values: values, callers: callers, operations: operations, seed: seed,
        sourceLocation: sourceLocation, recorder: recorder)
}

private func expectConsistentHistories<Strategy: CacheStrategy>(
    of cache: OpenedCache<Strategy>, key: @escaping @Sendable (Int) -> Strategy.Key,
    values: HistoryValues<Strategy.Value>, callers: Int, operations: Int, seed: UInt64,
    sourceLocation: SourceLocation, recorder: (inout History) -> Void = { _ in }
) async throws {
    guard (1...64).contains(callers), (100...10_000_000).contains(operations) else {
        Issue.record(
            "callers must be from 1 to 64, and operations from 100 to 10,000,000", sourceLocation: sourceLocation)
        return
    }
    guard !TestProcess.isApart else { return }
    let name = cache.declaration.name
    let drivers: [CrowdDriver] = Strategy.self is any SynchronousCacheStrategy.Type ? [.threads, .tasks] : [.tasks]
    for driver in drivers {
        let trial = HistoryTrial(
            cache, key: key, values: values, callers: callers, operations: operations / drivers.count, seed: seed)
        let findings = try await trial.findings(driver, recorder)
        if let flaw = findings.first?.flaw {
            let reason = "the history can't be judged: invalid log: \(flaw)"
            Issue.record(
                "\(name): with \(driver.rawValue), \(reason)", sourceLocation: sourceLocation)
            continue
        }
        for finding in findings
        where !cache.unjudged.contains(finding.promise)
            && (finding.verdict != .unknown || finding.operationsChecked > 0)
        {
            let lines = finding.example.map { CounterexampleDrawing($0).lines } ?? []
            let text = ShownFinding.text(lines, of: "\(name)-\(finding.promise.rawValue)")
            let summary = "\(name): \(finding.promise.rawValue), with \(driver.rawValue): \(text)"
            switch finding.verdict {
            case .consistent: break
            case .inconsistent:
                let file = trial.keep(driver, sourceLocation).map { "\nthe history: \($0)" } ?? ""
                Issue.record("\(summary)\(file)", sourceLocation: sourceLocation)
            case .unknown: Issue.record("inconclusive: \(summary)", severity: .warning, sourceLocation: sourceLocation)
            }
        }
    }
}

/// Concurrent callers of one cache, and their history.
private final class HistoryTrial<Strategy: CacheStrategy> {
    private let opened: OpenedCache<Strategy>
    private let key: @Sendable (Int) -> Strategy.Key
    private let values: HistoryValues<Strategy.Value>
    private let plan: CrowdPlan
    private var history = History()
    /// More keys than fit, so that entries are evicted.
    private static var entryLimit: Int { 12 }

    init(
        _ opened: OpenedCache<Strategy>, key: @escaping @Sendable (Int) -> Strategy.Key,
        values: HistoryValues<Strategy.Value>, callers: Int, operations: Int, seed: UInt64
    ) {
        self.opened = opened
        (self.key, self.values) = (key, values)
        var plan = CrowdPlan(keys: 16)
        (plan.seed, plan.callers) = (seed, callers)
        (plan.reads, plan.loads, plan.writes, plan.clears) = (340, 300, 250, 5)
        // Fetches that wait until other callers have made progress: a busy machine shows as much as an idle one.
        (plan.oneFailureIn, plan.oneSlowIn) = (32, 3)
        (plan.time, plan.timeMax) = (.zero, .seconds(60))
        plan.operationsMin = max(operations / callers, 1)
        plan.operationsMax = plan.operationsMin
        self.plan = plan.limited(to: opened.calls)
    }

    /// Runs the callers, and judges what they saw.
    func findings(_ driver: CrowdDriver, _ recorder: (inout History) -> Void) async throws -> [PromiseFinding] {
        let declaration = opened.declaration
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cache-trials-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let limit = max(Self.entryLimit, declaration.promises.limitRules.smallest)
        let cache = try opened.open(StrategyConfiguration(entryLimit: limit, directory: folder))
        let crowd = Crowd<Strategy>(plan: plan, makeKey: key, makeValue: values.make, stamp: values.stamp)
        let calls = CallsInFlight()
        let watch = calls.watch { text, isPoolBlocked in
            if isPoolBlocked { TestProcess.giveUp("\(declaration.name): with \(driver.rawValue), \(text)") }
        }
        history = await crowd.run(on: cache, driver, patience: CallsInFlight.patience, calls)
        watch.end()
        recorder(&history)
        let hasLost = history.callers.contains { $0.last?.isAnswered == false }
        if !hasLost { await cache.close() }
        let terms = HistoryTerms(
            entryLimit: declaration.bounds.contains(.entries) ? limit : nil,
            worksInBackground: declaration.worksInBackground)
        return HistoryCheck(promises: declaration.promises, terms: terms).findings(history)
    }

    /// Writes the history, an operation a line, into a file that stays, and attaches it to the test: attachments are
    /// kept only where the caller of the tests names a folder for them.
    ///
    /// - Returns: the file's path; `nil` if it can't be written.
    func keep(_ driver: CrowdDriver, _ sourceLocation: SourceLocation) -> String? {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cache-trials-histories")
        let name = "\(opened.declaration.name)-\(driver.rawValue)-\(UUID().uuidString).csv"
        let numbers = VersionNumbers()
        var text = "caller,operation,key,version,outcome,call_ns,answer_ns\n"
        for (caller, operations) in history.callers.enumerated() {
            for operation in operations {
                let version = numbers.number(of: operation.version, ofKey: operation.valueKey, in: history)
                text += "\(caller + 1),\(operation.kind),\(operation.key),\(version),\(operation.outcome),"
                text += "\(operation.call),\(operation.isAnswered ? "\(operation.answer)" : "")\n"
            }
        }
        Attachment.record(text, named: name, sourceLocation: sourceLocation)
        let path = folder.appendingPathComponent(name)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: path)
            return path.path
        } catch {
            return nil
        }
    }
}
