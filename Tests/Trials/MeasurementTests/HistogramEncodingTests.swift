import Foundation
import Testing
import TrialModel

@testable import Measurement

@Suite(.timeLimit(.minutes(1)))
struct HistogramEncodingTests {
    /// Histograms written by HdrHistogram's package for Python; `Fixtures/make-histograms.py` made them.
    struct Golden: Decodable, CustomTestStringConvertible {
        let name: String
        /// Values, each with how often it was recorded.
        let values: [[UInt64]]
        let total: UInt64
        let percentiles: [String: UInt64]
        let encoded: String

        var testDescription: String { name }

        func histogram() throws -> LatencyHistogram {
            try values.reduce(into: LatencyHistogram()) { sum, pair in
                try sum.take(count: pair[1], at: HistogramFormat.index(ofValue: pair[0]))
            }
        }
    }

    static let goldens: [Golden] = {
        guard
            let url = Bundle.module.url(forResource: "histograms", withExtension: "json", subdirectory: "Fixtures"),
            let data = try? Data(contentsOf: url)
        else { return [] }
        return (try? JSONDecoder().decode([Golden].self, from: data)) ?? []
    }()

    private static func histogram(_ count: Int, seed: UInt64) -> LatencyHistogram {
        var random = RandomSource(seed: seed)
        let sampler = DistributionSampler(.logNormal(median: 40_000, p99: 900_000_000, max: 3_000_000_000_000))
        return (0..<count).reduce(into: LatencyHistogram()) { sum, _ in sum.record(sampler.next(using: &random)) }
    }

    /// Header and counts, before they are compressed.
    private static func counts(_ histogram: LatencyHistogram) throws -> [UInt8] {
        try LatencyHistogram.decompressed(histogram.encoded())
    }

