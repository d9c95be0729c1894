import CZlib
import Foundation
public import Histogram
package import TrialModel

/// The distribution of latencies from 1 ns to 1 h, to three significant digits, in constant memory (270 KiB).
///
/// An instance must not be shared between threads: each client has its own, and they are added up when the clients are
/// done.
@usableFromInline
package struct LatencyHistogram: Sendable {
    /// The longest distinguished latency: 1 h. Longer latencies count as 1 h.
    @usableFromInline package static var longestNanoseconds: UInt64 { 3_600_000_000_000 }

    @usableFromInline var histogram: Histogram<UInt64>
    @usableFromInline var shortest: UInt64
    @usableFromInline var longest: UInt64
    @usableFromInline var sum: UInt64

    /// Creates an empty distribution. Allocates all the memory that it will ever need.
    @usableFromInline
    package init() {
        histogram = Histogram(
            lowestDiscernibleValue: 1, highestTrackableValue: Self.longestNanoseconds,
            numberOfSignificantValueDigits: .three)
        shortest = .max
        longest = 0
        sum = 0
    }

    /// How many latencies were recorded.
    @inlinable package var count: UInt64 { histogram.totalCount }

    /// The sum of all latencies, in nanoseconds.
    package var totalNanoseconds: UInt64 { sum }

    /// The memory of the distribution, in bytes.
    package var footprintBytes: UInt64 { UInt64(histogram.estimatedFootprintInBytes) }

    /// Records one latency. O(1), without allocations.
    @inlinable
    @inline(__always)
    package mutating func record(_ nanoseconds: UInt64) {
        let latency = min(nanoseconds, Self.longestNanoseconds)
        histogram.record(latency)
        if latency < shortest { shortest = latency }
        if latency > longest { longest = latency }
        sum &+= latency
    }

    /// Records one latency several times. O(1), without allocations.
    package mutating func record(_ nanoseconds: UInt64, count: UInt64) {
        guard count > 0 else { return }
        let latency = min(nanoseconds, Self.longestNanoseconds)
        histogram.record(latency, count: count)
        shortest = min(shortest, latency)
        longest = max(longest, latency)
        sum &+= latency &* count
    }

    /// The latencies, with the precision of the distribution. O(buckets), about 0.2 ms.
    package var samples: [LatencySample] {
        var samples: [LatencySample] = []
        forEachBucket { lowest, count in
            let highest = min(histogram.highestEquivalentForValue(lowest), Self.longestNanoseconds)
            if count > 0 { samples.append(LatencySample(nanoseconds: highest, count: count)) }
        }
        return samples
    }

    /// Adds the latencies of another distribution, as if all had been recorded here. O(buckets).
    package mutating func add(_ other: LatencyHistogram) {
        // Adding cannot fail, because both have the same layout.
        histogram.add(other.histogram)
        shortest = min(shortest, other.shortest)
        longest = max(longest, other.longest)
        sum &+= other.sum
    }

    /// The summary of the distribution, or `nil` when it is empty.
    ///
    /// The shortest, the longest and the mean are exact (the mean to the nanosecond); a percentile is at most 0.1 %
    /// above its exact value. O(buckets), about 0.5 ms.
    package func summary() -> LatencySummary? {
        guard count > 0 else { return nil }
        return LatencySummary(
            min: shortest, mean: (sum &+ count / 2) / count, p50: percentile(50), p90: percentile(90),
            p95: percentile(95), p99: percentile(99), p99_9: percentile(99.9), p99_99: percentile(99.99),
            max: longest)
    }

    /// The latency that `percent` of all latencies do not exceed. O(buckets), about 0.1 ms.
    func percentile(_ percent: Double) -> UInt64 {
        min(max(histogram.valueAtPercentile(percent), shortest), longest)
    }
}

