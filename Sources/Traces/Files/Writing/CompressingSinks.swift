import CLzma
import CZlib
import CZstd

/// The size of the buffer for a compressor's output.
private let outputByteCount = 64 << 10

/// Writes gzip.
final class GzipByteSink: ByteSink {
    // zlib keeps a pointer to the stream, so the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: outputByteCount, alignment: 16)
    private let sink: any ByteSink

    init(sink: any ByteSink) throws(TraceFault) {
        self.sink = sink
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 16: with a gzip header.
        let code = deflateInit2_(
            stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { throw TraceFault(reason: .writeFailed("zlib can't start, code \(code)")) }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        output.deallocate()
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(TraceFault) {
        var rest = bytes
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
            // zlib only reads these bytes, but its header does not declare them `const`.
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: piece.baseAddress?.assumingMemoryBound(to: UInt8.self))
            stream.pointee.avail_in = UInt32(piece.count)
            while stream.pointee.avail_in > 0 { _ = try compress(Z_NO_FLUSH) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
        }
    }

    func finish() throws(TraceFault) {
        while try compress(Z_FINISH) != Z_STREAM_END {}
        try sink.finish()
    }

    private func compress(_ flush: Int32) throws(TraceFault) -> Int32 {
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(output.count)
        let code = deflate(stream, flush)
        guard code == Z_OK || code == Z_STREAM_END else {
            throw TraceFault(reason: .writeFailed("zlib, code \(code)"))
        }
        let count = output.count - Int(stream.pointee.avail_out)
        try sink.write(UnsafeRawBufferPointer(rebasing: output[..<count]))
        return code
    }
}

/// Writes xz, with CRC32, the checksum that every decoder supports.
final class XZByteSink: ByteSink {
    private let stream: UnsafeMutablePointer<lzma_stream>
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: outputByteCount, alignment: 16)
    private let sink: any ByteSink

    init(sink: any ByteSink) throws(TraceFault) {
        self.sink = sink
        stream = .allocate(capacity: 1)
        stream.initialize(to: lzma_stream())
        let code = lzma_easy_encoder(stream, 6, LZMA_CHECK_CRC32)
        guard code == LZMA_OK else { throw TraceFault(reason: .writeFailed("xz can't start, code \(code.rawValue)")) }
    }

    deinit {
        lzma_end(stream)
        stream.deallocate()
        output.deallocate()
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(TraceFault) {
        stream.pointee.next_in = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = bytes.count
        while stream.pointee.avail_in > 0 { _ = try compress(LZMA_RUN) }
    }

    func finish() throws(TraceFault) {
        while try compress(LZMA_FINISH) != LZMA_STREAM_END {}
        try sink.finish()
    }

    private func compress(_ action: lzma_action) throws(TraceFault) -> lzma_ret {
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = output.count
        let code = lzma_code(stream, action)
        guard code == LZMA_OK || code == LZMA_STREAM_END else {
            throw TraceFault(reason: .writeFailed("xz, code \(code.rawValue)"))
        }
        let count = output.count - stream.pointee.avail_out
        try sink.write(UnsafeRawBufferPointer(rebasing: output[..<count]))
        return code
    }
}

/// Writes Zstandard, with a checksum.
final class ZstdByteSink: ByteSink {
    private let context: OpaquePointer
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: outputByteCount, alignment: 16)
    private let sink: any ByteSink

    init(sink: any ByteSink) throws(TraceFault) {
        guard let context = ZSTD_createCCtx() else { throw TraceFault(reason: .writeFailed("zstd can't start")) }
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
        self.context = context
        self.sink = sink
    }

    deinit {
        ZSTD_freeCCtx(context)
        output.deallocate()
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(TraceFault) {
        var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
        while input.pos < input.size { _ = try compress(&input, ZSTD_e_continue) }
    }

    func finish() throws(TraceFault) {
        var input = ZSTD_inBuffer(src: nil, size: 0, pos: 0)
        while try compress(&input, ZSTD_e_end) != 0 {}
        try sink.finish()
    }

    private func compress(_ input: inout ZSTD_inBuffer, _ mode: ZSTD_EndDirective) throws(TraceFault) -> Int {
        var room = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let code = ZSTD_compressStream2(context, &room, &input, mode)
        guard ZSTD_isError(code) == 0 else {
            throw TraceFault(reason: .writeFailed("zstd: \(String(cString: ZSTD_getErrorName(code)))"))
        }
        try sink.write(UnsafeRawBufferPointer(rebasing: output[..<room.pos]))
        return code
    }
}
