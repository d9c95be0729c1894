import CLzma
import CZlib
import CZstd
import Foundation
import TrialModel

@testable import Traces

/// A folder for one test's traces, removed with its last owner.
final class TraceFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("traces-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of something in the folder.
    func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file and returns its path.
    @discardableResult
    func write(_ bytes: [UInt8], to name: String, as compression: TraceCompression = .none) throws -> String {
        try Data(compression.packed(bytes)).write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }

    @discardableResult
    func write(_ text: String, to name: String, as compression: TraceCompression = .none) throws -> String {
        try write(Array(text.utf8), to: name, as: compression)
    }

    func bytes(of name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name)))) }

    /// The error of reading a trace to its end; `nil` when there is none.
    static func error(
        _ path: String, _ format: TraceFormat? = nil, _ options: TraceReadingOptions = TraceReadingOptions()
    ) -> TraceError? {
        do throws(TraceError) {
            _ = try requests(path, format, options)
            return nil
        } catch { return error }
    }

    /// All requests of a trace.
    static func requests(
        _ path: String, _ format: TraceFormat? = nil, _ options: TraceReadingOptions = TraceReadingOptions()
    ) throws(TraceError) -> [TraceRequest] {
        let reader = try TraceReader(path: path, format: format, options: options)
        var block = TraceBlock()
        var requests: [TraceRequest] = []
        while try reader.read(into: &block) { for index in 0..<block.count { requests.append(block[index]) } }
        return requests
    }
}

extension TraceCompression {
    /// Every compression; a file may also have none.
    static let packings = allCases.filter { $0 != .none }

    /// The bytes, compressed with a checksum.
    func packed(_ bytes: [UInt8]) -> [UInt8] {
        var input = bytes
        var output = [UInt8](repeating: 0, count: bytes.count + bytes.count / 64 + 1024)
        var count = 0
        switch self {
        case .none: return bytes
        case .gzip:
            var stream = z_stream()
            withUnsafeMutablePointer(to: &stream) { stream in
                input.withUnsafeMutableBufferPointer { input in
                    output.withUnsafeMutableBufferPointer { output in
                        (stream.pointee.next_in, stream.pointee.avail_in) = (input.baseAddress, UInt32(input.count))
                        (stream.pointee.next_out, stream.pointee.avail_out) = (output.baseAddress, UInt32(output.count))
                        // 16: with a gzip header.
                        deflateInit2_(
                            stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                            Int32(MemoryLayout<z_stream>.size))
                        deflate(stream, Z_FINISH)
                        count = Int(stream.pointee.total_out)
                        deflateEnd(stream)
                    }
                }
            }
        case .xz: lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, nil, input, input.count, &output, &count, output.count)
        case .zstd:
            let context = ZSTD_createCCtx()
            ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
            count = ZSTD_compress2(context, &output, output.count, input, input.count)
            ZSTD_freeCCtx(context)
        }
        return Array(output.prefix(count))
    }
}

/// Bytes of binary traces.
enum Bytes {
    static func oracleGeneral(_ time: UInt32, _ key: UInt64, _ size: UInt32, _ next: Int64) -> [UInt8] {
        littleEndian(time) + littleEndian(key) + littleEndian(size) + littleEndian(next)
    }

    static func cache2k(_ numbers: UInt32...) -> [UInt8] { numbers.flatMap { littleEndian($0.byteSwapped) } }

    static func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
