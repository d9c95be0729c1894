import Testing
import TrialModel

@testable import EvictionPolicies

@Suite(.timeLimit(.minutes(5)))
struct FrequencySketchTests {
    @Test func `an estimate is never too low, and ends at 15`() {
        var sketch = FrequencySketch()
        var exact: [UInt32: UInt64] = [:]
        var random = RandomSource(seed: 1)
        for _ in 0..<20_000 {
            let fingerprint = UInt32(random.next(below: 3000))
            sketch.record(fingerprint, period: .max)
            exact[fingerprint, default: 0] += 1
        }
        let estimates = exact.map { (sketch.frequency($0.key), $0.value) }
        #expect(estimates.allSatisfy { $0.0 >= min($0.1, 15) && $0.0 <= 15 })
    }

    @Test func `few fingerprints are counted exactly`() {
        var sketch = FrequencySketch()
        for fingerprint in UInt32(0)..<12 {
            for _ in 0..<fingerprint { sketch.record(fingerprint, period: .max) }
        }
        let estimates = (UInt32(0)..<12).map { sketch.frequency($0) }
        #expect(estimates == Array(0..<12))
    }

    @Test func `a block of counters is in one line of the processor's cache`() {
        var sketch = FrequencySketch()
        var addresses: [UInt] = []
        for _ in 0..<10 {
            addresses.append(UInt(bitPattern: sketch.words))
            sketch.double()
        }
        #expect(addresses.allSatisfy { $0.isMultiple(of: 64) })
    }

    @Test func `a doubled sketch estimates what it did before`() {
        var sketch = FrequencySketch()
        var random = RandomSource(seed: 2)
        let fingerprints = (0..<300).map { _ in UInt32(truncatingIfNeeded: random.next()) }
        for fingerprint in fingerprints.prefix(200) { sketch.record(fingerprint, period: .max) }
        let before = fingerprints.map { sketch.frequency($0) }
        sketch.reserve(10_000)
        sketch.reserve(10_000)
        let after = fingerprints.map { sketch.frequency($0) }
        #expect(before == after)
    }

    @Test func `counters are halved after a period`() {
        var sketch = FrequencySketch()
        for _ in 0..<9 { sketch.record(1, period: 10) }
        let before = sketch.frequency(1)
        sketch.record(2, period: 10)
        let after = [sketch.frequency(1), sketch.frequency(2)]
        #expect(before == 9)
        #expect(after == [4, 0])
        #expect(sketch.additions == 4)
    }
}
