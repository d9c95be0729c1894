import Testing
import TrialModel

@testable import EvictionPolicies

@Suite(.timeLimit(.minutes(5)))
struct OptimalReplayTests {
    @Test(arguments: [0, 1, 2, 3, 5, 12, 40], [false, true])
    func `the object whose next request is last is evicted`(_ entries: Int, _ mayBypass: Bool) {
        for seed in UInt64(1)...8 {
            let objects = Self.randomObjects(seed: seed, requests: 700)
            #expect(
                Self.hits(objects, entries: entries, mayBypass: mayBypass)
                    == Self.plainHits(objects, entries: entries, mayBypass: mayBypass))
        }
    }

    @Test(arguments: [1, 3, 12]) func `an optimum with bypassing misses no more often`(_ entries: Int) {
        for trace in SyntheticTrace.allCases {
            let must = Self.hits(trace.objects, entries: entries, mayBypass: false).count { $0 }
            let may = Self.hits(trace.objects, entries: entries, mayBypass: true).count { $0 }
            #expect(may >= must, "\(trace)")
        }
    }

    @Test(arguments: [0, 5, 9]) func `no choice of victims has more hits from a request on`(_ first: Int) {
        for seed in UInt64(1)...60 {
            var random = RandomSource(seed: seed)
            let objects = (0..<14).map { _ in ObjectID(random.next(below: 5)) }
            func mostHits(from index: Int, _ residents: Set<ObjectID>) -> Int {
                guard index < objects.count else { return 0 }
                let isHit = residents.contains(objects[index])
                let kept = residents.union([objects[index]])
                let choices = kept.count <= 2 ? [kept] : residents.map { kept.subtracting([$0]) }
                return (isHit && index >= first ? 1 : 0) + (choices.map { mostHits(from: index + 1, $0) }.max() ?? 0)
            }
            let next = OptimalReplay.plainNextRequests(of: objects)
            let hits = OptimalReplay.hits(next, entries: 2, countedFrom: first)
            #expect(hits.count { $0 } == mostHits(from: 0, []), "seed \(seed)")
            #expect(!hits.prefix(first).contains(true))
        }
    }

    @Test func `a next request that is past or beyond the end counts as none`() {
        var optimum = OptimalReplay(entries: 1, requestCount: 3)
        let hits = [0, 0, 4_000_000_000].map { optimum.request(next: $0) }
        #expect(hits == [false, false, false])
        #expect(optimum.count == 1)
    }

    @Test(arguments: [1, 63, 64, 65, 4096, 4097, 300_000]) func `a set returns its latest point`(_ range: Int) {
        var random = RandomSource(seed: UInt64(range))
        let set = TimeSet(range: range)
        var model: Set<Int> = []
        for _ in 0..<500 {
            let point = Int(random.next(below: UInt64(range)))
            if model.insert(point).inserted {
                set.insert(point)
            } else {
                set.remove(point)
                model.remove(point)
            }
            if let latest = model.max() {
                let found = set.latest()
                #expect(found == latest)
            }
            let isIn = set.contains(point)
            #expect(isIn == model.contains(point))
        }
    }

    private static func randomObjects(seed: UInt64, requests: Int) -> [ObjectID] {
        var random = RandomSource(seed: seed)
        return (0..<requests).map { _ in
            let fraction = random.nextFraction()
            return ObjectID(fraction * fraction * 60)
        }
    }

    private static func hits(_ objects: [ObjectID], entries: Int, mayBypass: Bool) -> [Bool] {
        var optimum = OptimalReplay(entries: entries, requestCount: objects.count, mayBypass: mayBypass)
        return OptimalReplay.plainNextRequests(of: objects).map { optimum.request(next: $0) }
    }

    /// The same by searching all residents, each stored with its next request.
    private static func plainHits(_ objects: [ObjectID], entries: Int, mayBypass: Bool) -> [Bool] {
        var residents: [ObjectID: Int] = [:]
        return objects.indices.map { index in
            let object = objects[index]
            let next = objects[(index + 1)...].firstIndex(of: object) ?? .max
            let isHit = residents[object] != nil
            residents[object] = next
            if residents.count > entries {
                // With equal next requests the new object stays, unless it need not be kept.
                let candidates = residents.filter { mayBypass || entries == 0 || $0.key != object }
                if mayBypass && next == .max {
                    residents[object] = nil
                } else if let victim = candidates.max(by: { $0.value < $1.value }) {
                    residents[victim.key] = nil
                }
            }
            return isHit
        }
    }
}

extension OptimalReplay {
    /// For each request the index of the next one for the same object, by searching the requests of each object.
    static func plainNextRequests(of objects: [ObjectID]) -> [UInt32] {
        var places: [ObjectID: [Int]] = [:]
        for (index, object) in objects.enumerated() { places[object, default: []].append(index) }
        var next = [UInt32](repeating: never, count: objects.count)
        for indices in places.values {
            for (index, following) in zip(indices, indices.dropFirst()) { next[index] = UInt32(following) }
        }
        return next
    }
}
