import Foundation
import Testing
import TrialModel

@testable import WorkloadGeneration

/// Schedules are numbers: no test here waits.
@Suite(.timeLimit(.minutes(1)))
struct ArrivalScheduleTests {
    private static func due(
        _ rate: ArrivalRate, _ spacing: ArrivalSpacing = .even, until end: UInt64, seed: UInt64 = 1
    ) -> [UInt64] {
        var schedule = ArrivalSchedule(rate, spacing, random: RandomSource(seed: seed, stream: 1))
        var times: [UInt64] = []
        while true {
            let time = schedule.next()
            if time >= end { return times }
            times.append(time)
        }
    }

    private static let second: UInt64 = 1_000_000_000

    @Test(arguments: [0.5, 1, 3, 1000, 12_345.678, 1_000_000])
    func `a constant rate has the expected number of arrivals, evenly spaced`(rate: Double) throws {
        // A million operations show it as well as ten.
        let seconds: UInt64 = rate > 100_000 ? 1 : 10
        let times = Self.due(.constant(rate), until: seconds * Self.second)
        #expect(times.count == Int((rate * Double(seconds)).rounded(.up)))
        let errors = times.enumerated().map { abs(Double($1) - Double($0) / rate * 1e9) }
        #expect(try #require(errors.max()) <= 2)
    }

    @Test func `a Poisson process has the mean and the spread of exponential gaps`() {
        let times = Self.due(.constant(1000), .poisson, until: 1000 * Self.second)
        let gaps = zip(times, times.dropFirst()).map { Double($1 - $0) / 1e6 }
        let mean = gaps.reduce(0, +) / Double(gaps.count)
        let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(gaps.count)
        // A million gaps: the mean is off by a thousandth.
        #expect(abs(mean - 1) < 0.005)
        #expect(abs(variance - 1) < 0.01)
        // An exponential distribution exceeds its mean with probability 1/e.
        let long = Double(gaps.count { $0 > 1 }) / Double(gaps.count)
        #expect(abs(long - 1 / M_E) < 0.003)
    }

    @Test func `the seed decides a Poisson process`() {
        let end = 10 * Self.second
        #expect(
            Self.due(.constant(10), .poisson, until: end, seed: 1)
                == Self.due(.constant(10), .poisson, until: end, seed: 1))
        #expect(
            Self.due(.constant(10), .poisson, until: end, seed: 1)
                != Self.due(.constant(10), .poisson, until: end, seed: 2))
    }

    @Test func `a ramp has the area below it, and then keeps its last rate`() {
        let rate = ArrivalRate(pieces: [.init(nanoseconds: 10 * Self.second, first: 100, last: 900)], repeats: false)
        let times = Self.due(rate, until: 20 * Self.second)
        func count(_ from: UInt64, _ to: UInt64) -> Int { times.count { from * Self.second..<to * Self.second ~= $0 } }
        #expect((4999...5001).contains(count(0, 10)))
        // In the first second from 100 to 180, in the last from 820 to 900.
        #expect((139...141).contains(count(0, 1)))
        #expect((859...861).contains(count(9, 10)))
        #expect((8999...9001).contains(count(10, 20)))
    }

    @Test func `a falling ramp ends where it says`() {
        let rate = ArrivalRate(pieces: [.init(nanoseconds: 10 * Self.second, first: 900, last: 100)], repeats: false)
        let times = Self.due(rate, until: 11 * Self.second)
        #expect((5099...5101).contains(times.count))
        #expect(times == times.sorted())
    }

    @Test func `steps follow each other`() {
        let rate = ArrivalRate(
            pieces: [
                .init(nanoseconds: Self.second, first: 10, last: 10),
                .init(nanoseconds: 2 * Self.second, first: 1000, last: 1000),
                .init(nanoseconds: Self.second, first: 1, last: 1),
            ], repeats: false)
        let times = Self.due(rate, until: 10 * Self.second)
        #expect(times.count { $0 < Self.second } == 10)
        #expect(times.count { Self.second..<3 * Self.second ~= $0 } == 2000)
        #expect(times.count { $0 >= 3 * Self.second } == 7)
    }

    @Test func `spikes repeat`() {
        let rate = ArrivalRate(
            pieces: [
                .init(nanoseconds: 900_000_000, first: 10, last: 10),
                .init(nanoseconds: 100_000_000, first: 5000, last: 5000),
            ], repeats: true)
        let times = Self.due(rate, until: 5 * Self.second)
        for round in 0..<5 {
            let start = UInt64(round) * Self.second
            let peak = times.count { (start + 900_000_000)..<(start + Self.second) ~= $0 }
            #expect((499...501).contains(peak))
        }
    }

    @Test func `a schedule far beyond any phase ends at the largest number`() {
        var walk = RateWalk(.constant(0.01))
        walk.advance(by: 1e18)
        #expect(walk.time > 1 << 61)
        var slow = RateWalk(
            ArrivalRate(pieces: [.init(nanoseconds: .max - 5, first: 1, last: 1)], repeats: true))
        slow.advance(by: 3e10)
        #expect(slow.time == .max)
        slow.advance(by: 1)
        #expect(slow.time == .max)
    }

    @Test func `requests of one moment are spread up to the next`() {
        #expect(TraceTimes.spread([0, 0, 0, 0, 8, 8, 12]) == [0, 2, 4, 6, 8, 10, 12])
        // The last moment is as long as the one before, and time never goes back.
        #expect(TraceTimes.spread([0, 10, 10]) == [0, 10, 15])
        #expect(TraceTimes.spread([5, 3, 9]) == [5, 7, 9])
        #expect(TraceTimes.spread([7, 7]) == [7, 7])
        #expect(TraceTimes.spread([]) == [])
    }
}
