import Testing
import TrialModel

@testable import Measurement

@Suite(.timeLimit(.minutes(1)))
struct IntervalRecorderTests {
    @Test func `a bucket's middle is within 0.8 per cent of its values`() {
        var random = RandomSource(seed: 5)
        var worst = 0.0
        for _ in 0..<200_000 {
            let nanoseconds = min(random.next() >> (random.next() % 64), LatencyHistogram.longestNanoseconds)
            let middle = LatencySketches.middle(of: LatencySketches.bucket(of: nanoseconds))
            if nanoseconds > 0 { worst = max(worst, abs(Double(middle) / Double(nanoseconds) - 1)) }
        }
        #expect(worst <= 0.008)
    }

    @Test func `buckets follow each other without a gap`() {
        let middles = (0..<LatencySketches.bucketCount).map(LatencySketches.middle)
        let buckets = middles.map { LatencySketches.bucket(of: $0) }
        #expect(middles == middles.sorted())
        #expect(buckets == Array(0..<LatencySketches.bucketCount))
    }

    @Test func `intervals add up to the whole, and count their hits`() {
        var recorder = IntervalRecorder(measured: true, length: 1_000)
        recorder.begin(at: 500)
        recorder.record(.load, .hit, nanoseconds: 10, at: 600)
        recorder.record(.load, .miss, nanoseconds: 700, at: 1_499)
        recorder.record(.write, .done, nanoseconds: 20, at: 1_500)
        // No operation ended in the third interval.
        recorder.record(.load, .failed, nanoseconds: 2_000, at: 3_600)
        let slices = recorder.slices
        #expect(slices.map(\.interval) == [0, 1, 3])
        #expect(slices.map(\.operation) == [.load, .write, .load])
        #expect(slices.map(\.count) == [2, 1, 1])
        #expect(slices.map(\.hits) == [1, 0, 0])
        #expect(slices.map(\.misses) == [1, 0, 1])
        #expect(slices[0].samples.map(\.count) == [1, 1])
        #expect(slices[1].samples == [LatencySample(nanoseconds: 20, count: 1)])
        #expect(recorder.whole.operations == 4)
    }

    @Test func `a warm-up keeps only counts`() {
        var recorder = IntervalRecorder(measured: false, length: 1_000)
        recorder.begin(at: 0)
        recorder.record(.load, .hit, nanoseconds: 10, at: 100)
        #expect(recorder.slices.map(\.hits) == [1])
        let keepsNone = recorder.slices.allSatisfy { $0.samples.isEmpty }
        #expect(keepsNone)
    }

    @Test func `without a length there are no intervals`() {
        var recorder = IntervalRecorder(measured: true)
        recorder.begin(at: 0)
        recorder.record(.read, .hit, nanoseconds: 10, at: .max - 1)
        #expect(recorder.slices.isEmpty)
        #expect(recorder.whole.operations == 1)
    }

    @Test func `a latency above an hour counts as an hour`() {
        var recorder = IntervalRecorder(measured: true, length: 1_000)
        recorder.begin(at: 0)
        recorder.record(.read, .hit, nanoseconds: .max, at: 1)
        let sample = recorder.slices.first?.samples.first?.nanoseconds ?? 0
        #expect(abs(Double(sample) / 3_600_000_000_000 - 1) < 0.008)
    }

    @Test func `with many latencies a sample represents all`() throws {
        var sketches = LatencySketches()
        var random = RandomSource(seed: 9)
        let count = 5_000_000
        for index in 0..<count {
            // One in fifty is slow, at regular distances.
            sketches.record(.load, nanoseconds: index % 50 == 0 ? 1_000_000 : 100 + random.next() % 20)
        }
        let samples = sketches.samples(.load)
        let all = samples.reduce(0) { $0 + $1.count }
        let slow = samples.filter { $0.nanoseconds > 900_000 }.reduce(0) { $0 + $1.count }
        #expect(abs(Double(all) / Double(count) - 1) < 0.01)
        #expect(abs(Double(slow) / Double(all) - 0.02) < 0.001)
        sketches.reset()
        sketches.record(.load, nanoseconds: 5)
        #expect(sketches.samples(.load) == [LatencySample(nanoseconds: 5, count: 1)])
    }

    @Test func `each cut has the operations since the last one, and the whole keeps all`() {
        var recorder = IntervalRecorder(measured: true, isCut: true)
        recorder.begin(at: 0)
        recorder.record(.read, .hit, nanoseconds: 10, at: 10)
        recorder.record(.read, .hit, nanoseconds: 10, at: 20)
        recorder.record(.load, .miss, nanoseconds: 30, at: 50)
        let first = recorder.cut()
        recorder.record(.write, .done, nanoseconds: 40, at: 90)
        let second = recorder.cut()
        let third = recorder.cut()
        #expect(first.map(\.count) == [2, 1] && second.map(\.count) == [1] && third.isEmpty)
        #expect(first.map(\.hits) == [2, 0] && first.map(\.misses) == [0, 1])
        #expect(
            first.flatMap(\.samples) == [
                LatencySample(nanoseconds: 10, count: 2), LatencySample(nanoseconds: 30, count: 1),
            ])
        #expect(second.flatMap(\.samples) == [LatencySample(nanoseconds: 40, count: 1)])
        #expect(recorder.whole.operations == 4)
        #expect(recorder.whole.count(.load, .miss) == 1)
        #expect(recorder.slices.isEmpty)
    }

    @Test func `a cut of a warm-up has counts, and no latencies`() {
        var recorder = IntervalRecorder(measured: false, isCut: true)
        recorder.begin(at: 0)
        recorder.record(.read, .hit, nanoseconds: 10, at: 10)
        let cut = recorder.cut()
        #expect(cut.map(\.count) == [1] && cut.allSatisfy(\.samples.isEmpty))
    }

    @Test func `sketches are part of the footprint`() {
        func footprint(length: UInt64?) -> UInt64 {
            var recorder = IntervalRecorder(measured: true, length: length)
            recorder.begin(at: 0)
            recorder.record(.read, .hit, nanoseconds: 10, at: 1)
            return recorder.footprintBytes
        }
        let sketch = UInt64(LatencySketches.bucketCount * 8)
        #expect(footprint(length: 1_000) == footprint(length: nil) + sketch)
    }
}
