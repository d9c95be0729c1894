package import CacheStrategies
import Conformance
import Foundation
package import HistoryChecking
import Origins
package import TimedStrategies
package import TrialModel

/// Asks a strategy for what the history of a trial can't show: limits, lifetimes, what errors and cancellations leave
/// behind, what is found after reopening, and whether a full cache takes new entries.
///
/// It runs in a process of its own, so that a crash or a hang is one finding.
package struct PromiseProbe: Codable, Sendable {
    /// The strategy's name.
    package var strategy: String
    /// The limits of the scenario, for the question of admission; the other checks have limits of their own.
    package var capacity: Capacity
    /// What is asked for.
    package var promise: Promise
    /// How long all checks together may wait for what does not happen at once, in seconds. Only a fault makes them wait.
    package var patienceSeconds = 60
    /// How many of its checks have been asked already, by a process that died of the last one of them.
    package var skipped = 0

    package init(strategy: String, capacity: Capacity, promise: Promise) {
        self.strategy = strategy
        self.capacity = capacity
        self.promise = promise
    }

    /// What was seen.
    package struct Report: Codable, Sendable {
        /// The facts that were checked.
        package var checked = 0
        /// How often one of them did not hold.
        package var violations = 0
        /// What doesn't hold, in lines.
        package var failures: [String] = []
        /// The operations that show the first of them, where it was seen in a history.
        package var events: [Counterexample.Event] = []
        /// What could not be asked, and why, a line each.
        package var unasked: [String] = []
        /// What a full cache did, where that was asked and there is a limit.
        package var admission: AdmissionReport?
    }

    /// What a probe says on its way, so that its parent knows how far it came.
    package enum Step: Codable, Sendable {
        /// A check begins.
        case check(String)
        /// An operation is sent.
        case operation(String)
        /// A check has ended: what all of them have found so far.
        case found(Report)
    }

    /// What a full cache did with new entries.
    package struct AdmissionReport: Codable, Sendable {
        package var offered: Int
        package var admitted: Int
        package var limit: String
    }

    /// The promises that are probed, in the order of the rows.
    package static let promises: [Promise] = [
        .ownPast, .limits, .admission, .retention, .costs, .noLeakedLoad, .noLeaks, .errors, .cancellation, .lifetimes,
        .durability,
    ]

    /// Whether there is anything to ask a strategy. Admission is always looked at.
    package static func isAnswerable(_ promise: Promise, by declaration: StrategyDeclaration) -> Bool {
        promise == .admission || !ConformanceCheck.checks(of: promise, by: declaration).isEmpty
    }

    /// Asks in this process.
    ///
    /// - Parameter onStep: is told of every check and every operation before it begins, so that who dies of one has said so.
    /// - Returns: what all checks have found, which is the last step as well.
    /// - Throws: ``HarnessError`` when there is no such strategy, and what keeps the strategy from opening.
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

    /// Asks a strategy. Not on the main actor: some strategies need its thread, and a check may block its own.
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

    /// What one check found: a line for each of the first few, its name in the first, and how many more there were.
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

    private func admission<Cache: CacheStrategy>(of type: Cache.Type) async throws -> AdmissionReport?
    where Cache.Key: TrialKey, Cache.Value == Payload {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("cache-admission-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let probe = AdmissionProbe(
            type, makeKey: { Cache.Key(trialKeyNumber: $0) }, makeValue: { PayloadKit.payload($0, byteCount: 1024) })
        let finding = try await probe.finding(
            entryLimit: capacity.entries, costLimit: capacity.bytes, folder: folder)
        return finding.map { AdmissionReport(offered: $0.offered, admitted: $0.admitted, limit: $0.limit) }
    }
}
