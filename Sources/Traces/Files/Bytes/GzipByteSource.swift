import CZlib

/// The data of a gzip file of one or more members.
final class GzipByteSource: ByteSource {
    // zlib keeps a pointer to the stream, so the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var input: CompressedInput
    private var isBetweenMembers = false
    private var produced: UInt64 = 0

    init(source: any ByteSource) throws(TraceFault) {
        input = CompressedInput(source: source)
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 16: a gzip header is required.
        let code = inflateInit2_(stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { throw TraceFault(reason: .corrupt("zlib can't start, code \(code)")) }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TraceFault) -> Int {
        stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(buffer.count)
        while stream.pointee.avail_out == buffer.count {
            if stream.pointee.avail_in == 0 {
                let bytes = try input.next()
                // zlib only reads these bytes, but its header does not declare them `const`.
                stream.pointee.next_in = UnsafeMutablePointer(
                    mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
                stream.pointee.avail_in = UInt32(bytes.count)
            }
            if input.isAtEnd {
                guard isBetweenMembers else { throw fault(.truncated("the gzip data end too early")) }
                return 0
            }
            if isBetweenMembers {
                inflateReset(stream)
                isBetweenMembers = false
            }
            let code = inflate(stream, Z_NO_FLUSH)
            if code == Z_STREAM_END {
                isBetweenMembers = true
            } else if code != Z_OK, code != Z_BUF_ERROR, stream.pointee.avail_out == buffer.count {
                // After good data, the error is deferred to the next call: zlib reports it again.
                throw fault(.corrupt("gzip: \(stream.pointee.msg.map { String(cString: $0) } ?? "code \(code)")"))
            }
        }
        let count = buffer.count - Int(stream.pointee.avail_out)
        produced += UInt64(count)
        return count
    }

    private func fault(_ reason: TraceError.Reason) -> TraceFault {
        TraceFault(reason: reason, byteOffset: produced)
    }
}
