/// The counts of a histogram as bytes: HdrHistogram's format, version 2, before compression.
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

    /// The index of a value's count. Each value below 2,048 has its own count; above that, every doubling has 1,024
    /// counts.
    static func index(ofValue value: UInt64) -> Int {
        let bucket = 53 - (value | 2_047).leadingZeroBitCount
        return bucket << 10 + Int(truncatingIfNeeded: value >> UInt64(bucket))
    }

    /// The lowest value that is counted at an index.
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
