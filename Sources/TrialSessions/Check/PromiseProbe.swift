package import CacheStrategies
import Conformance
import Foundation
import Payloads
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
    /// How long anything may take that does not happen at once, in seconds. Only a fault makes a check wait so long.
    package var patienceSeconds = 30

    package init(strategy: String, capacity: Capacity, promise: Promise) {
        self.strategy = strategy
        self.capacity = capacity
        self.promise = promise
    }

    /// What was seen.
    package struct Report: Codable, Sendable {
        /// The facts that were checked.
        package var checked = 0
        /// What doesn't hold, a line each.
        package var failures: [String] = []
        /// What a full cache did, where that was asked and there is a limit.
        package var admission: AdmissionReport?
    }

    /// What a full cache did with new entries.
    package struct AdmissionReport: Codable, Sendable {
        package var offered: Int
        package var admitted: Int
        package var limit: String
    }

    /// The promises that are probed, in the order of the rows.
    package static let promises: [Promise] = [
        .limits, .admission, .noLeakedLoad, .errors, .cancellation, .lifetimes, .durability,
    ]

    /// Whether there is anything to ask a strategy. Admission is always looked at.
    package static func isAnswerable(_ promise: Promise, by declaration: StrategyDeclaration) -> Bool {
        promise == .admission || !ConformanceCheck.checks(of: promise, by: declaration).isEmpty
    }

    /// Asks in this process.
    ///
    /// - Throws: ``HarnessError`` when there is no such strategy, and what keeps the strategy from opening.
    package func report(registry: StrategyRegistry) async throws -> Report {
        guard let known = registry[strategy] else {
            throw HarnessError("there is no strategy called '\(strategy)'")
        }
        if let type = known.stringKeyed { return try await report(ofType: type) }
        if let type = known.integerKeyed { return try await report(ofType: type) }
        if let type = known.urlKeyed { return try await report(ofType: type) }
        throw HarnessError("\(strategy) has no type for any keys")
    }

    /// Asks a strategy. Not on the main actor: some strategies need its thread, and a check may block its own.
    @concurrent
    private func report<Key: TrialKey>(ofType type: any CacheStrategy<Key, Payload>.Type) async throws -> Report {
        var report = Report()
        for check in ConformanceCheck.checks(of: promise, by: type.declaration) {
            report.checked += 1
            report.failures += await failures(of: check, in: type).map { "\($0.check.rawValue): \($0.message)" }
        }
        if promise == .admission { report.admission = try await admission(of: type) }
        return report
    }

    private func failures<Cache: CacheStrategy>(
        of check: ConformanceCheck, in type: Cache.Type
    ) async -> [ConformanceFailure] where Cache.Key: TrialKey, Cache.Value == Payload {
        var kit = ConformanceKit(
            type, makeKey: { Cache.Key(trialKeyNumber: $0) },
            makeValue: { number, byteCount in Self.payload(number, byteCount: byteCount) },
            undecodable: Data("no payload".utf8), byteUnit: 64, aliveValues: nil)
        kit.patience = .seconds(patienceSeconds)
        return await kit.failures(of: check)
    }

    private func admission<Cache: CacheStrategy>(of type: Cache.Type) async throws -> AdmissionReport?
    where Cache.Key: TrialKey, Cache.Value == Payload {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("cache-admission-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let probe = AdmissionProbe(
            type, makeKey: { Cache.Key(trialKeyNumber: $0) }, makeValue: { Self.payload($0, byteCount: 1024) })
        let finding = try await probe.finding(
            entryLimit: capacity.entries, costLimit: capacity.bytes, folder: folder)
        return finding.map { AdmissionReport(offered: $0.offered, admitted: $0.admitted, limit: $0.limit) }
    }

    /// Bytes that belong to a number. The seed is of no matter.
    private static func payload(_ number: Int, byteCount: Int) -> Payload {
        let values = ValueSpecification(kind: .bytes, size: .fixed(UInt64(clamping: byteCount)))
        return PayloadFactory(specification: values, seed: 1).payload(key: UInt64(clamping: number), version: 1)
    }
}
