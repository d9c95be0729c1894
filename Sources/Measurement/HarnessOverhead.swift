import TrialModel

/// The cost of measuring itself on this machine, so that a reader can subtract it.
package struct HarnessOverhead: Codable, Hashable, Sendable {
    /// One reading of the clock, in nanoseconds. A timed operation contains about one reading.
    package var clockReadNanoseconds: Double
    /// Recording one latency, in nanoseconds. It is not part of the recorded time.
    package var recordNanoseconds: Double

    /// Creates a value from earlier measurements, as read from a result file.
    package init(clockReadNanoseconds: Double, recordNanoseconds: Double) {
        self.clockReadNanoseconds = clockReadNanoseconds
        self.recordNanoseconds = recordNanoseconds
    }

    /// Measures both costs in under 50 ms. Takes the fastest of several short rounds, because it is the least
    /// disturbed.
    package static func measure() -> HarnessOverhead {
        var recorder = ClientRecorder(measured: true)
        recorder.record(.read, .hit, nanoseconds: 1)
        var last: UInt64 = 0
        let clock = fastestRound { last = last &+ Nanoclock.now() }
        let record = fastestRound {
            // Different latencies, so that they fall into different buckets.
            last = last &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            recorder.record(.read, .hit, nanoseconds: 100 &+ last &>> 54)
        }
        return HarnessOverhead(clockReadNanoseconds: clock, recordNanoseconds: record)
    }

    /// Nanoseconds for one execution of `body`, in the fastest of 20 rounds.
    private static func fastestRound(_ body: () -> Void) -> Double {
        let executions = 10_000
        var fastest = UInt64.max
        for _ in 0..<20 {
            let start = Nanoclock.now()
            for _ in 0..<executions { body() }
            fastest = min(fastest, Nanoclock.elapsed(from: start, to: Nanoclock.now()))
        }
        return Double(fastest) / Double(executions)
    }
}
