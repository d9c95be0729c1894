import Foundation
import Testing
import TrialModel

@testable import Comparison

@Suite(.timeLimit(.minutes(1))) struct ChangePointsTests {
    private static let smallest = SmallestDifference(share: 0.02)

    /// The positions of a series' changes.
    private func places(_ values: [Double], _ smallest: SmallestDifference = smallest) -> [Int] {
        ChangePoints(values, smallest: smallest).points.map(\.index)
    }

    /// Values around levels that each hold for some commits.
    private func values(_ levels: [(Double, Int)], deviation: Double = 0.005, seed: UInt64 = 1) -> [Double] {
        var noise = Noise(.lognormal, deviation, seed: seed)
        return levels.flatMap { level, count in (0..<count).map { _ in level * noise.factor() } }
    }

    @Test func `a step has its place, its levels and its direction`() throws {
        let points = ChangePoints(values([(100, 30), (110, 12)]), smallest: Self.smallest).points
        let point = try #require(points.first)
        #expect(points.count == 1 && point.index == 30)
        #expect(abs(point.before - 100) < 0.5 && abs(point.after - 110) < 0.5)
        #expect(point.probability < 1e-9)
    }

    @Test func `levels that last for fewer commits than a window are all found`() {
        #expect(places(values([(100, 400), (106, 20), (100, 300), (95, 15)])) == [400, 420, 720])
    }

    @Test func `two rises close together, whose points move past each other, are judged in order`() {
        let thousands = [
            999_020, 990_961, 997_483, 999_320, 1_010_313, 1_010_899, 1_004_008, 1_002_844, 991_695, 1_004_028, 988_645,
            1_008_839, 995_829, 1_032_022, 978_123, 1_014_484, 972_466, 991_576, 1_014_180, 963_734, 1_068_205,
            1_071_051, 1_067_992, 1_009_343, 1_054_219, 1_049_443, 1_039_978, 1_015_621, 1_046_802, 1_016_617, 988_250,
            990_188, 981_376, 1_025_336, 961_501, 1_025_623, 1_015_682, 995_769, 1_019_528, 1_038_877, 966_204,
            1_070_794, 1_071_779, 1_088_129, 1_026_115, 939_826, 1_004_450, 984_029, 993_720, 1_001_401, 980_709,
            993_084, 986_196, 1_032_641, 1_030_599, 1_018_957, 1_015_357, 982_043, 983_045, 1_009_949, 987_558,
            1_012_842, 989_753, 1_011_485, 992_687, 1_005_073, 1_015_702, 971_650, 998_961, 1_048_269, 1_003_305,
            982_004, 994_674, 1_009_020,
        ]
        let found = places(thousands.map(Double.init))
        #expect(found == found.sorted() && found.count <= 3)
    }

    @Test func `slow drift becomes a change long before neighbouring commits show it`() {
        let drift = (0..<120).map { 100 * (1 + 0.0008 * Double($0)) }
        var noise = Noise(.lognormal, 0.005, seed: 3)
        let points = ChangePoints(drift.map { $0 * noise.factor() }, smallest: Self.smallest).points
        #expect(!points.isEmpty && points.allSatisfy { $0.after > $0.before })
    }

    @Test func `a change below the smallest difference is none, at any significance`() {
        let values = values([(100, 60), (101, 60)], deviation: 0.001)
        #expect(places(values) == [])
        #expect(places(values, SmallestDifference(share: 0.005)) == [60])
    }

    @Test func `deterministic counts have exact changes, and only changes that last`() {
        let steady = Array(repeating: 0.9, count: 12)
        let points = SmallestDifference(amount: 0.005)
        #expect(places(steady + Array(repeating: 0.91, count: 4), points) == [12])
        #expect(places(steady + Array(repeating: 0.91, count: 3), points) == [])
        #expect(places(steady + [0.95] + steady, points) == [])
        #expect(places(steady + steady, points) == [])
    }

    @Test func `two constant sides have the probability of the most extreme orders`() {
        // Two of the 70 ways to choose four of eight values.
        #expect(abs(RunningSums.probabilityOfExtremes(4, 4) - 2.0 / 70) < 1e-12)
        let sums = RunningSums([84, 84, 84, 84, 125, 125, 125, 125])
        #expect(abs(sums.probability(0..<4, 4..<8) - 2.0 / 70) < 1e-12)
        #expect(places([84, 84, 84, 84, 125, 125, 125, 125]) == [])
        #expect(places([84, 84.001, 84, 84, 125, 125, 125, 125]) == [])
    }

    @Test func `one tick of the clock is no change, and two are`() {
        func places(_ after: Double) -> [Int] {
            // The slower half falls on the next tick now and then.
            let values = (0..<60).map { index in (index < 40 ? 84 : after) + (index % 9 == 0 ? 41 : 0) }
            #expect(ClockTick.of(values) > 0)
            return ChangePoints(values, smallest: Self.smallest, tick: ClockTick.of(values)).points.map(\.index)
        }
        #expect(places(125) == [])
        #expect(places(166) == [40])
    }

    @Test func `values further apart than any tick have none`() {
        #expect(ClockTick.of([5_000, 9_000, 5_000]) == 0)
        #expect(ClockTick.of([7, 7]) == 0)
        #expect(ClockTick.of([125, 84, 84, 209]) == 41)
    }

    @Test(arguments: 0..<8) func `a history that is too short has no change`(count: Int) {
        #expect(places((0..<count).map { $0 < 4 ? 1 : 2 }) == [])
    }

    @Test func `zeros and negative figures are judged by their differences`() {
        let points = SmallestDifference(share: 0.05, amount: 8)
        let values = (0..<40).map { index in
            let level: Double = index < 20 ? -20 : 20
            return level + Double(index % 3)
        }
        #expect(places(values, points) == [20])
    }

    @Test func `figures of any size are judged without overflow`() {
        let values = (0..<40).map { index in
            let level: Double = index < 20 ? 1e18 : 2e18
            return level * (1 + Double(index % 5) / 1_000)
        }
        #expect(places(values) == [20])
        #expect(places(values.map { $0 * 1e-27 }) == [20])
    }

    @Test func `the same series has the same changes each time`() {
        let values = values([(100, 44), (103, 16)], deviation: 0.02, seed: 5)
        let points = ChangePoints(values, smallest: Self.smallest).points
        #expect((0..<5).allSatisfy { _ in ChangePoints(values, smallest: Self.smallest).points == points })
    }

    @Test func `a few disturbed commits are not a change and hide none`() {
        var values = values([(100, 40), (106, 20)], deviation: 0.01)
        for place in [3, 17, 18, 31, 44, 58] { values[place] *= 2 }
        #expect(places(values).count == 1)
        #expect(places(values).allSatisfy { abs($0 - 40) <= 2 })
    }
}

