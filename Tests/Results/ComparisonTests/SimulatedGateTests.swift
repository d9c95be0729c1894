import Statistics
import TestTiers
import Testing
import TrialModel

@testable import Comparison

/// The gate has few false alarms and misses few slowdowns, over thousands of simulated comparisons.
@Suite(.timeLimit(.minutes(15))) struct SimulatedGateTests {
    private static let metrics: [Metric] = [.throughput, .p50, .p99]
    private static let runs = TestTier.isNightly ? 40 : 4

    /// The verdicts of many runs of ten strategies, each with three figures, with the usual correction.
    private func verdicts(
        _ kind: Noise.Kind, _ deviation: Double, repetitions: Int = 10, runs: Int = Self.runs, slowdown: Double = 1,
        slow: Int = 0, isPaired: Bool = false, correction: Correction = .holm
    ) -> (slow: [ComparisonVerdict], others: [ComparisonVerdict]) {
        var settings = ComparisonSettings()
        settings.isPaired = isPaired
        settings.correction = correction
        var result: (slow: [ComparisonVerdict], others: [ComparisonVerdict]) = ([], [])
        for run in 1...runs {
            var noise = Noise(kind, deviation, seed: UInt64(run))
            let pairs = (0..<10).flatMap { strategy in
                Self.metrics.map { metric in
                    noise.pair(
                        metric, "strategy-\(strategy)", repetitions: repetitions,
                        slowdown: strategy < slow ? slowdown : 1)
                }
            }
            let rows = Judgement(settings).rows(pairs)
            // A tenth is no more than p99 may differ.
            result.slow += rows.prefix(3 * slow).filter { $0.metric != "p99" }.map(\.verdict)
            result.others += rows.dropFirst(3 * slow).map(\.verdict)
        }
        return result
    }

    private func share(_ verdict: ComparisonVerdict, _ verdicts: [ComparisonVerdict]) -> Double {
        Double(verdicts.count { $0 == verdict }) / Double(max(verdicts.count, 1))
    }

    @Test(arguments: Noise.Kind.allCases, [0.015, 0.05, 0.3])
    func `of a build against itself at most 2 % is worse`(kind: Noise.Kind, deviation: Double) {
        for repetitions in [5, 10] {
            for (isPaired, correction) in [(false, Correction.holm), (true, .benjaminiHochberg)] {
                let seen = verdicts(
                    kind, deviation, repetitions: repetitions, isPaired: isPaired, correction: correction)
                #expect(seen.others.count == 30 * Self.runs)
                #expect(share(.worse, seen.others) <= 0.02, "\(repetitions), \(isPaired)")
            }
        }
    }

    @Test(arguments: [Noise.Kind.lognormal, .heavyTails, .disturbed, .twoStates, .drift])
    func `a whole comparison of a build with itself hardly ever has a figure that is worse`(kind: Noise.Kind) {
        for deviation in [0.015, 0.3] {
            var alarms = 0
            let seeds = TestTier.seeds(200)
            for seed in seeds {
                var noise = Noise(kind, deviation, seed: seed)
                let pairs = (0..<30).map { noise.pair(.p50, "strategy-\($0)", repetitions: 10) }
                if Judgement(ComparisonSettings()).rows(pairs).contains(where: { $0.verdict == .worse }) {
                    alarms += 1
                }
            }
            #expect(alarms * 20 <= seeds.count)
        }
    }

    @Test func `a slowdown of 10 % is worse in at least 95 % on a quiet machine`() {
        let seen = verdicts(.lognormal, 0.015, runs: 100, slowdown: 1.1, slow: 1)
        #expect(seen.slow.count == 200)
        #expect(share(.worse, seen.slow) >= 0.95)
        #expect(share(.worse, seen.others) <= 0.02)
    }

    @Test func `a slowdown of 10 % is worse on a machine that is sometimes disturbed`() {
        #expect(share(.worse, verdicts(.disturbed, 0.01, slowdown: 1.1, slow: 1).slow) >= 0.6)
    }

    @Test func `pairs detect a slowdown of 10 % through a drift`() {
        let seen = verdicts(.drift, 0.01, repetitions: 12, slowdown: 1.1, slow: 1, isPaired: true)
        #expect(share(.worse, seen.slow) >= 0.95)
        #expect(share(.worse, seen.others) <= 0.02)
    }

    @Test(arguments: Noise.Kind.allCases)
    func `on a noisy machine a slowdown of 10 % is never the same`(kind: Noise.Kind) {
        for repetitions in [3, 5, 10] {
            for isPaired in [false, true] {
                let seen = verdicts(
                    kind, 0.3, repetitions: repetitions, slowdown: 1.1, slow: 10, isPaired: isPaired)
                #expect(!seen.slow.contains(.same), "\(repetitions)")
            }
        }
        #expect(share(.inconclusive, verdicts(kind, 0.3, slowdown: 1.1, slow: 10).slow) >= 0.95)
    }

    @Test func `on a quiet machine a build is the same as itself`() {
        #expect(share(.same, verdicts(.lognormal, 0.01).others) >= 0.95)
    }

    @Test(arguments: [0.05, 0.1, 0.3])
    func `a machine that is slower in one of two runs is not blamed on a strategy`(offset: Double) {
        var settings = ComparisonSettings()
        settings.bounds = ["strategy-0"]
        var verdicts: [ComparisonVerdict] = []
        for run in 1...60 {
            var noise = Noise(.lognormal, 0.015, seed: UInt64(run))
            var machine = Noise(.lognormal, offset, seed: UInt64(run) + 1_000)
            let slowdown = machine.factor()
            let pairs = (0..<10).map {
                noise.pair(.throughput, "strategy-\($0)", repetitions: 10, slowdown: slowdown)
            }
            verdicts += Judgement(settings).rows(pairs).dropFirst().map(\.verdict)
        }
        #expect(share(.worse, verdicts) <= 0.02)
    }
}

