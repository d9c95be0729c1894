import Foundation
import Testing
import TrialModel

@testable import Traces

@Suite(.timeLimit(.minutes(5))) struct PackedErrorTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    /// Numbers that compress badly, so that damage is in the middle of the data.
    private static let text = (0..<60_000).map { String(UInt64($0) &* 0x9E37_79B9_7F4A_7C15) }
        .joined(separator: "\n")

    @Test(arguments: TraceCompression.packings, ["cut", "damaged", "longer"])
    func `the requests before damage are counted, and the place is that in the uncompressed data`(
        compression: TraceCompression, change: String
    ) throws {
        var bytes = compression.packed(Array(Self.text.utf8))
        switch change {
        case "cut": bytes.removeLast(bytes.count / 3)
        case "damaged": for index in (bytes.count * 3 / 4)..<(bytes.count * 3 / 4 + 64) { bytes[index] ^= 0xA5 }
        default: bytes += Array("trailing garbage".utf8)
        }
        let error = try #require(TraceFolder.error(try folder.write(bytes, to: "bad"), .lirs))
        #expect(error.requestCount > 1000)
        #expect(error.byteOffset ?? 0 > 10_000)
        if case .truncated = error.reason { #expect(change == "cut") } else { #expect(change != "cut") }
    }

    @Test(arguments: TraceCompression.packings) func `a bomb is read with constant memory`(
        compression: TraceCompression
    ) throws {
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

    @Test(arguments: TraceCompression.packings)
    func `a checksum detects every single changed byte of compressed data`(compression: TraceCompression) throws {
        let bytes = compression.packed(Array((0..<400).map { "\($0 * $0)\n" }.joined().utf8))
        var random = RandomSource(seed: 9, stream: 4)
        for _ in 0..<100 {
            var damaged = bytes
            // Behind the header, whose time and name are not checked.
            let index = 10 + Int(random.next(below: UInt64(bytes.count - 10)))
            damaged[index] ^= 1 << UInt8(random.next(below: 8))
            #expect(TraceFolder.error(try folder.write(damaged, to: "bad"), .lirs) != nil, "byte \(index)")
        }
    }
}
