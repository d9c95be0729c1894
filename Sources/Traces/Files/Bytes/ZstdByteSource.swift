import CZstd

/// The data of a Zstandard file of one or more frames. Frames with a window over 128 MiB are refused.
final class ZstdByteSource: ByteSource {
    private let context: OpaquePointer
    private var input: CompressedInput
    private var pending = ZSTD_inBuffer(src: nil, size: 0, pos: 0)
    private var isInsideFrame = false
    private var produced: UInt64 = 0
    private var failure: String?

    init(source: any ByteSource) throws(TraceFault) {
        guard let context = ZSTD_createDCtx() else { throw TraceFault(reason: .corrupt("zstd can't start")) }
        self.context = context
        input = CompressedInput(source: source)
    }

    deinit { ZSTD_freeDCtx(context) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TraceFault) -> Int {
        if let failure { throw TraceFault(reason: .corrupt("zstd: \(failure)"), byteOffset: produced) }
        var output = ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
        while output.pos == 0 {
            if pending.pos == pending.size, !input.isAtEnd {
                let bytes = try input.next()
                pending = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
            }
            if input.isAtEnd, !isInsideFrame { return 0 }
            let before = pending.pos
            let code = ZSTD_decompressStream(context, &output, &pending)
            if ZSTD_isError(code) != 0 {
                failure = String(cString: ZSTD_getErrorName(code))
                // The data before the damage are good, and are delivered first.
                if output.pos == 0 { return try read(into: buffer) }
                break
            }
            isInsideFrame = code != 0
            if input.isAtEnd, isInsideFrame, output.pos == 0, pending.pos == before {
                throw TraceFault(reason: .truncated("the zstd data end too early"), byteOffset: produced)
            }
        }
        produced += UInt64(output.pos)
        return output.pos
    }
}
