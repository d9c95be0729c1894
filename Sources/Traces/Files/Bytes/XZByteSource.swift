import CLzma

/// The data of an xz file of one or more streams.
final class XZByteSource: ByteSource {
    /// More memory than any preset of xz needs, and low enough that a hostile file is harmless.
    static let memoryByteCountMax: UInt64 = 256 << 20

    private let stream: UnsafeMutablePointer<lzma_stream>
    private var input: CompressedInput
    private var produced: UInt64 = 0
    private var isDone = false
    private var failure: lzma_ret?

    init(source: any ByteSource) throws(TraceFault) {
        input = CompressedInput(source: source)
        stream = .allocate(capacity: 1)
        stream.initialize(to: lzma_stream())
        // 8: LZMA_CONCATENATED, a macro that Swift does not see.
        let code = lzma_stream_decoder(stream, Self.memoryByteCountMax, 8)
        guard code == LZMA_OK else { throw TraceFault(reason: .corrupt("xz can't start, code \(code.rawValue)")) }
    }

    deinit {
        lzma_end(stream)
        stream.deallocate()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TraceFault) -> Int {
        guard !isDone else { return 0 }
        if let failure { throw fault(failure) }
        stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = buffer.count
        while stream.pointee.avail_out == buffer.count, !isDone {
            if stream.pointee.avail_in == 0, !input.isAtEnd {
                let bytes = try input.next()
                stream.pointee.next_in = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.pointee.avail_in = bytes.count
            }
            let code = lzma_code(stream, input.isAtEnd ? LZMA_FINISH : LZMA_RUN)
            if code == LZMA_STREAM_END {
                isDone = true
            } else if code != LZMA_OK {
                // The data before the damage are good, and are delivered first.
                failure = code
                if stream.pointee.avail_out == buffer.count { throw fault(code) }
            }
        }
        let count = buffer.count - stream.pointee.avail_out
        produced += UInt64(count)
        return count
    }

    private func fault(_ code: lzma_ret) -> TraceFault {
        let reason: TraceError.Reason =
            switch code {
            case LZMA_BUF_ERROR: .truncated("the xz data end too early")
            case LZMA_MEMLIMIT_ERROR: .corrupt("xz: needs more than \(Self.memoryByteCountMax >> 20) MiB of memory")
            case LZMA_FORMAT_ERROR: .corrupt("xz: data after a stream are not another stream")
            case LZMA_OPTIONS_ERROR: .corrupt("xz: options that this version does not support")
            default: .corrupt("xz: damaged data, code \(code.rawValue)")
            }
        return TraceFault(reason: reason, byteOffset: produced)
    }
}
