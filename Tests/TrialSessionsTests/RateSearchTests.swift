import Foundation
import Testing
import TrialModel

@testable import TrialSessions

/// The search itself, against simulated systems.
@Suite(.timeLimit(.minutes(1)))
struct RateSearchTests {
    /// Runs a search to its end.
    private func finished(
        start: Double, within range: ClosedRange<Double> = 1...10_000_000, precision: Double = 0.05,
        verdict: (Double) -> RateVerdict
    ) -> RateSearch {
        var search = RateSearch(start: start, within: range, precision: precision)
        while let rate = search.next { search.note(verdict(rate)) }
        return search
    }

    @Test(arguments: [1.3, 20, 999, 4_321, 77_777, 1_234_567, 9_900_000], [1, 50, 1_000, 3e5, 1e7])
    func `a limit is found from below within the precision, from any start`(limit: Double, start: Double) {
        let search = finished(start: start) { $0 <= limit ? .sustained : .missed }
        let found = search.sustained ?? 0
        #expect(found <= limit && found * 1.0501 >= limit, "\(found)")
        #expect(search.steps <= 14)
    }

    @Test(arguments: [0.01, 0.02, 0.5], [1.5, 333, 5e6])
    func `no search takes more steps than are allowed`(precision: Double, limit: Double) {
        for start in [1, 1e3, 1e7] {
            let search = finished(start: start, precision: precision) { $0 <= limit ? .sustained : .missed }
            #expect(search.steps < RateSearch.mostSteps)
            #expect((search.sustained ?? 0) * (1 + precision) * 1.0001 >= limit)
        }
    }

    @Test func `a start near the limit takes few steps`() {
        #expect(finished(start: 1000) { $0 <= 1400 ? .sustained : .missed }.steps <= 6)
    }

    @Test func `when nothing is sustained the search ends at the lowest rate`() {
        let search = finished(start: 50_000, within: 20...1_000_000) { _ in .missed }
        #expect(search.sustained == nil)
        #expect(search.refused == RateSearch.Refusal(rate: 20, verdict: .missed))
        #expect(search.steps < RateSearch.mostSteps)
    }

    @Test func `when everything is sustained the search ends at the highest rate`() {
        let search = finished(start: 50, within: 20...1_000_000) { _ in .sustained }
        #expect(search.sustained == 1_000_000)
        #expect(search.refused == nil)
    }

    @Test func `a limit of the harness above the highest sustained rate is remembered`() {
        let search = finished(start: 2_000_000) { $0 <= 300_000 ? .sustained : .harnessLimited }
        #expect(search.refused?.verdict == .harnessLimited)
        let found = search.sustained ?? 0
        #expect((285_000...300_000).contains(found))
    }

    @Test func `a missed objective below the limit of the harness is decisive`() {
        let search = finished(start: 2_000_000) {
            $0 <= 100_000 ? .sustained : $0 <= 300_000 ? .missed : .harnessLimited
        }
        #expect(search.refused?.verdict == .missed)
    }

    @Test(arguments: [Double.nan, .infinity, -5, 0, 1e300])
    func `an invalid start is moved into the range`(start: Double) throws {
        let first = try #require(RateSearch(start: start, within: 20...500, precision: 0.05).next)
        #expect((20...500).contains(first))
    }

    @Test func `rates have four digits`() {
        var search = RateSearch(start: 12_345.678, within: 1...1e7, precision: 0.05)
        #expect(search.next == 12_350)
        search.note(.missed)
        #expect(search.next == 6_175)
    }

    @Test func `verdicts after the end change nothing`() {
        var search = finished(start: 10, within: 1...10) { _ in .sustained }
        let steps = search.steps
        search.note(.missed)
        #expect(search.steps == steps && search.refused == nil)
    }

    @Test func `the highest rate of a simulated queue is found near the truth`() {
        // An M/M/1 queue that serves 1000 a second: 99 % of the response times are below ln(100) / (1000 - rate). Its
        // waiting times (Lindley's recursion) give a percentile of a few busy periods, as in a trial of five seconds.
        let limit = 0.05
        let truth = 1000 - log(100) / limit
        let seeds = 40
        let near = (0..<seeds).count { seed in
            var random = RandomSource(seed: UInt64(seed), stream: 2)
            let search = finished(start: 1000) { rate in
                var step = RateStep(repetitions: 3)
                while step.verdict == nil {
                    step.note(random.queueLateCount(rate: rate, limit: limit) <= 50 ? .sustained : .missed)
                }
                return step.verdict ?? .missed
            }
            return abs((search.sustained ?? 0) / truth - 1) <= 0.08
        }
        #expect(near * 100 >= seeds * 90, "\(near) of \(seeds)")
    }
}

extension RandomSource {
    fileprivate mutating func nextGap(rate: Double) -> Double { -log(1 - nextFraction()) / rate }

    /// How many of 5,000 arrivals at a queue that serves 1000 a second take longer than the limit.
    fileprivate mutating func queueLateCount(rate: Double, limit: Double) -> Int {
        var wait = 0.0
        var late = 0
        for _ in 0..<5_000 {
            let response = wait + nextGap(rate: 1000)
            if response > limit { late += 1 }
            wait = max(0, response - nextGap(rate: rate))
        }
        return late
    }
}