/// How often a whole table has a false verdict: strategies with equal figures, or with figures that differ by the smallest
/// difference.
@Suite(.timeLimit(.minutes(15))) struct SimulatedTableTests {
    /// What a table compares.
    enum Mode: CaseIterable {
        /// Two result folders.
        case folders
        /// The strategies of one folder with a baseline of it.
        case within
    }

    /// How many tables have at least one false verdict of a kind.
    private struct Count {
        var worse = 0
        var better = 0
        var same = 0
    }

    private static let sizes = [2, 5, 10, 25]
    private static let repetitions = 8

    /// - Parameter slowdown: of every strategy but the baseline.
    private func pairs(_ mode: Mode, _ kind: Noise.Kind, of strategies: Int, slowdown: Double, seed: UInt64)
        -> [SamplePair]
    {
        var noise = Noise(kind, 0.02, seed: seed)
        let all = (1...strategies).map {
            noise.pair(.p50, "strategy-\($0)", repetitions: Self.repetitions, slowdown: slowdown)
        }
        guard mode == .within, let baseline = all.first else { return all }
        return all.dropFirst().map { pair in pair.with { $0.baseline = baseline.baseline } }
    }

    private func count(_ mode: Mode, _ kind: Noise.Kind, of strategies: Int, slowdown: Double, tables: Int) -> Count {
        var settings = ComparisonSettings()
        if mode == .within { (settings.isPaired, settings.correction) = (true, .benjaminiHochberg) }
        // The smallest difference is the true one, where a false verdict is likeliest.
        settings.smallestDifferences[.p50] = SmallestDifference(share: slowdown - 1)
        var count = Count()
        for seed in 1...UInt64(tables) {
            let rows = Judgement(settings).rows(
                pairs(mode, kind, of: strategies, slowdown: slowdown, seed: seed))
            count.worse += rows.contains { $0.verdict == .worse } ? 1 : 0
            count.better += rows.contains { $0.verdict == .better } ? 1 : 0
            count.same += rows.contains { $0.verdict == .same } ? 1 : 0
        }
        return count
    }

    private func check(_ mode: Mode, _ kind: Noise.Kind, of strategies: Int, tables: Int) {
        let equal = count(mode, kind, of: strategies, slowdown: 1, tables: tables)
        // Equal figures, without a smallest difference.
        #expect(equal.worse * 20 <= tables && equal.better * 20 <= tables, "\(equal)")
        let different = count(mode, kind, of: strategies, slowdown: 1.05, tables: tables)
        #expect(different.same * 20 <= tables && different.better * 20 <= tables, "\(different)")
    }

    @Test(arguments: Mode.allCases, sizes)
    func `at most one table of twenty has a false verdict of a kind`(mode: Mode, strategies: Int) {
        check(mode, .lognormal, of: strategies, tables: 200)
    }

    @Test(.nightly, arguments: Mode.allCases, sizes)
    func `of 2,000 tables at most one of twenty has a false verdict of a kind`(mode: Mode, strategies: Int) {
        for kind in [Noise.Kind.lognormal, .twoStates] {
            check(mode, kind, of: strategies, tables: 2_000)
        }
    }

    @Test(arguments: [10, 25])
    func `where half of the strategies differ, a twentieth of a table's verdicts are false on average`(strategies: Int)
    {
        var settings = ComparisonSettings()
        (settings.isPaired, settings.correction) = (true, .benjaminiHochberg)
        settings.smallestDifferences[.p50] = SmallestDifference()
        let seeds = TestTier.seeds(2_000)
        var share = 0.0
        for seed in seeds {
            let equal = pairs(.within, .lognormal, of: strategies, slowdown: 1, seed: seed)
            let mixed = equal.enumerated().map { index, pair in
                index.isMultiple(of: 2) ? pair : pair.with { $0.candidate = $0.candidate.mapValues { $0 * 1.3 } }
            }
            let verdicts = Judgement(settings).rows(mixed).map(\.verdict)
            let wrong = stride(from: 0, to: verdicts.count, by: 2).count { verdicts[$0] != .inconclusive }
            share += Double(wrong) / Double(max(1, verdicts.count { $0 != .inconclusive }))
        }
        #expect(share <= 0.05 * Double(seeds.count), "\(share)")
    }
}
