import Testing

@testable import EvictionPolicies

@Suite(.timeLimit(.minutes(5)))
struct HitDensityModelTests {
    @Test func `time becomes coarser for many objects and finer for few, and no count is lost`() {
        var model = HitDensityModel()
        for age in [0, 1, 63, 64, 130, 19_998, 19_999] { model.count(model.hits, 3, age) }
        func hits(_ range: ClosedRange<Int>) -> Float {
            range.reduce(0) { $0 + model.hits[3 * HitDensityModel.ages + $1] }
        }
        // 10 million objects at most 100 times as old as they are many: 2^16 requests for one of 20,000 ages.
        for _ in 0..<6 { model.update(residentCount: 10_000_000) }
        #expect(model.shift == 16)
        var faded: Float = 0.9 * 0.9 * 0.9 * 0.9 * 0.9 * 0.9
        for (age, count) in [(0, 3), (1, 1), (2, 1), (312, 1), (19_999, 1)] {
            #expect(abs(hits(age...age) - Float(count) * faded) < 1e-5, "\(age)")
        }
        #expect(abs(hits(0...19_999) - 7 * faded) < 1e-5)
        for _ in 6..<26 {
            model.update(residentCount: 1)
            faded *= 0.9
        }
        // The smoothed number of objects still remembers the many.
        #expect(model.shift < 16)
        #expect(abs(hits(0...19_999) - 7 * faded) < 1e-5)
    }

    @Test func `a density is the hits that follow, per time until the objects leave`() {
        var model = HitDensityModel()
        #expect(model.density(0, 0) == 17 && model.density(15, 1) == 16)
        // Of four objects one is hit at age 1, one is evicted at age 2, two are hit at age 4.
        model.count(model.hits, 2, 1)
        model.count(model.evictions, 2, 2)
        model.count(model.hits, 2, 4)
        model.count(model.hits, 2, 4)
        model.update(residentCount: 4)
        // The four stay for 2, 3, 5 and 5 ages from age 0 on; from age 3 on, two stay for 2.
        let found = [0, 2, 3, 4, 5].map { model.density(2, $0) }
        for (found, expected) in zip(found, [3.0 / 15, 2.0 / 7, 2.0 / 4, 1, 0]) {
            #expect(abs(found - Float(expected)) < 1e-5)
        }
        #expect(model.density(3, 0) == 0)
    }

    @Test func `objects that were hit young are in higher classes`() {
        let groups = [0, 1, 2, 5_000, 9_999, 10_000, 19_999, 20_000, 39_998].map { HitDensityModel.group($0) }
        #expect(groups == [15, 15, 14, 2, 2, 1, 1, 0, 0])
    }
}
