import Testing
import TrialModel

@testable import TrialLoop

@Suite(.timeLimit(.minutes(2)), .serialized)
struct CalibrationTests {
    @Test func `a figure has the median, the lowest and the highest round`() {
        let samples = Calibration.Samples([5, 9, 7])
        #expect((samples.lowest, samples.median, samples.highest) == (5, 7, 9))
        #expect(Calibration.Samples([]).median.isNaN)
    }

    @Test func `every loop, key and driver has a figure from every round`() async throws {
        let calibration = await Calibration.measure(rounds: 3, loopNanoseconds: 1_000_000)
        let singles = calibration.loops.map(\.loop).filter { $0.clients == 1 && !$0.suspends }
        #expect(Set(singles.map { "\($0.keys) \($0.driver)" }).count == 6)
        #expect(calibration.loops.map(\.loop).count { $0.suspends } == 1)
        for (loop, samples) in calibration.loops {
            #expect(samples.values.count == 3 && samples.lowest > 0, "\(loop)")
            #expect(try #require(calibration.ratiosToFloor[loop]).lowest > 0)
        }
        #expect(calibration.floor.values.count == 3)
        #expect(calibration.twoClients.map(\.driver) == [.threads, .tasks])
        #expect(calibration.twoClients.allSatisfy { $0.multiple.values.count == 3 && $0.multiple.lowest > 0 })
        for lateness in calibration.lateness {
            let summary = try #require(lateness.summary)
            let figures = [summary.p50, summary.p99, summary.max].compactMap(\.self)
            #expect(figures.count == 3 && figures == figures.sorted())
        }
    }

    @Test func `at least one round is measured`() async {
        let calibration = await Calibration.measure(rounds: 0, loopNanoseconds: 1)
        #expect(calibration.floor.values.count == 1)
    }
}
