package import CacheStrategies
package import Conformance
import Foundation
import HistoryChecking
import Schedules
package import TrialModel

/// A check of a strategy.
package enum MutantCheck: Hashable, Sendable, CustomStringConvertible {
    /// A promise, judged by the history of concurrent callers.
    case promise(Promise)
    /// A fact of the contract.
    case conformance(ConformanceCheck)
    /// A precondition of a fact of the contract, without which that fact is not checked.
    case premise(ConformanceCheck)
    /// A plain LRU, operation by operation.
    case referenceModel
    /// A promise, judged in task orders that seeds choose.
    case schedules(Promise)
    /// Two readers and a writer, in orders of their accesses to memory.
    case accesses
    /// The state of the files after killed writers, failing calls, damage, and hostile keys.
    case reliability(String)
    /// A log that contradicts itself.
    case invalidLog
    /// Thread Sanitizer, in a separate process.
    case raceDetector

    package var description: String {
        switch self {
        case .promise(let promise): "history: \(promise.rawValue)"
        case .conformance(let check): "contract: \(check.rawValue)"
        case .premise(let check): "contract, not checked: \(check.rawValue)"
        case .referenceModel: "model: agrees with a plain LRU"
        case .schedules(let promise): "schedules: \(promise.rawValue)"
        case .accesses: "accesses: no entry is freed while a reader uses it"
        case .reliability(let check): "files: \(check)"
        case .invalidLog: "history: invalid log"
        case .raceDetector: "Thread Sanitizer"
        }
    }
}

/// A check that a strategy did not pass.
package struct Alarm: Hashable, Sendable, CustomStringConvertible {
    package var check: MutantCheck
    /// What the check observed.
    package var message: String

    package init(_ check: MutantCheck, _ message: String) {
        self.check = check
        self.message = message
    }

    package var description: String { "\(check): \(message)" }
}

/// The checks that a mutant or a sound strategy meets.
package enum CheckSelection: Sendable {
    /// All that apply, at full length: a mutant meets the checks that must not see it as well.
    case all
    /// Only these, and all promises when a history is judged for one of them. The contract is checked briefly.
    case only(Set<MutantCheck>)

    var isAll: Bool { if case .all = self { true } else { false } }

    func includes(_ check: MutantCheck) -> Bool {
        switch self {
        case .all: true
        case .only(let checks): checks.contains(check)
        }
    }

    /// Whether a history of concurrent callers is judged.
    var includesHistory: Bool {
        switch self {
        case .all: true
        case .only(let checks): checks.contains { if case .promise = $0 { true } else { $0 == .invalidLog } }
        }
    }

    private static let aboutStatistics: [ConformanceCheck] = [
        .statisticsAgree, .hostileCostsAreHarmless, .edgeCostsAreCounted,
    ]

    /// The first failure of each selected check of the contract.
    func contractAlarms<Strategy: CacheStrategy>(_ makeKit: () -> ConformanceKit<Strategy>) async -> [Alarm] {
        var alarms: [Alarm] = []
        for check in ConformanceCheck.allCases where includes(.conformance(check)) {
            var kit = makeKit()
            kit.effort = isAll ? .full : .brief
            let failures = await kit.failures(of: check)
            // Statistics are optional: a cache without any is neither accused nor cleared.
            if Self.aboutStatistics.contains(check), failures.allSatisfy(\.isPremise) { continue }
            alarms += failures.prefix(1).map {
                Alarm($0.isPremise ? .premise(check) : .conformance(check), $0.message)
            }
        }
        return alarms
    }
}

/// Runs checks of the zoo on one strategy.
package struct Examination<Strategy: CacheStrategy>: Sendable {
    let subject: TrialSubject<Strategy>
    let seed: UInt64
    let selection: CheckSelection

    package init(_ subject: TrialSubject<Strategy>, seed: UInt64, _ selection: CheckSelection) {
        self.subject = subject
        self.seed = seed
        self.selection = selection
    }

    /// The findings, empty for a sound strategy.
    package func alarms() async -> [Alarm] {
        var alarms: [Alarm] = []
        do {
            if selection.includesHistory { alarms = try await historyAlarms() }
        } catch {
            alarms = [Alarm(.promise(.noLostCaller), "the trial did not run: \(error)")]
        }
        // A strategy that loses callers would also lose those of the kit, which waits for them.
        if alarms.contains(where: { $0.check == .promise(.noLostCaller) }) { return alarms }
        alarms += await selection.contractAlarms {
            var kit = subject.makeKit()
            // Longer than for lost callers: slowness on a busy machine must not count as a fault.
            kit.patience = Patience(max(subject.patience, .seconds(2)) * 2)
            return kit
        }
        if subject.isExactLRU, selection.includes(.referenceModel),
            let type = Strategy.self as? any SynchronousCacheStrategy<Strategy.Key, Strategy.Value>.Type
        {
            alarms += modelAlarms(type)
        }
        return alarms
    }

    private func modelAlarms<Cache: SynchronousCacheStrategy<Strategy.Key, Strategy.Value>>(
        _ type: Cache.Type
    ) -> [Alarm] {
        let check = LRUModelCheck<Cache>(makeKey: subject.makeKey, makeValue: subject.makeValue, stamp: subject.stamp)
        do {
            return try check.disagreement(seed: seed).map { [Alarm(.referenceModel, $0)] } ?? []
        } catch {
            return [Alarm(.referenceModel, "\(error)")]
        }
    }

    private func historyAlarms() async throws -> [Alarm] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mutant-zoo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let crowd = subject.crowd(seed: seed)
        let cache = try SwitchPoint.$current.withValue(SwitchPoint(crowd.progress)) {
            try Strategy(configuration: TrialSubject<Strategy>.configuration(in: folder))
        }
        let history = await subject.history(of: crowd, on: cache)
        var alarms: [Alarm] = []
        let promises = Strategy.declaration.promises
        for finding in HistoryCheck(promises: promises).findings(history) {
            if finding.verdict == .inconsistent {
                alarms.append(Alarm(.promise(finding.promise), finding.example?.summary ?? ""))
            } else if let summary = finding.example?.summary, summary.hasPrefix(Self.invalidLogPrefix) {
                alarms.append(Alarm(.invalidLog, summary))
            }
        }
        await cache.close()
        return alarms
    }

    static var invalidLogPrefix: String { "invalid log: " }
}
