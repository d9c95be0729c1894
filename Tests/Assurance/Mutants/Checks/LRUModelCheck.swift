import CacheStrategies
import Conformance
import StrategyTestSupport
import TrialModel

/// Runs the same random operations on a strategy and on ``LRUModel``, and compares both after each.
struct LRUModelCheck<Strategy: SynchronousCacheStrategy>: Sendable {
    let makeKey: @Sendable (Int) -> Strategy.Key
    let makeValue: @Sendable (_ key: Int, _ version: UInt64) -> Strategy.Value
    let stamp: @Sendable (Strategy.Value) -> ValueStamp

    private static var limits: [(entries: Int?, cost: Int?)] {
        [(0, nil), (1, nil), (2, nil), (7, nil), (nil, 0), (nil, 40), (10, 40), (1000, 60)]
    }

    /// The first difference, in words; `nil` when there is none.
    func disagreement(seed: UInt64) throws -> String? {
        for (entries, cost) in Self.limits {
            let cache = try Strategy(configuration: StrategyConfiguration(entryLimit: entries, costLimit: cost))
            var run = Run(
                cache: cache, model: LRUModel(entryLimit: entries, costLimit: cost),
                random: RandomSource(seed: seed, stream: 3))
            for number in 0..<300 {
                guard let difference = step(number, &run) else { continue }
                let limits =
                    "entry limit \(entries.map(String.init) ?? "none"), cost limit \(cost.map(String.init) ?? "none")"
                return "\(difference); operation \(number), \(limits), seed \(seed)"
            }
        }
        return nil
    }

    private struct Run {
        let cache: Strategy
        var model: LRUModel
        var random: RandomSource
    }

    private func step(_ number: Int, _ run: inout Run) -> String? {
        let key = Int(run.random.next(below: 14))
        switch run.random.next(below: 100) {
        case 0..<40:
            let found = run.cache.value(forKey: makeKey(key)).map { Int(stamp($0).version) }
            let expected = run.model.value(forKey: key)
            if found != expected { return "key \(key) gives version \(found ?? 0), not \(expected ?? 0)" }
        case 40..<85:
            // Mostly small; sometimes zero, negative, or more than a cache may hold.
            let cost = [0, 1, 1, 2, 3, 5, 8, -4, 59, 1_000_000][Int(run.random.next(below: 10))]
            run.cache.insert(makeValue(key, UInt64(number + 1)), forKey: makeKey(key), cost: cost)
            run.model.insert(number + 1, forKey: key, cost: cost)
        case 85..<98:
            run.cache.removeValue(forKey: makeKey(key))
            run.model.removeValue(forKey: key)
        default:
            run.cache.removeAll()
            run.model.removeAll()
        }
        let statistics = run.cache.statistics()
        let expected = CacheStatistics(
            entryCount: run.model.entries.count, totalCost: run.model.totalCost, evictions: run.model.evictions)
        let seen = CacheStatistics(
            entryCount: statistics.entryCount, totalCost: statistics.totalCost, evictions: statistics.evictions)
        return seen == expected ? nil : "statistics are \(seen), not \(expected)"
    }
}
