import Testing
import TrialModel

@testable import EvictionPolicies

@Suite(.timeLimit(.minutes(5)))
struct PracticalOptimumTests {
    /// Requests for objects of different size.
    private struct Requests {
        let objects: [ObjectID]
        let weights: [UInt64]
        var next: [UInt32] { OptimalReplay.plainNextRequests(of: objects) }

        init(seed: UInt64, count: Int, objects objectCount: Double, heaviest: UInt64) {
            var random = RandomSource(seed: seed)
            let sizes = (0..<Int(objectCount)).map { _ in 1 + random.next(below: heaviest) }
            let drawn = (0..<count).map { _ in
                let fraction = random.nextFraction()
                return ObjectID(fraction * fraction * objectCount)
            }
            (objects, weights) = (drawn, drawn.map { sizes[Int($0)] })
        }

        func misses(_ bound: PracticalOptimum.Bound, _ capacity: PolicyCapacity, from first: Int = 0) -> Int {
            let isHit = PracticalOptimum.hits(
                bound, nextRequests: next, weights: weights, capacity: capacity, countedFrom: first)
            return isHit.count { !$0 }
        }

        /// The misses of the optimum, by trying for each interval to keep the object and not to. No request before the
        /// first hits.
        func exactMisses(capacity: Int, from first: Int) -> Int {
            let next = next
            var free = [Int](repeating: capacity, count: objects.count)
            func mostHits(from index: Int) -> Int {
                guard index < objects.count else { return 0 }
                let without = mostHits(from: index + 1)
                let (end, size) = (Int(next[index]), Int(weights[index]))
                guard end < objects.count, end >= first, free[index..<end].allSatisfy({ $0 >= size }) else {
                    return without
                }
                for time in index..<end { free[time] -= size }
                defer { for time in index..<end { free[time] += size } }
                return max(without, 1 + mostHits(from: index + 1))
            }
            return objects.count - mostHits(from: 0)
        }
    }

    @Test(arguments: [0, 1, 7]) func `the exact optimum is between the bounds`(_ first: Int) {
        var gaps = 0
        for seed in UInt64(1)...150 {
            let requests = Requests(seed: seed, count: 16, objects: 6, heaviest: 9)
            for capacity in [0, 3, 7, 12, 20] {
                let exact = requests.exactMisses(capacity: capacity, from: first)
                let least = requests.misses(.leastMisses, .weight(UInt64(capacity)), from: first)
                let reachable = requests.misses(.reachableMisses, .weight(UInt64(capacity)), from: first)
                #expect(least <= exact && exact <= reachable, "\(requests) in \(capacity)")
                gaps += reachable - least
            }
        }
        // On average less than two misses apart, of 16 requests.
        #expect((1..<1500).contains(gaps))
    }

    @Test(arguments: [1, 7, 60]) func `the optimum for one size is between the bounds`(_ entries: Int) {
        for trace in SyntheticTrace.allCases {
            let objects = Array(trace.objects.prefix(5000))
            let next = OptimalReplay.plainNextRequests(of: objects)
            var optimum = OptimalReplay(entries: entries, requestCount: objects.count, mayBypass: true)
            let exact = next.count { !optimum.request(next: $0) }
            let bounds = [PracticalOptimum.Bound.leastMisses, .reachableMisses].map {
                PracticalOptimum.hits($0, nextRequests: next, weights: [], capacity: .entries(entries)).count { !$0 }
            }
            #expect(bounds[0] <= exact && exact <= bounds[1], "\(trace): \(exact), not within \(bounds)")
        }
    }

