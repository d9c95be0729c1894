package import CacheStrategies
package import Conformance
import Foundation
import HistoryChecking

/// A strategy under test, and how its keys and values are made and read.
package struct TrialSubject<Strategy: CacheStrategy>: Sendable {
    /// The key with a number.
    package let makeKey: @Sendable (Int) -> Strategy.Key
    /// The value of a key's version.
    package let makeValue: @Sendable (_ key: Int, _ version: UInt64) -> Strategy.Value
    /// The stamp of a value.
    package let stamp: @Sendable (Strategy.Value) -> ValueStamp
    /// The contract, with values of the same type.
    package let makeKit: @Sendable () -> ConformanceKit<Strategy>
    /// Whether it does exactly what an LRU does.
    package var isExactLRU = false
    /// How long no caller may make progress before callers count as lost.
    package var patience = Duration.seconds(30)

    package init(
        _ type: Strategy.Type, makeKey: @escaping @Sendable (Int) -> Strategy.Key,
        makeValue: @escaping @Sendable (_ key: Int, _ version: UInt64) -> Strategy.Value,
        stamp: @escaping @Sendable (Strategy.Value) -> ValueStamp,
        makeKit: @escaping @Sendable () -> ConformanceKit<Strategy>
    ) {
        self.makeKey = makeKey
        self.makeValue = makeValue
        self.stamp = stamp
        self.makeKit = makeKit
    }

    /// Four callers on a strategy with room for half of the keys, with fetches that fail and fetches that wait until
    /// other callers have made progress.
    func crowd(seed: UInt64) -> Crowd<Strategy> {
        var plan = CrowdPlan(keys: 10)
        (plan.seed, plan.callers, plan.samples) = (seed, 4, false)
        (plan.reads, plan.loads, plan.writes, plan.clears) = (360, 320, 215, 2)
        (plan.oneFailureIn, plan.oneSlowIn) = (32, 3)
        (plan.time, plan.timeMax, plan.operationsMin, plan.operationsMax) = (.zero, .seconds(600), 800, 800)
        return Crowd(plan: plan, makeKey: makeKey, makeValue: makeValue, stamp: stamp)
    }

    /// The configuration of a strategy that meets the crowd.
    static func configuration(in folder: URL? = nil) -> StrategyConfiguration {
        StrategyConfiguration(entryLimit: 5, directory: folder)
    }

    /// The history of a crowd. It also ends when callers are lost, and says so.
    func history(of crowd: Crowd<Strategy>, on cache: Strategy) async -> History {
        let isSynchronous = Strategy.self is any SynchronousCacheStrategy.Type
        return await crowd.run(on: cache, isSynchronous ? .threads : .tasks, patience: patience)
    }
}

/// A place in a strategy, outside of its locks, where another caller may be scheduled.
///
/// The sound strategies of the zoo have such places too: a correct strategy is correct for every schedule.
package struct SwitchPoint: Sendable {
    /// The hook of strategies that are opened now; it does nothing outside a trial.
    @TaskLocal package static var current = SwitchPoint(nil)

    private let progress: CrowdProgress?

    package init(_ progress: CrowdProgress?) { self.progress = progress }

    /// Gives other callers a turn, one time in four.
    package func pass() {
        guard let progress, progress.count.isMultiple(of: 4) else { return }
        progress.letOthersComplete(2)
    }
}

extension TrialSubject where Strategy.Key == Int, Strategy.Value == StampedBytes {
    /// A strategy of the zoo whose keys are the numbers.
    package init(_ type: Strategy.Type) { self.init(type) { $0 } }
}

extension TrialSubject where Strategy.Value == StampedBytes {
    /// A strategy of the zoo. One of its values is larger than 64 KiB.
    package init(_ type: Strategy.Type, makeKey: @escaping @Sendable (Int) -> Strategy.Key) {
        self.init(
            type, makeKey: makeKey,
            makeValue: { key, version in
                StampedBytes(key: key, version: version, byteCount: key == 5 ? 70_000 : 40 + 8 * key)
            },
            stamp: \.stamp,
            makeKit: {
                ConformanceKit(
                    type, makeKey: makeKey,
                    makeValue: { StampedBytes(key: $0, version: 1, byteCount: $1) }, undecodable: Data("short".utf8),
                    // The smallest value has 24 bytes, and the kit's has 10.
                    byteUnit: 3, aliveValues: nil, scribble: { $0.scribble() })
            })
    }
}
