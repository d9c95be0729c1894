import BuiltInStrategies
import CacheStrategies
import Conformance
import Foundation
import Mutants
import Origins
import TimedStrategies
import TrialModel
import TrialSessions

/// A strategy that no check may report.
struct SoundStrategy: Sendable, CustomStringConvertible {
    let name: String
    /// Its source.
    let origin: String
    /// Runs the selected checks that apply, once.
    let alarms: Examining
    /// The type of its cache; `nil` for what is no cache in memory.
    let cache: (any CacheStrategy.Type)?
    /// The checks that it meets in every test run.
    let usual: CheckSelection

    var description: String { name }

    /// The bases of the mutants, and all strategies that a run uses by default.
    static let all: [SoundStrategy] =
        MutantZoo.soundBases.map {
            SoundStrategy(
                name: $0.name, origin: "the zoo", alarms: $0.alarms, cache: $0.cache, usual: MutantZoo.meantChecks)
        }
        + (StrategyRegistry.builtIn.defaults + sharing).compactMap { strategy in
            guard let type = strategy.stringKeyed else { return nil }
            // Other tests check the contract of every registered strategy.
            return SoundStrategy(
                name: strategy.declaration.name, origin: "the registry", alarms: { await alarms(of: type, $0, $1) },
                cache: type, usual: .only([.invalidLog, .referenceModel]))
        }

    /// Shared loads in front of strategies of every kind.
    private static var sharing: [Strategy] {
        ["lru", "s3-fifo", "lock-dual", "barrier-nscache", "expiring", "disk", "none"].compactMap {
            StrategyRegistry.builtIn[StrategyDeclaration.sharingPrefix + $0]
        }
    }

    /// Opens a strategy as its concrete type; its values are those of a trial.
    private static func alarms<Strategy: CacheStrategy<String, Payload>>(
        of type: Strategy.Type, _ seed: UInt64, _ selection: CheckSelection
    ) async -> [Alarm] {
        var subject = subject(of: type)
        subject.isExactLRU = ["lru", "rwlock-lru", "shared+lru"].contains(Strategy.declaration.name)
        return await Examination(subject, seed: seed, selection).alarms()
    }

    /// A strategy with the values of a trial.
    static func subject<Strategy: CacheStrategy<String, Payload>>(of type: Strategy.Type) -> TrialSubject<Strategy> {
        let values = PayloadFactory(
            specification: ValueSpecification(kind: .bytes, size: .fixed(256)), seed: 1)
        return TrialSubject(
            type, makeKey: { String(trialKeyNumber: $0) },
            makeValue: { values.payload(key: UInt64($0), version: $1) },
            stamp: {
                ValueStamp(
                    key: UInt32(truncatingIfNeeded: $0.identity.key), version: $0.identity.version,
                    isIntact: $0.isIntact(seed: 1))
            },
            makeKit: { PayloadKit.kit(for: type) })
    }
}