    @Test func `there are golden histograms`() { #expect(Self.goldens.count == 7) }

    @Test(arguments: goldens)
    func `histograms of another implementation are read`(golden: Golden) throws {
        let read = try LatencyHistogram(encoded: golden.encoded)
        #expect(read.count == golden.total)
        for (percent, value) in golden.percentiles {
            #expect(read.percentile(try #require(Double(percent))) == min(value, read.longest))
        }
    }

    @Test(arguments: goldens)
    func `the encoding of a histogram equals the other implementation's`(golden: Golden) throws {
        let theirs = try LatencyHistogram.decompressed(golden.encoded)
        #expect(try Self.counts(golden.histogram()) == theirs)
        #expect(try Self.counts(LatencyHistogram(encoded: golden.encoded)) == theirs)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a written histogram is read back unchanged`(seed: UInt64) throws {
        let histogram = Self.histogram(20_000, seed: seed)
        let read = try LatencyHistogram(encoded: histogram.encoded())
        #expect(try Self.counts(read) == Self.counts(histogram))
        #expect(read.encoded() == histogram.encoded())
        let mean = Double(try #require(histogram.summary()?.mean))
        let rounded = Double(try #require(read.summary()?.mean))
        #expect(abs(rounded - mean) <= mean / 1_000)
    }

    @Test func `merging two decoded histograms gives the histogram of both`() throws {
        let (first, second) = (Self.histogram(9_000, seed: 4), Self.histogram(11_000, seed: 5))
        var both = first
        both.add(second)
        var merged = try LatencyHistogram(encoded: first.encoded())
        merged.add(try LatencyHistogram(encoded: second.encoded()))
        #expect(merged.encoded() == both.encoded())
        #expect(try Self.counts(merged) == Self.counts(both))
    }

    @Test func `an empty histogram is written and read`() throws {
        let read = try LatencyHistogram(encoded: LatencyHistogram().encoded())
        #expect(read.count == 0)
        #expect(read.summary() == nil)
    }

    @Test(arguments: [0, 1, -1, 63, 64, -64, -65, 8_191, 8_192, 1 << 40, .max, .min] as [Int64])
    func `a number of variable length is read back unchanged`(number: Int64) {
        var bytes: [UInt8] = []
        HistogramFormat.appendVariable(number, to: &bytes)
        #expect(bytes.count <= 9)
        var rest = bytes[...]
        #expect(HistogramFormat.takeVariable(from: &rest) == number)
        #expect(rest.isEmpty)
    }

    @Test func `every value has a bucket, shared with no value that differs in three digits`() {
        var last = -1
        for power in 1..<42 {
            let first: UInt64 = 1 << power
            for value in [first, first + 1, 2 * first - 1] {
                guard value <= LatencyHistogram.longestNanoseconds else { continue }
                let index = HistogramFormat.index(ofValue: value)
                let (lowest, next) = (
                    HistogramFormat.lowestValue(atIndex: index), HistogramFormat.lowestValue(atIndex: index + 1)
                )
                #expect(lowest <= value && value < next)
                #expect(next - lowest <= max(1, value / 1_000))
                #expect(index >= last)
                last = index
            }
        }
        #expect(last < HistogramFormat.countLimit)
    }

    // MARK: What is damaged

    @Test(arguments: ["", "HIST", "not base64!", "AAAA", String(repeating: "A", count: 4_000_000)])
    func `a text that is not a histogram is refused`(text: String) {
        #expect(throws: HistogramFormatError.self) { try LatencyHistogram(encoded: text) }
    }

    @Test func `a histogram truncated anywhere is refused`() throws {
        let bytes = try #require(Data(base64Encoded: Self.histogram(50, seed: 8).encoded()))
        for length in bytes.indices {
            let text = bytes[..<length].base64EncodedString()
            #expect(throws: HistogramFormatError.self, "cut at \(length)") { try LatencyHistogram(encoded: text) }
        }
    }

    @Test func `damage of any byte is an error or another histogram, and never a trap`() throws {
        let packed = try #require(Data(base64Encoded: Self.histogram(50, seed: 9).encoded()))
        let plain = try LatencyHistogram.decompressed(packed.base64EncodedString())
        var random = RandomSource(seed: 10)
        for _ in 0..<500 {
            var damaged = packed
            damaged[Int(random.next(below: UInt64(packed.count)))] = UInt8(truncatingIfNeeded: random.next())
            _ = try? LatencyHistogram(encoded: damaged.base64EncodedString()).summary()
            // Behind the checksum of the compression, as a hostile writer would do.
            var bytes = plain
            bytes[Int(random.next(below: UInt64(plain.count)))] = UInt8(truncatingIfNeeded: random.next())
            _ = try? LatencyHistogram(encoded: Self.packed(bytes)).summary()
        }
    }

    @Test(arguments: [
        ([Int64.min], "more counts than"), ([-33_793], "more counts than"), ([-33_792, 1], "more counts than"),
        ([-33_791, 1], "more counts than"), ([.max], "it counts more than"), ([1 << 48, 1], "it counts more than"),
    ])
    func `counts beyond the last bucket, or too large, are refused`(numbers: [Int64], what: String) throws {
        var counts: [UInt8] = []
        for number in numbers { HistogramFormat.appendVariable(number, to: &counts) }
        let header = try LatencyHistogram.decompressed(LatencyHistogram().encoded())
        var bytes = header
        bytes[7] = UInt8(counts.count)
        let text = Self.packed(bytes + counts)
        let error = #expect(throws: HistogramFormatError.self) { try LatencyHistogram(encoded: text) }
        #expect(error?.description.contains(what) == true, "\(String(describing: error))")
    }

    @Test func `data that decompresses to more than a histogram is refused`() {
        let text = Self.packed([UInt8](repeating: 0, count: 50_000_000))
        #expect(throws: HistogramFormatError.self) { try LatencyHistogram(encoded: text) }
    }

    @Test func `a histogram of another range or precision is refused`() throws {
        let header = try LatencyHistogram.decompressed(LatencyHistogram().encoded())
        for place in [3, 11, 15, 23, 31] as [Int] {
            var bytes = header
            bytes[place] ^= 1
            let text = Self.packed(bytes)
            #expect(throws: HistogramFormatError.self) { try LatencyHistogram(encoded: text) }
        }
    }

    private static func packed(_ bytes: [UInt8]) -> String {
        Data(LatencyHistogram.compressed(bytes)).base64EncodedString()
    }
}

extension HistogramFormat {
    /// The index of a value's count.
    fileprivate static func index(ofValue value: UInt64) -> Int {
        let bucket = 53 - (value | 2_047).leadingZeroBitCount
        return bucket << 10 + Int(truncatingIfNeeded: value >> UInt64(bucket))
    }
}
