package import CacheStrategies
package import Conformance
import Foundation
package import HistoryChecking
import Origins
package import TimedStrategies
package import TrialModel

/// Checks promises of a strategy that the history of a trial can't show: limits, lifetimes, the state after errors and
/// cancellations, the content after reopening, and whether a full cache admits new entries.
///
/// It runs in a process of its own, so that a crash or a hang is one finding.
package struct PromiseProbe: Codable, Sendable {
    /// The strategy's name.
    package var strategy: String
    /// The limits of the scenario, for the check of admission; the other checks have limits of their own.
    package var capacity: Capacity
    /// The promise to check.
    package var promise: Promise
    /// How long all checks together may wait for delayed effects, in seconds. Only a fault makes them wait.
    package var patienceSeconds = 60
    /// How many of its checks an earlier process has run; the last of them killed it.
    package var skipped = 0

    package init(strategy: String, capacity: Capacity, promise: Promise) {
        self.strategy = strategy
        self.capacity = capacity
        self.promise = promise
    }

    /// The findings.
    package struct Report: Codable, Sendable {
        /// How many facts were checked.
        package var checked = 0
        /// How many times one of them did not hold.
        package var violations = 0
        /// The facts that do not hold, in lines.
        package var failures: [String] = []
        /// The operations that show the first failure, when it was seen in a history.
        package var events: [Counterexample.Event] = []
        /// The checks that could not be run, and why, a line each.
        package var unasked: [String] = []
        /// The behaviour of a full cache, when that was checked and there is a limit.
        package var admission: AdmissionFinding?
    }

    /// The messages of a probe, which show its parent how far it came.
    package enum Step: Codable, Sendable {
        /// A check begins.
        case check(String)
        /// An operation is sent.
        case operation(String)
        /// A check has ended; the findings of all checks so far.
        case found(Report)
    }

    /// The promises that are probed, in the order of the rows.
    package static let promises: [Promise] = [
        .ownPast, .limits, .admission, .retention, .costs, .noLeakedLoad, .noLeaks, .errors, .cancellation, .lifetimes,
        .durability,
    ]

    /// Whether a strategy can be probed for the promise. Admission is always checked.
    package static func isAnswerable(_ promise: Promise, by declaration: StrategyDeclaration) -> Bool {
        promise == .admission || !ConformanceCheck.checks(of: promise, by: declaration).isEmpty
    }

    /// Runs the checks in this process.
    ///
    /// - Parameter onStep: called before every check and every operation, so that the last step before a crash is
    ///   known.
    /// - Returns: the findings of all checks, which are also the last step.
    /// - Throws: ``HarnessError`` when there is no such strategy, and the error that keeps the strategy from opening.
    package func report(
        registry: StrategyRegistry, onStep: @escaping @Sendable (Step) -> Void = { _ in }
    ) async throws -> Report {
        guard let known = registry[strategy] else {
            throw HarnessError("there is no strategy called '\(strategy)'")
        }
        if let type = known.stringKeyed { return try await report(ofType: type, onStep) }
        if let type = known.integerKeyed { return try await report(ofType: type, onStep) }
        if let type = known.urlKeyed { return try await report(ofType: type, onStep) }
        throw HarnessError("\(strategy) has no type for any keys")
    }

    /// Runs the checks. Not on the main actor: some strategies need its thread, and a check may block its own.
    @concurrent
    private func report<Key: TrialKey>(
        ofType type: any CacheStrategy<Key, Payload>.Type, _ onStep: @escaping @Sendable (Step) -> Void
    ) async throws -> Report {
        var report = Report()
        let patience = Patience(.seconds(patienceSeconds))
        for check in ConformanceCheck.checks(of: promise, by: type.declaration).dropFirst(skipped) {
            onStep(.check(check.rawValue))
            let found = await failures(of: check, in: type, patience, onStep)
            let broken = found.filter { !$0.isPremise }
            report.checked += 1
            report.violations += broken.count
            if report.failures.isEmpty { report.events = broken.first?.events ?? [] }
            report.failures += lines(of: broken)
            report.unasked += lines(of: found.filter(\.isPremise))
            onStep(.found(report))
        }
        if promise == .admission {
            onStep(.check("new entries in a cache with the scenario's limits"))
            report.admission = try await admission(of: type)
        }
        onStep(.found(report))
        return report
    }

    /// The failures of one check: a line for each of the first few, the check's name in the first, and the number of
    /// others.
    private func lines(of found: [ConformanceFailure]) -> [String] {
        let shown = found.prefix(4)
        let rest = found.count - shown.count
        return shown.prefix(1).map(\.text) + shown.dropFirst().map { "also: \($0.message)" }
            + (rest > 0 ? ["also: \(rest) more of this check"] : [])
    }

    private func failures<Cache: CacheStrategy>(
        of check: ConformanceCheck, in type: Cache.Type, _ patience: Patience,
        _ onStep: @escaping @Sendable (Step) -> Void
    ) async -> [ConformanceFailure] where Cache.Key: TrialKey, Cache.Value == Payload {
        var kit = PayloadKit.kit(for: type, countsAlive: promise == .noLeaks)
        kit.patience = patience
        kit.onStep = { onStep(.operation($0)) }
        return await kit.failures(of: check)
    }

    private func admission<Cache: CacheStrategy>(of type: Cache.Type) async throws -> AdmissionFinding?
    where Cache.Key: TrialKey, Cache.Value == Payload {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("cache-admission-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let probe = AdmissionProbe(
            type, makeKey: { Cache.Key(trialKeyNumber: $0) }, makeValue: { PayloadKit.payload($0, byteCount: 1024) })
        return try await probe.finding(entryLimit: capacity.entries, costLimit: capacity.bytes, folder: folder)
    }
}
