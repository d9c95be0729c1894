import CZlib
import Foundation
import Histogram
package import TrialModel

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

    /// Sets shortest, longest and mean from the row of `latency.csv` that belongs to the distribution.
    ///
    /// - Throws: ``HistogramFormatError`` when the row belongs to another distribution.
    package mutating func take(_ exact: LatencySummary) throws(HistogramFormatError) {
        guard count > 0, exact.max <= Self.longestNanoseconds, histogram.valuesAreEquivalent(exact.min, shortest),
            histogram.valuesAreEquivalent(exact.max, longest), exact.min <= exact.mean, exact.mean <= exact.max
        else { throw HistogramFormatError("shortest, longest and mean belong to another distribution") }
        shortest = exact.min
        longest = exact.max
        sum = exact.mean &* count
    }
}
