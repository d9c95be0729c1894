import CLzma
import CZlib
import CZstd

/// One of the system's libraries for compressed data. It holds its own state, and no bytes of the trace.
protocol Decompressor: AnyObject {
    /// Decompresses from the beginning of `input` into the beginning of `output`, and moves both forward.
    ///
    /// - Parameter isLast: whether nothing follows the input.
    /// - Returns: whether the data may end here.
    /// - Throws: what is damaged; the output before the damage is good.
    func step(
        _ input: inout UnsafeRawBufferPointer, _ output: inout UnsafeMutableRawBufferPointer, isLast: Bool
    ) throws(Damage) -> Bool
}

/// What is damaged in compressed data.
struct Damage: Error {
    var what: String
}

extension TraceCompression {
    /// The decompressor of one file; `nil` for a file that isn't compressed.
    func decompressor() throws(Damage) -> (any Decompressor)? {
        switch self {
        case .none: nil
        case .gzip: try Gunzip()
        case .xz: try Unxz()
        case .zstd: try Unzstd()
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Skips zero bytes, with which some programs fill up a file.
    fileprivate mutating func dropPadding() { drop(prefix { $0 == 0 }.count) }
}

/// Files of one or more gzip members, zero bytes between and behind them.
private final class Gunzip: Decompressor {
    // zlib keeps a pointer to the stream, so the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isBetweenMembers = false

    init() throws(Damage) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 16: a gzip header is required.
        let code = inflateInit2_(stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { throw Damage(what: "zlib can't start, code \(code)") }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    func step(
        _ input: inout UnsafeRawBufferPointer, _ output: inout UnsafeMutableRawBufferPointer, isLast: Bool
    ) throws(Damage) -> Bool {
        if isBetweenMembers {
            input.dropPadding()
            guard let first = input.first else { return true }
            guard first == 0x1F else { throw Damage(what: "gzip: trailing bytes after the data") }
            inflateReset(stream)
        }
        // zlib only reads these bytes, but its header does not declare them `const`.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(output.count)
        let code = inflate(stream, Z_NO_FLUSH)
        input.drop(input.count - Int(stream.pointee.avail_in))
        output.drop(output.count - Int(stream.pointee.avail_out))
        isBetweenMembers = code == Z_STREAM_END
        guard isBetweenMembers || code == Z_OK || code == Z_BUF_ERROR else {
            throw Damage(what: "gzip: \(stream.pointee.msg.map { String(cString: $0) } ?? "code \(code)")")
        }
        return isBetweenMembers
    }
}

/// Files of one or more xz streams, zero bytes between and behind them.
private final class Unxz: Decompressor {
    /// More memory than any preset of xz needs, and low enough that a hostile file is harmless.
    private static let memoryByteCountMax: UInt64 = 256 << 20

    private let stream: UnsafeMutablePointer<lzma_stream>
    private var isBetweenStreams = false
    private var isFirst = true

    init() throws(Damage) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: lzma_stream())
        try start()
    }

    /// Begins a stream; the library frees what it kept of the one before.
    private func start() throws(Damage) {
        let code = lzma_stream_decoder(stream, Self.memoryByteCountMax, 0)
        guard code == LZMA_OK else { throw Damage(what: "xz can't start, code \(code.rawValue)") }
    }

    deinit {
        lzma_end(stream)
        stream.deallocate()
    }

    func step(
        _ input: inout UnsafeRawBufferPointer, _ output: inout UnsafeMutableRawBufferPointer, isLast: Bool
    ) throws(Damage) -> Bool {
        if isBetweenStreams {
            input.dropPadding()
            guard let first = input.first else { return true }
            guard first == 0xFD else { throw Damage(what: "xz: trailing bytes after the data") }
            try start()
            (isBetweenStreams, isFirst) = (false, false)
        }
        stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = input.count
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = output.count
        let code = lzma_code(stream, isLast ? LZMA_FINISH : LZMA_RUN)
        input.drop(input.count - stream.pointee.avail_in)
        output.drop(output.count - stream.pointee.avail_out)
        switch code {
        case LZMA_STREAM_END:
            isBetweenStreams = true
            return true
        // The latter only says that there is nothing left to do.
        case LZMA_OK, LZMA_BUF_ERROR: return false
        case LZMA_MEMLIMIT_ERROR:
            throw Damage(what: "xz: needs more than \(Self.memoryByteCountMax >> 20) MiB of memory")
        case LZMA_FORMAT_ERROR where !isFirst: throw Damage(what: "xz: trailing bytes after the data")
        case LZMA_OPTIONS_ERROR: throw Damage(what: "xz: options that this version does not support")
        default: throw Damage(what: "xz: damaged data, code \(code.rawValue)")
        }
    }
}

/// Files of one or more Zstandard frames, zero bytes between and behind them. Frames with a window over 128 MiB are refused.
private final class Unzstd: Decompressor {
    private let context: OpaquePointer
    private var isBetweenFrames = false

    init() throws(Damage) {
        guard let context = ZSTD_createDCtx() else { throw Damage(what: "zstd can't start") }
        self.context = context
    }

    deinit { ZSTD_freeDCtx(context) }

    func step(
        _ input: inout UnsafeRawBufferPointer, _ output: inout UnsafeMutableRawBufferPointer, isLast: Bool
    ) throws(Damage) -> Bool {
        if isBetweenFrames {
            input.dropPadding()
            guard let first = input.first else { return true }
            // A frame begins with 0x28, one without data with 0x50 to 0x5F.
            guard first == 0x28 || first & 0xF0 == 0x50 else {
                throw Damage(what: "zstd: trailing bytes after the data")
            }
        }
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let code = ZSTD_decompressStream(context, &target, &source)
        input.drop(source.pos)
        output.drop(target.pos)
        guard ZSTD_isError(code) == 0 else { throw Damage(what: "zstd: \(String(cString: ZSTD_getErrorName(code)))") }
        isBetweenFrames = code == 0
        return isBetweenFrames
    }
}

extension UnsafeRawBufferPointer {
    fileprivate mutating func drop(_ count: Int) { self = UnsafeRawBufferPointer(rebasing: self[count...]) }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate mutating func drop(_ count: Int) { self = UnsafeMutableRawBufferPointer(rebasing: self[count...]) }
}