/// The error of a text that is not a latency distribution.
package struct HistogramFormatError: Error, Hashable, CustomStringConvertible {
    /// The problem with the text.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension LatencyHistogram {
    /// The counts in HdrHistogram's compressed format, version 2, in Base64, which its public tools can read.
    ///
    /// O(buckets), about 0.3 ms; some kilobytes for a distribution of the usual width.
    package func encoded() -> String {
        var counts: [UInt8] = []
        var zeros: Int64 = 0
        forEachBucket { _, count in
            guard count > 0 else {
                zeros += 1
                return
            }
            if zeros > 0 { HistogramFormat.appendVariable(-zeros, to: &counts) }
            HistogramFormat.appendVariable(Int64(clamping: count), to: &counts)
            zeros = 0
        }
        var bytes: [UInt8] = []
        HistogramFormat.append(HistogramFormat.cookie, to: &bytes)
        HistogramFormat.append(UInt32(counts.count), to: &bytes)
        HistogramFormat.append(UInt32(0), to: &bytes)
        HistogramFormat.append(UInt32(3), to: &bytes)
        HistogramFormat.append(UInt64(1), to: &bytes)
        HistogramFormat.append(Self.longestNanoseconds, to: &bytes)
        HistogramFormat.append((1.0).bitPattern, to: &bytes)
        return Data(Self.compressed(bytes + counts)).base64EncodedString()
    }

    /// Calls the body with the lowest latency and the count of each bucket, including empty ones, up to the last
    /// non-empty one.
    ///
    /// It does not use the histogram's own iterator, which adds up all latencies and traps on overflow.
    func forEachBucket(_ body: (_ lowest: UInt64, _ count: UInt64) -> Void) {
        var left = histogram.totalCount
        for index in 0..<HistogramFormat.countLimit where left > 0 {
            let lowest = HistogramFormat.lowestValue(atIndex: index)
            let count = histogram.countForValue(lowest)
            body(lowest, count)
            left &-= count
        }
    }

    /// Cookie, length, and the bytes compressed by zlib.
    static func compressed(_ bytes: [UInt8]) -> [UInt8] {
        var length = compressBound(uLong(bytes.count))
        var packed = [UInt8](repeating: 0, count: Int(length))
        // This cannot fail: there is room for the worst case, and the level exists.
        _ = compress2(&packed, &length, bytes, uLong(bytes.count), Z_DEFAULT_COMPRESSION)
        var result: [UInt8] = []
        HistogramFormat.append(HistogramFormat.compressedCookie, to: &result)
        HistogramFormat.append(UInt32(length), to: &result)
        return result + packed[..<Int(length)]
    }

    /// Decodes the output of ``encoded()`` or of another HdrHistogram that counts from 1 ns to 1 h with three digits.
    ///
    /// The counts are exact, so adding decoded distributions gives exactly the histogram of all their latencies.
    /// Shortest, longest and mean have only three digits; ``take(_:)`` makes them exact. Time and memory are bounded
    /// for any text.
    ///
    /// - Throws: ``HistogramFormatError`` when the text is not such a histogram.
    package init(encoded text: String) throws(HistogramFormatError) {
        self.init()
        let bytes = try Self.decompressed(text)
        try Self.check(header: bytes)
        var rest = bytes[HistogramFormat.headerByteCount...]
        var index = 0
        while !rest.isEmpty {
            guard let number = HistogramFormat.takeVariable(from: &rest) else {
                throw HistogramFormatError("the counts end in the middle of one")
            }
            guard number > 0 else {
                // Some writers use 0 instead of -1.
                let (end, overflows) = index.addingReportingOverflow(Int(clamping: max(1, number.magnitude)))
                guard !overflows, end <= HistogramFormat.countLimit else { throw Self.tooManyCounts }
                index = end
                continue
            }
            guard index < HistogramFormat.countLimit else { throw Self.tooManyCounts }
            try take(count: UInt64(number), at: index)
            index += 1
        }
    }

    private static var tooManyCounts: HistogramFormatError {
        HistogramFormatError("it has more counts than there are between 1 ns and 1 h")
    }

    /// Adds latencies of the value at an index.
    mutating func take(count: UInt64, at index: Int) throws(HistogramFormatError) {
        let value = HistogramFormat.lowestValue(atIndex: index)
        guard value <= Self.longestNanoseconds else { throw Self.tooManyCounts }
        guard count <= HistogramFormat.totalLimit, histogram.totalCount + count <= HistogramFormat.totalLimit else {
            throw HistogramFormatError("it counts more than \(HistogramFormat.totalLimit) latencies")
        }
        let range = histogram.equivalentRangeForValue(value)
        // The upper end of the bucket: no percentile exceeds the largest recorded value.
        histogram.record(min(range.upperBound, Self.longestNanoseconds), count: count)
        shortest = min(shortest, range.lowerBound)
        longest = max(longest, min(range.upperBound, Self.longestNanoseconds))
        sum &+= count &* (range.lowerBound + (range.upperBound - range.lowerBound) / 2)
    }

    /// Decodes Base64 and decompresses; never returns more bytes than a histogram has.
    static func decompressed(_ text: String) throws(HistogramFormatError) -> [UInt8] {
        guard text.utf8.count <= HistogramFormat.byteLimit * 4 / 3 + 1_024 else {
            throw HistogramFormatError("it has \(text.utf8.count) characters, more than any histogram")
        }
        guard let packed = Data(base64Encoded: text), packed.count > 8 else {
            throw HistogramFormatError("it is not the Base64 of a histogram")
        }
        let bytes = [UInt8](packed)
        guard HistogramFormat.number(in: bytes[0...], as: UInt32.self) == HistogramFormat.compressedCookie else {
            throw HistogramFormatError("it is not a compressed histogram of version 2")
        }
        var sourceLength = uLong(bytes.count - 8)
        guard HistogramFormat.number(in: bytes[4...], as: UInt32.self) == sourceLength else {
            throw HistogramFormatError("its length differs from the length in its header")
        }
        var unpacked = [UInt8](repeating: 0, count: HistogramFormat.byteLimit)
        var length = uLong(unpacked.count)
        let status = bytes[8...].withUnsafeBufferPointer {
            uncompress2(&unpacked, &length, $0.baseAddress, &sourceLength)
        }
        guard status == Z_OK, Int(sourceLength) == bytes.count - 8, length >= HistogramFormat.headerByteCount else {
            throw HistogramFormatError("the compressed data is damaged or too long")
        }
        return Array(unpacked[..<Int(length)])
    }

    private static func check(header bytes: [UInt8]) throws(HistogramFormatError) {
        func word(_ offset: Int) -> UInt32 { HistogramFormat.number(in: bytes[offset...], as: UInt32.self) }
        func long(_ offset: Int) -> UInt64 { HistogramFormat.number(in: bytes[offset...], as: UInt64.self) }
        guard word(0) == HistogramFormat.cookie else {
            throw HistogramFormatError("it is not a histogram of version 2")
        }
        guard word(4) == bytes.count - HistogramFormat.headerByteCount else {
            throw HistogramFormatError("the length of its counts differs from the length in its header")
        }
        guard word(8) == 0, word(12) == 3, long(16) == 1, long(24) == longestNanoseconds else {
            throw HistogramFormatError("it does not count from 1 ns to 1 h with three digits")
        }
    }
}

