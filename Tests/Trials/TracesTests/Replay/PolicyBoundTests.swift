import TestTiers
import Testing
import TrialModel

@testable import EvictionPolicies
@testable import Traces

/// Bounds of every policy and admission, over many small random traces. The nightly tier has 100,000 of them.
@Suite(.timeLimit(.minutes(30)))
struct PolicyBoundTests {
    private static let traceCount = TestTier.isNightly ? 100_000 : 400

    /// Requests for a few keys, each of one size.
    private struct SmallTrace {
        var ids: [UInt32] = []
        var sizes: [UInt64] = []

        init(_ random: inout RandomSource) {
            let keys = 2 + random.next(below: 7)
            let weights = (0..<keys).map { _ in 1 + random.next(below: 5) }
            for _ in 0..<(8 + random.next(below: 32)) {
                // Skewed, so that some keys come back soon.
                let key = random.next(below: 1 + random.next(below: keys))
                ids.append(UInt32(key))
                sizes.append(weights[Int(key)])
            }
        }

        var block: ReplayBlock { ReplayBlock(ids: ids, sizes: sizes) }
    }

    private static let policies: [ReplayPolicy] =
        ReplayPolicy.all.filter { $0.clairvoyant == nil && $0 != .unbounded }
        + ["tinylfu+lru", "second-request+sieve", "size-probability+gdsf", "adapt-size+s3-fifo"].flatMap {
            (try? ReplayPolicy.parse($0)) ?? []
        }

    private static func hits(_ policy: ReplayPolicy, _ capacity: PolicyCapacity, _ block: ReplayBlock) -> UInt64 {
        let run = PolicyRun(policy, capacity, lane: 0)
        run.advance(block)
        return run.results[0].counts.hits
    }

    @Test func `no policy hits more often than the optimum that may refuse keys`() throws {
        #expect(Self.policies.count >= 29)
        var random = RandomSource(seed: 48, stream: 1)
        for number in 0..<Self.traceCount {
            let trace = SmallTrace(&random)
            let entries = 1 + Int(random.next(below: 5))
            let next = NextRequests([trace.block]).indices
            var optimum = OptimalReplay(entries: entries, requestCount: next.count, mayBypass: true)
            let most = next.reduce(UInt64(0)) { $0 + (optimum.request(next: $1) ? 1 : 0) }
            for policy in Self.policies {
                let hits = Self.hits(policy, .entries(entries), trace.block)
                guard hits <= most else {
                    Issue.record("trace \(number) with \(entries) entries: \(policy.name) hits \(hits), not \(most)")
                    return
                }
            }
        }
    }

    @Test func `no policy hits more often than PFOO-L allows, where sizes differ`() throws {
        var random = RandomSource(seed: 48, stream: 2)
        for number in 0..<Self.traceCount {
            let trace = SmallTrace(&random)
            let capacity = PolicyCapacity.weight(1 + random.next(below: 14))
            let next = NextRequests([trace.block]).indices
            let bounds = PracticalOptimum.Bound.allCases.map { bound in
                UInt64(
                    PracticalOptimum.hits(bound, nextRequests: next, weights: trace.sizes, capacity: capacity)
                        .count { $0 })
            }
            let (reachable, most) = (bounds[0], bounds[1])
            guard reachable <= most else {
                Issue.record("trace \(number), \(capacity): pfoo-u hits \(reachable), pfoo-l \(most)")
                return
            }
            for policy in Self.policies {
                let hits = Self.hits(policy, capacity, trace.block)
                guard hits <= most else {
                    Issue.record("trace \(number), \(capacity): \(policy.name) hits \(hits), not \(most)")
                    return
                }
            }
        }
    }
}
