import Testing
import TrialModel

@testable import EvictionPolicies

@Suite(.timeLimit(.minutes(5)))
struct StackDistancesTests {
    @Test func `a curve counts misses from no entries to one for each object`() {
        var distances = StackDistances()
        for object: ObjectID in [1, 2, 1, 1, 3, 2] { distances.request(object) }
        // Distances: 1 after one other, 1 at once, 2 after two others; three first requests.
        #expect(distances.missCurve() == [6, 5, 4, 3])
        #expect(distances.misses(entries: 2) == 4)
        #expect(distances.misses(entries: -1) == 6)
        #expect(distances.misses(entries: 100) == 3)
    }

    @Test func `without requests there are no misses`() {
        let distances = StackDistances()
        #expect(distances.missCurve() == [0])
    }

    // Long enough that the array is compacted several times.
    @Test(arguments: [40, 5000, 30_000]) func `the curve equals a replay at each size`(_ objectCount: Int) {
        var random = RandomSource(seed: UInt64(objectCount))
        let objects = (0..<150_000).map { _ in
            let fraction = random.nextFraction()
            return ObjectID(fraction * fraction * Double(objectCount))
        }
        var distances = StackDistances()
        for object in objects { distances.request(object) }
        let curve = distances.missCurve()
        #expect(curve.count == distances.uniqueCount + 1)
        for entries in [1, 7, 39, objectCount / 3] {
            var policy = LRUPolicy(capacity: .entries(entries))
            var misses = 0
            for object in objects where !policy.request(object, weight: 1) { misses += 1 }
            #expect(curve[entries] == misses)
            #expect(distances.misses(entries: entries) == misses)
        }
    }
}