/// The counts of a histogram as bytes: HdrHistogram's format, version 2, before compression.
///
/// It belongs upstream: the package of `Histogram` has no encoding, and one that is written here must follow every change
/// of the format. The tests compare it with bytes that another implementation wrote, the `hdrhistogram` of PyPI.
///
/// The header has 40 bytes, big-endian: cookie, length of the data after the header, offset, digits, lowest and highest
/// value, ratio. The counts follow in the order of their values, up to the last count above 0. Each is a signed number
/// in zigzag form, with seven bits per byte, low bits first; a ninth byte has eight bits. A negative number -*n* means
/// *n* counts of 0.
enum HistogramFormat {
    static let headerByteCount = 40
    /// The cookie of version 2; the `1` means numbers of variable length.
    static let cookie: UInt32 = 0x1c84_9303 | 0x10
    /// The cookie of the compressed form.
    static let compressedCookie: UInt32 = 0x1c84_9304 | 0x10
    /// Counts of a histogram from 1 ns to 1 h with three digits: 33 rows of 1,024.
    static let countLimit = 33 << 10
    /// The maximum number of bytes of header and counts.
    static let byteLimit = headerByteCount + countLimit * 9

    /// The maximum number of latencies of a histogram that is read: more than any run has, and few enough to add
    /// thousands of such histograms without overflow.
    static let totalLimit: UInt64 = 1 << 48

    /// The lowest value that is counted at an index. Each value below 2,048 has its own count; above that, every doubling
    /// has 1,024 counts.
    static func lowestValue(atIndex index: Int) -> UInt64 {
        guard index >= 2_048 else { return UInt64(index) }
        return UInt64(index & 1_023 | 1_024) << UInt64(index >> 10 - 1)
    }

    /// Reads a big-endian number, such as a field of the header.
    static func number<Number: FixedWidthInteger>(in bytes: ArraySlice<UInt8>, as type: Number.Type) -> Number {
        bytes.prefix(MemoryLayout<Number>.size).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends a number in zigzag form; one to nine bytes.
    static func appendVariable(_ number: Int64, to bytes: inout [UInt8]) {
        var rest = UInt64(bitPattern: number &<< 1 ^ number &>> 63)
        for _ in 0..<8 {
            guard rest > 0x7f else { break }
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Removes and returns the next number in zigzag form; `nil` when the bytes end too early.
    static func takeVariable(from bytes: inout ArraySlice<UInt8>) -> Int64? {
        var number: UInt64 = 0
        for position in 0..<9 {
            guard let byte = bytes.popFirst() else { return nil }
            let isLast = position == 8 || byte < 0x80
            number |= UInt64(isLast ? byte : byte & 0x7f) << UInt64(7 * position)
            if isLast { break }
        }
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }
}
