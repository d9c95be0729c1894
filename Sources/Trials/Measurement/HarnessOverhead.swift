import Platform
import TrialModel

/// The cost of measuring itself on this machine, so that a reader can subtract it.
package struct HarnessOverhead: Equatable, Sendable {
    /// One reading of the clock, in nanoseconds. A timed operation contains about one reading.
    package var clockReadNanoseconds: Double
    /// Recording one latency, in nanoseconds. It is not part of the recorded time.
    package var recordNanoseconds: Double

    /// Measures both costs in about 50 ms. Takes the fastest of several short rounds, because it is the least disturbed.
    package static func measure() -> HarnessOverhead {
        let rounds = (0..<20).map { _ in BasicCosts.round(nanoseconds: 500_000) }
        return HarnessOverhead(
            clockReadNanoseconds: rounds.map(\.clockRead).min() ?? 0,
            recordNanoseconds: rounds.map(\.record).min() ?? 0)
    }
}

/// The costs of the parts of a timed operation on this machine, in nanoseconds, measured on the calling thread.
package struct BasicCosts: Hashable, Sendable {
    /// The loop around the other measurements: a count and a random number.
    package var emptyLoop: Double
    /// One reading of the clock.
    package var clockRead: Double
    /// Recording one latency in a histogram.
    package var record: Double
    /// Two readings of the clock and recording the time between them: the lower bound of a timed operation.
    package var floor: Double
    /// The computed result, which keeps the optimiser from removing the work.
    package var checksum: UInt64

    /// Measures each cost once. Takes about four times `nanoseconds`.
    ///
    /// - Parameter nanoseconds: the approximate time for each measurement.
    package static func round(nanoseconds: UInt64) -> BasicCosts {
        var histogram = LatencyHistogram()
        var last: UInt64 = 88_172_645_463_325_252
        let empty = average(nanoseconds) { last = scrambled(last) }
        let clock = average(nanoseconds) { last = last &+ Nanoclock.now() }
        let record = average(nanoseconds) {
            last = scrambled(last)
            histogram.record(100 &+ last &>> 54)
        }
        let floor = average(nanoseconds) {
            let start = Nanoclock.now()
            histogram.record(Nanoclock.now() &- start)
        }
        return BasicCosts(
            emptyLoop: empty, clockRead: clock, record: record, floor: floor, checksum: last &+ histogram.count)
    }

    /// Keeps a core busy without memory access, about 2 ns per step; returns the computed result.
    package static func spin(steps: Int) -> UInt64 {
        var last: UInt64 = 88_172_645_463_325_252
        for _ in 0..<steps { last = scrambled(last) }
        return last
    }

    /// The next pseudo-random number (Marsaglia's xorshift), so that latencies and their buckets vary. Unlike
    /// multiplications, consecutive steps cannot overlap.
    @inline(__always)
    private static func scrambled(_ number: UInt64) -> UInt64 {
        var next = number ^ number << 13
        next ^= next >> 7
        return next ^ next << 17
    }

    /// Nanoseconds per execution, measured in blocks of 1,000 until the time is over.
    @inline(__always)
    private static func average(_ nanoseconds: UInt64, _ body: () -> Void) -> Double {
        let start = Nanoclock.now()
        var blocks: UInt64 = 0
        var elapsed: UInt64 = 0
        repeat {
            for _ in 0..<1_000 { body() }
            blocks += 1
            elapsed = Nanoclock.elapsed(from: start, to: Nanoclock.now())
        } while elapsed < nanoseconds
        return Double(elapsed) / Double(blocks * 1_000)
    }
}
