import Foundation
import Testing

@testable import Traces

@Suite(.timeLimit(.minutes(1))) struct PackedErrorTests {
    static let packings = TraceCompression.allCases.filter { $0 != .none }
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    /// Numbers that compress badly, so that damage is in the middle of the data.
    private static let text = (0..<60_000).map { String(UInt64($0) &* 0x9E37_79B9_7F4A_7C15) }
        .joined(separator: "\n")

    @Test(arguments: packings) func `compressed data that end early are truncated`(compression: TraceCompression) throws
    {
        let bytes = try folder.packed(Array(Self.text.utf8), as: compression)
        let path = try folder.write(Array(bytes.dropLast(bytes.count / 3)), to: "bad")
        let error = try #require(TraceFolder.error(path, .lirs))
        guard case .truncated = error.reason else { return #expect(error.reason == .truncated("")) }
        #expect(error.requestCount > 1000)
        #expect(error.byteOffset ?? 0 > 10_000)
    }

    @Test(arguments: packings) func `compressed data without their last byte are truncated`(
        compression: TraceCompression
    ) throws {
        let bytes = try folder.packed(Array("1\n2\n".utf8), as: compression)
        let path = try folder.write(Array(bytes.dropLast()), to: "bad")
        let error = try #require(TraceFolder.error(path, .lirs))
        guard case .truncated = error.reason else { return #expect(error.reason == .truncated("")) }
    }

    @Test(arguments: packings) func `damage is found, and the requests before it are counted`(
        compression: TraceCompression
    ) throws {
        var bytes = try folder.packed(Array(Self.text.utf8), as: compression)
        for index in (bytes.count * 3 / 4)..<(bytes.count * 3 / 4 + 64) { bytes[index] ^= 0xA5 }
        let error = try #require(TraceFolder.error(try folder.write(bytes, to: "bad"), .lirs))
        #expect(error.requestCount > 1000)
        #expect(error.byteOffset ?? 0 > 10_000)
    }

    @Test(arguments: packings) func `bytes after the compressed data are damage`(compression: TraceCompression) throws {
        let bytes = try folder.packed(Array("1\n2\n".utf8), as: compression)
        let path = try folder.write(bytes + Array("trailing garbage".utf8), to: "bad")
        let error = try #require(TraceFolder.error(path, .lirs))
        guard case .corrupt = error.reason else { return #expect(error.reason == .corrupt("")) }
        #expect(error.requestCount == 2)
        #expect(error.byteOffset == 4)
    }

    @Test(arguments: packings) func `a bomb is read with constant memory`(compression: TraceCompression) throws {
        let path = try folder.write([UInt8](repeating: 0, count: 16 << 20), to: "bomb", as: compression)
        let reader = try TraceReader(path: path, format: .cache2k)
        var block = TraceBlock()
        while try reader.read(into: &block) {}
        #expect(reader.requestCount == 4 << 20)
    }

    @Test func `a trace that would fill the memory is refused by its number of requests`() throws {
        let path = try folder.write([UInt8](repeating: 0, count: 4 << 20), to: "bomb", as: .zstd)
        let error = #expect(throws: TraceError.self) {
            try NumberedTrace(path: path, format: .cache2k, requestCountMax: 100_000)
        }
        #expect(error?.reason == .tooMany("requests", limit: 100_000))
    }
}
