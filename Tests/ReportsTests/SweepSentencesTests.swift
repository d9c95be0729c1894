import Testing
import TrialModel

@testable import Reports

/// Crossings, knees, and numbers of clients without a gain.
@Suite(.timeLimit(.minutes(1)))
struct SweepSentencesTests {
    private func lines(_ results: [PhaseResult]..., exact: Set<String> = []) -> [String] {
        let all = Array(results.joined())
        let points = Set(all.map(\.trial.key.scenario))
        return SweptResults(all, exactPhases: Dictionary(uniqueKeysWithValues: points.map { ($0, exact) })).sweeps
            .flatMap(SweepSentences.lines)
    }

    /// Repetitions around a figure, each less than a tenth of it away.
    private func around(_ figure: Double, _ count: Int) -> [Double] {
        (0..<count).map { figure * (1 + 0.01 * Double($0)) }
    }

    private func found(in repetitions: Int) -> SweepCrossing? {
        SweepCrossing(
            SweepSamples.curve(
                "lru", [1: around(100, repetitions), 2: around(100, repetitions), 4: around(100, repetitions)]),
            SweepSamples.curve(
                "sieve", [1: around(50, repetitions), 2: around(101, repetitions), 4: around(200, repetitions)]),
            .throughput)
    }

    // MARK: Crossings

    @Test(arguments: [(4, true), (10, true), (3, true)])
    func `a crossing far beyond the noise is sure from three repetitions on`(repetitions: Int, isSure: Bool) throws {
        let crossing = try #require(found(in: repetitions))
        #expect(crossing.winner == "sieve" && crossing.loser == "lru")
        // At 2 clients neither is better.
        #expect(crossing.x == 4)
        #expect(crossing.certainty.isSure == isSure)
        #expect(crossing.certainty.text == "(\(isSure ? "" : "not ")sure: \(repetitions) repetitions)")
    }

    @Test func `times of two repetitions show no crossing`() {
        #expect(found(in: 2) == nil)
    }

    @Test func `curves that meet again do not cross`() {
        let flat = SweepSamples.curve("lru", [1: around(100, 5), 2: around(100, 5), 4: around(100, 5)])
        let there = SweepSamples.curve("sieve", [1: around(50, 5), 2: around(200, 5), 4: around(50, 5)])
        let close = SweepSamples.curve("sieve", [1: around(50, 5), 2: around(200, 5), 4: around(101, 5)])
        let above = SweepSamples.curve("sieve", [1: around(150, 5), 2: around(200, 5), 4: around(300, 5)])
        for other in [there, close, above] { #expect(SweepCrossing(flat, other, .throughput) == nil) }
    }

    @Test func `the lower p99 is the better one`() throws {
        let crossing = try #require(
            SweepCrossing(
                SweepSamples.curve("lru", [1: around(1_000, 4), 2: around(1_000, 4)]),
                SweepSamples.curve("sieve", [1: around(500, 4), 2: around(9_000, 4)]), .p99))
        #expect(crossing.winner == "lru" && crossing.x == 2)
    }