    @Test func `no policy misses less often than the lower bound`() {
        for seed in UInt64(1)...10 {
            let requests = Requests(seed: seed, count: 4000, objects: 300, heaviest: 200)
            for bytes in [UInt64(500), 2000, 9000] {
                let capacity = PolicyCapacity.weight(bytes)
                let least = requests.misses(.leastMisses, capacity)
                func check<Policy: TablePolicy & ~Copyable>(
                    _ policy: consuming Policy, _ admission: (any AdmissionPolicy)? = nil
                ) {
                    let misses = zip(requests.objects, requests.weights).count {
                        !policy.request($0, weight: $1, admission)
                    }
                    #expect(misses >= least, "\(Policy.self), seed \(seed), \(bytes): \(misses) and \(least)")
                }
                check(LRUPolicy(capacity: capacity))
                check(LFUPolicy(capacity: capacity))
                check(S3FIFOPolicy(capacity: capacity))
                check(ARCPolicy(capacity: capacity))
                check(LHDPolicy(capacity: capacity))
                check(HyperbolicPolicy(capacity: capacity))
                check(CacheusPolicy(capacity: capacity))
                check(LRUPolicy(capacity: capacity), TinyLFUAdmission(capacity: capacity, settings: PolicySettings()))
                #expect(requests.misses(.reachableMisses, capacity) >= least)
            }
        }
    }

    /// What PFOO-U keeps fits at each time.
    @Test func `the upper bound is a schedule that fits`() {
        let requests = Requests(seed: 9, count: 3000, objects: 200, heaviest: 100)
        let next = requests.next
        let isHit = PracticalOptimum.hits(
            .reachableMisses, nextRequests: next, weights: requests.weights, capacity: .weight(900))
        var load = [Int](repeating: 0, count: 3000)
        for (index, end) in next.enumerated() where end < 3000 && isHit[Int(end)] {
            for time in index..<Int(end) { load[time] += Int(requests.weights[index]) }
        }
        #expect((800...900).contains(load.max() ?? 0))
    }

    @Test(arguments: PracticalOptimum.Bound.allCases) func `a bound does not depend on the unit of sizes`(
        _ bound: PracticalOptimum.Bound
    ) {
        let requests = Requests(seed: 5, count: 3000, objects: 200, heaviest: 100)
        let isHit = { (unit: UInt64) in
            PracticalOptimum.hits(
                bound, nextRequests: requests.next, weights: requests.weights.map { $0 * unit },
                capacity: .weight(900 * unit))
        }
        // Size × length has more than 64 bits.
        #expect(isHit(1 << 50) == isHit(1))
    }

    @Test func `bounds of nothing, of no room, and of room for everything`() {
        #expect(PracticalOptimum.hits(.leastMisses, nextRequests: [], weights: [], capacity: .weight(5)).isEmpty)
        let single = PracticalOptimum.hits(.reachableMisses, nextRequests: [.max], weights: [3], capacity: .weight(5))
        #expect(single == [false])
        let requests = Requests(seed: 2, count: 500, objects: 40, heaviest: 90)
        for bound in PracticalOptimum.Bound.allCases {
            #expect(requests.misses(bound, .weight(0)) == 500)
            #expect(requests.misses(bound, .weight(.max)) == Set(requests.objects).count)
        }
    }

    @Test(arguments: PracticalOptimum.Bound.allCases) func `both bounds are exact where the cache is full all the time`(
        _ bound: PracticalOptimum.Bound
    ) {
        let next = (1...99).map { UInt32($0) } + [.max]
        let isHit = PracticalOptimum.hits(
            bound, nextRequests: next, weights: Array(repeating: 7, count: 100), capacity: .weight(7))
        #expect(isHit.count { $0 } == 99)
    }

    @Test(arguments: [1, 2, 5, 64, 100]) func `a profile adds to ranges and finds the highest`(_ count: Int) {
        var random = RandomSource(seed: UInt64(count))
        var profile = LoadProfile(count: count)
        var plain = [UInt64](repeating: 0, count: count)
        for _ in 0..<300 {
            let start = Int(random.next(below: UInt64(count)))
            let range = start..<start + 1 + Int(random.next(below: UInt64(count - start)))
            let found = profile.highest(in: range)
            #expect(found == plain[range].max())
            let amount = random.next(below: 9)
            profile.add(amount, in: range)
            for place in range { plain[place] += amount }
        }
    }
}
