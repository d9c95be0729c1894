import CacheStrategies
import EvictionPolicies
import TrialModel

// Which entry a full cache evicts.

extension ConformanceProbe {
    /// Looks keys up one after another, and inserts or loads what is not found. A cache that evicts as it declares finds
    /// what a replay of its policy finds. The shortest of many requests that show a difference are the finding.
    func checkEvictsInOrder() async throws {
        guard let order = promises.evictionOrder, let policy = order.policy, case .online(let makeLoop) = policy.work,
            declaration.bounds.contains(.entries), promises.admission == .always, !isSoft, !neverCaches,
            !declaration.worksInBackground
        else { return }
        let small = max(3, rules.smallest)
        var shown = 0
        for (limit, length, rounds) in [(small, 6 * small, UInt64(40)), (4 * small, 80 * small, 3)] {
            for seed in 1...rounds {
                var random = RandomSource(seed: seed, stream: 44)
                // Three keys for each place; the first ones are requested more often.
                let keys = (0..<length).map { _ in
                    UInt32(min(random.next(below: UInt64(3 * limit)), random.next(below: UInt64(3 * limit))))
                }
                var expected = Array(repeating: false, count: length)
                _ = makeLoop(.entries(limit), PolicySettings(), nil)(PolicyRequests(keys, weights: [1]), &expected)
                let cache = try open(
                    configuration(entryLimit: limit, folder: "order-\(limit)-\(seed)"))
                let differing = try await difference(keys.map(Int.init), expected, cache)
                await close(cache)
                shown += expected.count { $0 }
                guard let differing else { continue }
                let requests = keys[...differing].map(String.init).joined(separator: " ")
                return fail(
                    "key \(keys[differing]) \(expected[differing] ? "is not found" : "is found"), and \(policy.name) "
                        + "\(expected[differing] ? "would hold it" : "would have evicted it"); a cache for "
                        + "\(Self.entries(limit)) was asked for the keys \(requests), each inserted where not found")
            }
        }
        _ = premise(shown > 0, "no request was a hit")
    }

    /// The first request that ends otherwise than expected.
    private func difference(_ keys: [Int], _ expected: [Bool], _ cache: Strategy) async throws -> Int? {
        let origin = makeOrigin()
        for (place, key) in keys.enumerated() {
            let isFound: Bool
            if key.isMultiple(of: 3) {
                isFound = try await load(key, from: origin, in: cache).outcome == .hit
            } else {
                isFound = await lookUp(key, in: cache) != nil
                if !isFound { await insert(key, at: key, into: cache) }
            }
            if isFound != expected[place] { return place }
        }
        return nil
    }
}

extension Promises.EvictionOrder {
    /// The policy that a replay runs.
    fileprivate var policy: KnownPolicy? { KnownPolicy.all.first { $0.name == rawValue } }
}