@Suite(.timeLimit(.minutes(1))) struct RunningSumsTests {
    static let values = [10.1, 9.7, 10.4, 10.0, 9.9, 10.2, 9.8, 10.6, 10.9, 11.2, 10.5, 10.8, 11.5, 10.7, 11.1]

    // From golden.py.
    @Test(arguments: [
        (4, 2.1441212121212128, 0.05302971303107212), (7, 6.0240238095238094, 5.523007111207959e-05),
        (8, 5.646880952380953, 0.00015377784737879502), (11, 3.0836666666666663, 0.01584036373572751),
    ])
    func `the statistic is half of E-divisive's, and the probability is scipy's`(
        place: Int, energy: Double, probability: Double
    ) {
        let sums = RunningSums(Self.values)
        #expect(abs(2 * sums.parted(0..<place, place..<15) - energy) < 1e-9)
        #expect(abs(sums.probability(0..<place, place..<15) / probability - 1) < 1e-9)
    }

    @Test func `the best split is that of the reference`() {
        #expect(RunningSums(Self.values).bestSplit(0..<15)?.index == 7)
    }

    @Test func `too few values have no best split`() {
        #expect(RunningSums(Self.values).bestSplit(0..<7) == nil)
        #expect(RunningSums([]).bestSplit(0..<0) == nil)
    }

    @Test func `equal values have no split`() {
        #expect(RunningSums([1, 1, 1, 1]).probability(0..<2, 2..<4) == 1)
    }
}

@Suite(.timeLimit(.minutes(1))) struct PermutationTestTests {
    // From golden.py: 0.00016 and 0.00031 of all orders rise as far.
    @Test(arguments: [7, 8]) func `a rise that few orders have passes, and so does a fall`(place: Int) {
        #expect(PermutationTest.passes(RunningSumsTests.values, place: place))
        #expect(PermutationTest.passes(RunningSumsTests.values.map { -$0 }, place: place))
    }

    // By Student's test, 0.0054 and 0.0079.
    @Test(arguments: [5, 11]) func `a rise that more orders have does not pass`(place: Int) {
        #expect(!PermutationTest.passes(RunningSumsTests.values, place: place))
    }
}

@Suite(.timeLimit(.minutes(1))) struct DisturbedValuesTests {
    @Test func `an outlier is replaced by its neighbourhood, and a step stays`() {
        let values = [10, 11, 10, 90, 10, 11, 10, 11, 10, 11, 10, 11, 30, 31, 30, 31, 30, 31].map { Double($0) }
        var expected = values
        expected[3] = 10.5
        #expect(DisturbedValues.replaced(values) == expected)
    }

    @Test func `where neighbours are equal nothing is replaced`() {
        let values = Array(repeating: 5.0, count: 10) + [9] + Array(repeating: 5.0, count: 10)
        #expect(DisturbedValues.replaced(values) == values)
    }
}