    @Test func `for exact counts one repetition is enough`() {
        #expect(
            lines(
                SweepSamples.overCapacity("lru", [10: 300, 20: 310]),
                SweepSamples.overCapacity("sieve", [10: 290, 20: 330]), exact: ["main"]) == [
                    "scaling: `sieve` passes `lru` in hit ratio from a capacity of 20 on (sure: exact counts)."
                ])
        // Otherwise a point or two may be chance.
        #expect(
            lines(
                SweepSamples.overCapacity("lru", [10: 300, 20: 310]),
                SweepSamples.overCapacity("sieve", [10: 290, 20: 330])
            ).isEmpty)
    }

    @Test func `a strategy as fast as the harness is below no other one`() {
        let fast = SweepSample(x: 1, around(200, 4))
        let limited = SweepSample(x: 1, around(100, 4), isAtLeast: true)
        guard let fast, let limited else { return }
        #expect(SweepOrder(fast, limited, .throughput) == nil)
    }

    @Test func `five crossings are listed and the others counted`() {
        let still = (1...7).flatMap {
            SweepSamples.overCapacity("s\($0)", [10: 300 + UInt64($0), 20: 300 + UInt64($0)])
        }
        let found = lines(still, SweepSamples.overCapacity("x", [10: 100, 20: 900]), exact: ["main"])
        #expect(found.count == 6)
        #expect(found.last == "scaling: 2 more crossings are less sure or smaller.")
        // The largest first: this loser falls behind farthest.
        #expect(found.first?.hasPrefix("scaling: `x` passes `s1` in hit ratio") == true)
    }

    @Test func `a strategy that failed and a bound are in no sentence`() {
        let crash = Samples.failure(Samples.key(SweepSamples.point([.capacity: 20]), "sieve", 2), .crashed, "x")
        let lru = SweepSamples.overCapacity("lru", [10: 300, 20: 310])
        #expect(lines(lru, SweepSamples.overCapacity("sieve", [10: 290, 20: 330]), [crash], exact: ["main"]).isEmpty)
        #expect(lines(lru, SweepSamples.overCapacity("unbounded", [10: 290, 20: 330]), exact: ["main"]).isEmpty)
    }

    // MARK: Clients

    @Test func `numbers of clients that gain no strategy five per cent are named once for all`() {
        let flat: [Double: [Double]] = [1: around(100, 4), 2: around(200, 4), 4: around(190, 4), 8: around(180, 4)]
        #expect(
            lines(SweepSamples.overClients("lru", flat), SweepSamples.overClients("sieve", flat)) == [
                "scaling: `lru` and `sieve` gain nothing beyond 2 clients (sure: 4 repetitions)."
            ])
    }

    @Test func `a gain in only some repetitions is not certain`() throws {
        let wide = SweepSamples.curve("lru", [1: around(100, 4), 2: [90, 95, 100, 150]])
        let saturation = try #require(Saturation(wide))
        #expect(saturation.x == 1 && !saturation.certainty.isSure)
        let one = try #require(Saturation(SweepSamples.curve("lru", [1: [100], 2: [90]])))
        #expect(one.certainty.text == "(not sure: 1 repetition)")
    }

    @Test func `a strategy that gains up to the last number, or up to the harness, has no such number`() {
        #expect(Saturation(SweepSamples.curve("lru", [1: [100], 2: [150], 4: [160]])) == nil)
        #expect(Saturation(SweepSamples.curve("lru", [1: [100], 2: [100]], isAtLeast: true)) == nil)
    }

    // MARK: Capacity

    @Test func `the knee of a known curve is where the paper's method finds it`() throws {
        // Figure 2 of the paper, as the Python package kneed draws it: ten points of 5 - 1 / (x + 0.1), knee at 0.22.
        let points = (0..<10).map { index in
            let x = Double(index) / 9
            return (x: x, y: 5 - 1 / (x + 0.1))
        }
        let knee = try #require(Knee(points))
        #expect(abs(knee.x - 2.0 / 9) < 1e-9)
        // Twice that value is itself a point.
        #expect(abs(try #require(knee.doublingGain) - (points[4].y - points[2].y)) < 1e-9)
    }

    @Test func `a line has no knee, and a logarithm has none over a wide range`() {
        #expect(Knee([(1, 0.1), (2, 0.2), (3, 0.3), (4, 0.4)]) == nil)
        #expect(Knee([(1, 0.1), (4, 0.3), (16, 0.5), (64, 0.7)]) == nil)
        #expect(Knee([(1, 0.5), (2, 0.5), (3, 0.5), (4, 0.5)]) == nil)
        #expect(Knee([(1, 0.5), (2, 0.9), (3, 0.91)]) == nil)
        #expect(Knee([]) == nil)
    }

    @Test func `a knee whose double is out of range says what the last value gains`() throws {
        let knee = try #require(Knee([(1, 0.1), (2, 0.3), (3, 0.8), (4, 0.85)]))
        #expect(knee.x == 3 && knee.doublingGain == nil)
        #expect(abs(knee.lastGain - 0.05) < 1e-9)
    }

    @Test func `knees at the same capacity are reported together, with the gain of twice that`() {
        #expect(
            lines(
                SweepSamples.overCapacity("lru", [10: 100, 20: 600, 40: 650, 80: 700]),
                SweepSamples.overCapacity("arc", [10: 110, 20: 640, 40: 680, 80: 720]), exact: ["main"]) == [
                    "scaling: the hit ratio of `arc` and `lru` has its knee at a capacity of 20, with 60.0%–64.0%: "
                        + "twice that brings 4.0–5.0 points more (exact counts)."
                ])
    }

    @Test func `a curve without a knee says what each doubling gains`() {
        #expect(
            lines(SweepSamples.overCapacity("lru", [10: 100, 40: 300, 160: 500, 640: 680])) == [
                "scaling: the hit ratio of `lru` has no clear knee: twice the capacity brings 9.0–10.0 points."
            ])
    }
}
