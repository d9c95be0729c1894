/// Records of 24 bytes, least significant byte first: time in seconds (4), key (8), size (4), and the number of the
/// next request for the key, counted from 1, or -1 (8). Source: libCacheSim.
struct OracleGeneralDecoder: TraceDecoder {
    static let recordByteCount = 24

    let columns: TraceColumns

    mutating func decode(from window: ByteWindow, into block: inout TraceBlock, limit: Int) throws(TraceFault) {
        while block.keys.count < limit, try decodeWindow(window, into: &block, limit: limit) {}
    }

    /// Decodes the content of the window; `false` at the end.
    private func decodeWindow(
        _ window: ByteWindow, into block: inout TraceBlock, limit: Int
    ) throws(TraceFault) -> Bool {
        if window.unused.count < Self.recordByteCount {
            try window.fill(atLeast: Self.recordByteCount)
            let count = window.unused.count
            if count > 0, count < Self.recordByteCount {
                throw TraceFault(
                    reason: .truncated("the last record has \(count) of \(Self.recordByteCount) bytes"),
                    byteOffset: window.offset)
            }
        }
        let bytes = window.unused
        let count = min(limit - block.keys.count, bytes.count / Self.recordByteCount)
        block.keys.append(count) { index in Self.load(bytes, index, 4, as: UInt64.self) }
        if columns.contains(.time) {
            block.timesNanoseconds.append(count) { index in
                UInt64(Self.load(bytes, index, 0, as: UInt32.self)) &* 1_000_000_000
            }
        }
        if columns.contains(.size) {
            block.sizes.append(count) { index in UInt64(Self.load(bytes, index, 12, as: UInt32.self)) }
        }
        if columns.contains(.nextAccess) {
            block.nextAccesses.append(count) { index in Self.load(bytes, index, 16, as: Int64.self) }
        }
        window.use(count * Self.recordByteCount)
        return count > 0
    }

    @inline(__always)
    static func load<Number: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: UnsafeRawBufferPointer, _ index: Int, _ offset: Int, as type: Number.Type
    ) -> Number {
        Number(littleEndian: bytes.loadUnaligned(fromByteOffset: index &* recordByteCount &+ offset, as: type))
    }
}

extension Array where Element: FixedWidthInteger {
    /// Appends `count` computed elements, without a bounds check for each.
    @inline(__always)
    mutating func append(_ count: Int, _ element: (Int) -> Element) {
        let start = self.count
        append(contentsOf: repeatElement(0, count: count))
        withUnsafeMutableBufferPointer { buffer in
            for index in 0..<count { buffer[start &+ index] = element(index) }
        }
    }
}
