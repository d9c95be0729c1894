import Foundation
import TestTiers
import Testing
import TrialModel

@testable import Comparison

/// `history show` finds steps soon and at their place, with few false positives.
///
/// `scripts/nightly` measures 2,000 histories of each kind and prints what it sees.
@Suite(.timeLimit(.minutes(30))) struct SimulatedHistoryTests {
    private static let histories = TestTier.isNightly ? 2_000 : 40

    /// The changes of one history: noise of 2 %, and a step before its newest commits.
    private func places(_ seed: Int, commits: Int, newest: Int, step: Double, disturbed: Double) -> [Int] {
        var noise = Noise(.lognormal, 0.02, seed: UInt64(seed))
        var random = RandomSource(seed: UInt64(seed), stream: 2)
        let values = (0..<commits).map { index in
            let level = index < commits - newest ? 1_000 : 1_000 * step
            return level * noise.factor() * (random.nextFraction() < disturbed ? 2 : 1)
        }
        return ChangePoints(values, smallest: Metric.throughput.smallestChange).points.map(\.index)
    }

    /// The share of histories in which a step up, or down, is found at most five commits off.
    ///
    /// - Parameter step: the size of the step up and of the step down.
    private func shareFound(commits: Int = 60, newest: Int, step: Double, disturbed: Double = 0) -> Double {
        let shares = [1 + step, 1 - step].map { step in
            let found = (1...Self.histories).count { seed in
                places(seed, commits: commits, newest: newest, step: step, disturbed: disturbed)
                    .contains { abs($0 - (commits - newest)) <= 5 }
            }
            let share = Double(found) / Double(Self.histories)
            if TestTier.isNightly {
                print("step \(step), \(newest) of \(commits) commits behind it, disturbed \(disturbed): \(share)")
            }
            return share
        }
        return shares.reduce(0, +) / 2
    }

    private func falsePoints(commits: Int, disturbed: Double = 0) -> Double {
        let found = (1...Self.histories).reduce(0) { sum, seed in
            sum + places(seed, commits: commits, newest: 0, step: 1, disturbed: disturbed).count
        }
        let each = Double(found) / Double(Self.histories)
        if TestTier.isNightly {
            print("no step, \(commits) commits, disturbed \(disturbed): \(each) false points each")
        }
        return each
    }

    @Test func `a step of 5 % is found in at least 95 of 100, five commits behind it`() {
        #expect(shareFound(newest: 5, step: 0.05) >= 0.95)
    }

    @Test(arguments: [60, 76]) func `a step of 3 % is located in at least 90 of 100, sixteen commits behind it`(
        commits: Int
    ) {
        #expect(shareFound(commits: commits, newest: 16, step: 0.03) >= 0.9)
    }

    @Test func `histories without a step have at most one false point in twenty`() {
        #expect(falsePoints(commits: 60) <= 0.05)
    }

    @Test func `longer histories have hardly more false points per commit`() {
        #expect(falsePoints(commits: 300) <= 0.25)
    }

    /// Times of a clock that ticks every 42 ns, with noise of a third of a tick around a time.
    private func ticked(_ seed: Int, commits: Int) -> [Double] {
        var noise = Noise(.lognormal, 0.15, seed: UInt64(seed))
        let time = 70 + Double(seed % 100)
        return (0..<commits).map { _ in (time * noise.factor() / 41.667).rounded() * 41.667 }
    }

    private func fails(_ values: [Double]) -> Bool {
        let rows = values.enumerated().map { HistorySamples.row($0.offset, $0.element) }
        return HistoryReport(rows).gates(failing: [.worse], exempt: []).contains { !$0.passed }
    }

    @Test func `a year of times on a coarse clock has at most one false point in twenty`() {
        let count = TestTier.isNightly ? 3_000 : 60
        let histories = (1...count).map { ticked($0, commits: 250) }
        let points = histories.reduce(0) { sum, values in
            sum + ChangePoints(values, smallest: Metric.p50.smallestChange, tick: ClockTick.of(values)).points.count
        }
        let failed = histories.count(where: fails)
        if TestTier.isNightly { print("ticks: \(points) false points, \(failed) failed gates in \(count) years") }
        #expect(Double(points) <= 0.05 * Double(count))
        #expect(Double(failed) <= 0.05 * Double(count))
    }

    // One evaluation errs in at most one of twenty, and a year has many. Results/README.md states the rate.
    @Test(.nightly) func `a gate at each of 1,000 pushes fails in a known share of the years`() {
        let years = 40
        let failed = (1...years).count { seed in
            var noise = Noise(.lognormal, 0.02, seed: UInt64(seed))
            let values = (0..<1_060).map { _ in 1_000 * noise.factor() }
            return (60..<1_060).contains { end in fails(Array(values[max(0, end - 200)..<end])) }
        }
        print("a gate at each of 1,000 pushes: \(failed) of \(years) years with a false failure")
        #expect((24...36).contains(failed))
    }

    // One value in twenty is doubled.
    @Test func `disturbed commits cost little`() {
        #expect(shareFound(newest: 5, step: 0.05, disturbed: 0.05) >= 0.9)
        #expect(shareFound(newest: 16, step: 0.03, disturbed: 0.05) >= 0.85)
        #expect(falsePoints(commits: 60, disturbed: 0.05) <= 0.1)
    }
}
