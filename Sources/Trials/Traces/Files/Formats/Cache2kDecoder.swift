/// Numbers of four bytes, most significant byte first. Source: the traces of cache2k's benchmarks.
struct Cache2kDecoder: TraceDecoder {
    let columns = TraceColumns.keyOnly

    mutating func decode(from window: ByteWindow, into block: inout TraceBlock, limit: Int) throws(TraceFault) {
        if window.unused.count < 4 {
            try window.fill(atLeast: 4)
            let count = window.unused.count
            if count > 0, count < 4 {
                throw TraceFault(
                    reason: .truncated("the last number has \(count) of 4 bytes"), byteOffset: window.offset)
            }
        }
        let bytes = window.unused
        let count = min(limit, bytes.count / 4)
        block.keys.append(count) { index in
            UInt64(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self)))
        }
        window.use(count * 4)
    }
}
