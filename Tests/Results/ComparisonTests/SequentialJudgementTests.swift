import Foundation
import Reports
import Statistics
import TestTiers
import Testing
import TrialModel

@testable import Comparison

/// Comparisons that continue until they are decided.
@Suite(.timeLimit(.minutes(5))) struct SequentialJudgementTests {
    /// The differences of rounds, drawn from a seed, in logarithms.
    private struct Rounds {
        /// The standard deviation of most of them.
        static let deviation = 0.01

        /// Whether one round in twenty has ten times the scatter.
        let hasOutliers: Bool
        private var noise: Noise
        private var random: RandomSource

        init(hasOutliers: Bool, seed: UInt64) {
            self.hasOutliers = hasOutliers
            noise = Noise(.lognormal, 1, seed: seed)
            random = RandomSource(seed: seed, stream: 2)
        }

        mutating func next() -> Double {
            let isOutlier = hasOutliers && random.nextFraction() < 0.05
            return Self.deviation * (isOutlier ? 10 : 1) * log(noise.factor())
        }
    }

    /// Looks as often as a live comparison does, up to 60 rounds.
    private func verdict(_ seed: UInt64, shift: Double, hasOutliers: Bool) throws -> ComparisonVerdict {
        var rounds = Rounds(hasOutliers: hasOutliers, seed: seed)
        var pair = Made.pair(.throughput, [], [])
        for round in 1...60 {
            pair.baseline[round] = 50_000
            pair.candidate[round] = 50_000 * exp(shift + rounds.next())
            guard ErrorSpending.look(after: round) != nil else { continue }
            let row = try #require(Judgement(.live).rows([pair]).first)
            if row.verdict != .inconclusive { return row.verdict }
        }
        return .inconclusive
    }

    private func verdicts(
        count: Int, shift: Double, hasOutliers: Bool
    ) throws -> [ComparisonVerdict: [UInt64]] {
        var seeds: [ComparisonVerdict: [UInt64]] = [:]
        for seed in 1...UInt64(count) {
            let found = try verdict(seed, shift: shift, hasOutliers: hasOutliers)
            seeds[found, default: []].append(seed)
        }
        return seeds
    }

    @Test(arguments: [(false, 2_000), (true, 100)])
    func `a build is hardly ever worse or better than itself, and the same in the end`(
        hasOutliers: Bool, count: Int
    ) throws {
        let seeds = try verdicts(count: count, shift: 0, hasOutliers: hasOutliers)
        let wrong = seeds[.worse, default: []] + seeds[.better, default: []]
        #expect(wrong.count * 100 <= count, "seeds \(wrong)")
        #expect(seeds[.same, default: []].count * 10 >= count * 8)
    }

    @Test(arguments: [(false, 500), (true, 100)])
    func `a throughput that falls by a tenth is worse`(hasOutliers: Bool, count: Int) throws {
        let seeds = try verdicts(count: count, shift: -0.1, hasOutliers: hasOutliers)
        #expect(seeds[.worse, default: []].count * 100 >= count * 98, "\(seeds.filter { $0.key != .worse })")
        #expect(seeds[.better] == nil && seeds[.same] == nil)
    }

    /// `same` has the whole error: at the edge of what counts as the same it is false in one case of twenty.
    @Test(.nightly) func `a throughput that differs by the smallest difference is hardly ever the same`() throws {
        let seeds = try verdicts(count: 150, shift: log(1 - 0.02), hasOutliers: false)
        #expect(seeds[.same, default: []].count * 100 <= 150 * 6, "\(seeds[.same, default: []].count)")
        #expect(seeds[.better] == nil)
    }

    @Test func `other figures do not delay what is the same`() throws {
        let pairs = (0..<30).map { pair([0.006, -0.006, 0.002], rounds: 10, strategy: "s\($0)") }
        #expect(try row([pairs[0]]).verdict == .same)
        #expect(Judgement(.live).rows(pairs).allSatisfy { $0.verdict == .same })
    }

    /// Rounds with periodic differences.
    private func pair(
        _ differences: [Double], rounds: Int, strategy: String = "lru", metric: Metric = .throughput
    ) -> SamplePair {
        let ratios = (0..<rounds).map { exp(differences[$0 % differences.count]) }
        return Made.pair(
            metric, ratios.map { _ in 50_000 }, ratios.map { 50_000 * $0 }, strategy: strategy)
    }

    private func row(_ pairs: [SamplePair], secondsPerRound: Double? = nil) throws -> ComparisonRow {
        var settings = ComparisonSettings.live
        settings.secondsPerRound = secondsPerRound
        return try #require(Judgement(settings).rows(pairs).first)
    }

    private static let wide = [0.05, -0.05, 0.03, -0.04, 0.01]

    @Test func `a figure's verdict does not change when others have more rounds`() throws {
        let figure = pair([-0.1, -0.09, -0.11], rounds: 8)
        let other = Self.wide
        for rounds in [5, 8, 9, 40] {
            let others = ["actor", "disk"].map { pair(other, rounds: rounds, strategy: $0) }
            let first = try row([figure] + ["actor", "disk"].map { pair(other, rounds: 8, strategy: $0) })
            #expect(first.verdict == .worse)
            #expect(try row([figure] + others) == first)
        }
    }

    @Test func `more figures at once need a wider interval of each`() throws {
        let figure = pair([-0.1, -0.09, -0.11], rounds: 8)
        let alone = try row([figure])
        let together = try row([figure] + (0..<9).map { pair(Self.wide, rounds: 8, strategy: "s\($0)") })
        #expect(try #require(together.confidence) > #require(alone.confidence))
        #expect(try #require(together.ratioLow) < #require(alone.ratioLow))
    }

    @Test(arguments: [1, 2, 4]) func `below five rounds there is no verdict, and the row says so`(rounds: Int) throws {
        let row = try row([pair([-0.5, -0.501], rounds: rounds)])
        #expect(row.verdict == .inconclusive)
        #expect(row.reason == "\(rounds) paired blocks; 5 are the fewest")
    }

    @Test func `a row that is not decided says how many more rounds would decide it`() throws {
        let row = try row([pair(Self.wide, rounds: 5)])
        #expect(row.verdict == .inconclusive)
        let match = try #require(row.reason.wholeMatch(of: /about (\d+) more paired blocks would decide it/))
        let more = try #require(Int(match.1))
        #expect(more > 5)
        // The differences repeat every five rounds, and add up to zero in them. Half as many again, because looks are
        // rare.
        #expect(try self.row([pair(Self.wide, rounds: (5 + more) * 3 / 2 / 5 * 5)]).verdict == .same)
        let seconds = Int((2.5 * Double(more)).rounded(.up))
        #expect(
            try self.row([pair(Self.wide, rounds: 5)], secondsPerRound: 2.5).reason
                == "about \(more) more paired blocks (\(seconds) s) would decide it")
    }

    @Test func `a figure that no practical time would decide is named as such`() throws {
        let margin = log1p(0.02)
        let row = try row([pair([margin + 0.05, margin - 0.0501], rounds: 6)])
        #expect(row.verdict == .inconclusive)
        #expect(row.reason.contains("for a verdict in reasonable time"))
    }

    @Test func `slices of a round take precedence over its whole`() throws {
        var figure = pair([0], rounds: 8)
        for round in 1...8 { figure.sliceDifferences[round] = round.isMultiple(of: 2) ? -0.1 : -0.11 }
        figure.sliceCount = 80
        let row = try row([figure])
        #expect(row.verdict == .worse)
        #expect(row.sampledIn == .slices && row.slices == 80)
        #expect(try abs(#require(row.ratio) - exp(-0.106)) < 1e-9)
    }

    @Test func `throughput that is lost only in whole rounds is worse`() throws {
        var figure = pair([-0.1, -0.11], rounds: 8)
        for round in 1...8 { figure.sliceDifferences[round] = round.isMultiple(of: 2) ? 0.001 : -0.001 }
        figure.sliceCount = 80
        let row = try row([figure])
        #expect(row.verdict == .worse)
        #expect(row.reason == "by whole blocks")
    }

    /// Five rounds that lose 6 % as a whole, with slices that change by `slices`, and by 0.1 % more or less.
    private func losing(slices: Double) -> SamplePair {
        var figure = pair([-0.1, -0.02, -0.06, -0.11, -0.01], rounds: 5)
        for round in 1...5 { figure.sliceDifferences[round] = slices + (round.isMultiple(of: 2) ? 0.001 : -0.001) }
        figure.sliceCount = 50
        return figure
    }

    @Test(arguments: [0, 0.03]) func `slices are not the same or better when whole rounds lose throughput`(
        slices: Double
    ) throws {
        let row = try row([losing(slices: slices)])
        #expect(row.verdict == .inconclusive)
        #expect(
            row.reason.contains(
                /^whole blocks may be worse than their slices; about \d+ more paired blocks would decide it$/),
            "\(row.reason)")
        var settings = ComparisonSettings()
        settings.isPaired = true
        settings.smallestDifferences[.throughput] = SmallestDifference(share: 0.02)
        let once = try #require(Judgement(settings).rows([losing(slices: slices)]).first)
        #expect(once.verdict == .inconclusive)
        #expect(once.reason == "whole blocks may be worse than their slices")
    }

    @Test func `throughput that whole rounds lose is hardly ever the same, and a build is the same as itself`() throws {
        func share(_ verdict: ComparisonVerdict, loss: Double) throws -> Double {
            var found = 0
            for seed in 1...100 as ClosedRange<UInt64> {
                var rounds = Rounds(hasOutliers: false, seed: seed)
                var figure = pair([0], rounds: 0)
                figure.sliceCount = 500
                for round in 1...40 {
                    figure.baseline[round] = 50_000
                    figure.candidate[round] = 50_000 * exp(3 * rounds.next() - loss)
                    figure.sliceDifferences[round] = rounds.next() / 4
                }
                found += try row([figure]).verdict == verdict ? 1 : 0
            }
            return Double(found) / 100
        }
        #expect(try share(.same, loss: 0.03) <= 0.06)
        #expect(try share(.same, loss: 0) >= 0.9)
    }

    @Test func `slices and whole rounds that agree are better or the same`() throws {
        for (change, verdict) in [(0.03, ComparisonVerdict.better), (0, .same)] {
            var figure = losing(slices: change)
            for round in 1...5 { figure.candidate[round] = 50_000 * exp(change + (round == 3 ? 0.003 : 0.001)) }
            #expect(try row([figure]).verdict == verdict)
        }
    }

    @Test func `rounds without slices are compared as a whole`() throws {
        let row = try row([pair([-0.1, -0.11], rounds: 8)])
        #expect(row.verdict == .worse)
        #expect(row.sampledIn == .repetitions && row.slices == 0)
    }
}
