/// The counts of a histogram as bytes: HdrHistogram's format, version 2, before it is compressed.
///
/// A header of 40 bytes, big-endian: cookie, length of what follows the header, offset, digits, lowest and highest
/// value, ratio. Then the counts in the order of their values, up to the last one that isn't 0: each a signed number
/// in zigzag form, seven bits a byte, the low ones first; a ninth byte has eight. A negative number stands for so many
/// counts of 0.
enum HistogramFormat {
    static let headerByteCount = 40
    /// Says version 2; the `1` stands for numbers of variable length.
    static let cookie: UInt32 = 0x1c84_9303 | 0x10
    /// The same for the compressed form.
    static let compressedCookie: UInt32 = 0x1c84_9304 | 0x10
    /// Counts of a histogram from 1 ns to 1 h with three digits: 33 rows of 1,024.
    static let countLimit = 33 << 10
    /// The most bytes that header and counts can take.
    static let byteLimit = headerByteCount + countLimit * 9

    /// The most latencies of a histogram that is read: more than any run has, and few enough that thousands of such
    /// histograms can be added.
    static let totalLimit: UInt64 = 1 << 48

    /// Where the count of a value stands. Values below 2,048 each have their own; from there on, every doubling has 1,024.
    static func index(ofValue value: UInt64) -> Int {
        let bucket = 53 - (value | 2_047).leadingZeroBitCount
        return bucket << 10 + Int(truncatingIfNeeded: value >> UInt64(bucket))
    }

    /// The lowest value whose count stands there.
    static func lowestValue(atIndex index: Int) -> UInt64 {
        guard index >= 2_048 else { return UInt64(index) }
        return UInt64(index & 1_023 | 1_024) << UInt64(index >> 10 - 1)
    }

    /// The number of one field of the header, or of anything else that is big-endian.
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

    /// The next number in zigzag form, taken off the front; `nil` when the bytes end too early.
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
