import Foundation
import Testing
import TrialModel

@testable import Traces

/// Damaged traces: a result or an error, never a trap or a hang.
@Suite(.timeLimit(.minutes(2))) struct FuzzTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    /// Changes that expose the typical mistakes of a parser.
    private static func mutated(_ bytes: [UInt8], _ random: inout RandomSource) -> [UInt8] {
        var bytes = bytes
        let interesting = Array("\0\n\r,\"\t*0 99999999999999999999-.".utf8) + [0xFF, 0x80, 0x7F]
        for _ in 0...random.next(below: 4) {
            let index = Int(random.next(below: UInt64(bytes.count + 1)))
            switch random.next(below: 6) {
            case 0: bytes.insert(interesting[Int(random.next(below: UInt64(interesting.count)))], at: index)
            case 1 where index < bytes.count: bytes.remove(at: index)
            case 2 where index < bytes.count: bytes[index] = UInt8(truncatingIfNeeded: random.next())
            case 3 where index < bytes.count:
                bytes[index] = interesting[Int(random.next(below: UInt64(interesting.count)))]
            case 4: bytes.removeLast(bytes.count - index)
            default: bytes.append(contentsOf: bytes[index...])
            }
        }
        return bytes
    }

    /// Reads the file in every way, and returns how it ended.
    private func read(_ path: String, _ format: TraceFormat?, _ options: TraceReadingOptions) -> TraceError? {
        let error = TraceFolder.error(path, format, options)
        if let error {
            #expect(error.path == path)
            #expect(!error.description.isEmpty)
        }
        _ = try? NumberedTrace(path: path, format: format, options: options, requestCountMax: 1 << 22)
        return error
    }

    @Test(arguments: FormatSample.all, 0..<4 as Range<UInt64>)
    func `a damaged trace is read or refused`(sample: FormatSample, seed: UInt64) throws {
        var random = RandomSource(seed: seed, stream: 1)
        var options = TraceReadingOptions()
        options.blockRequestCount = 3
        for round in 0..<150 {
            let path = try folder.write(Self.mutated(sample.bytes, &random), to: "\(seed)-\(round)")
            _ = read(path, sample.format, options)
            unlink(path)
        }
    }

    @Test(arguments: FormatSample.all) func `a damaged trace of no known format is read or refused`(
        sample: FormatSample
    ) throws {
        var random = RandomSource(seed: 5, stream: 2)
        for round in 0..<150 {
            let path = try folder.write(Self.mutated(sample.bytes, &random), to: "\(round)")
            _ = read(path, nil, TraceReadingOptions())
            // Any bytes may be taken for any format.
            _ = read(path, TraceFormat.allCases[round % TraceFormat.allCases.count], TraceReadingOptions())
            unlink(path)
        }
    }

    @Test(arguments: TraceCompression.allCases.filter { $0 != .none }, 0..<4 as Range<UInt64>)
    func `damaged compressed data are read or refused`(compression: TraceCompression, seed: UInt64) throws {
        let bytes = try folder.packed(
            Array((0..<5000).map { "\($0 * $0)\n" }.joined().utf8), as: compression)
        var random = RandomSource(seed: seed, stream: 3)
        for round in 0..<100 {
            let path = try folder.write(Self.mutated(bytes, &random), to: "\(seed)-\(round)")
            _ = read(path, .lirs, TraceReadingOptions())
            unlink(path)
        }
    }

    @Test func `a checksum detects every single changed byte of compressed data`() throws {
        let text = (0..<400).map { "\($0 * $0)\n" }.joined()
        var random = RandomSource(seed: 9, stream: 4)
        for compression in [TraceCompression.gzip, .xz, .zstd] {
            let bytes = try folder.packed(Array(text.utf8), as: compression)
            for round in 0..<100 {
                var damaged = bytes
                // Behind the header, whose time and name are not checked.
                let index = 10 + Int(random.next(below: UInt64(bytes.count - 10)))
                damaged[index] ^= 1 << UInt8(random.next(below: 8))
                let path = try folder.write(damaged, to: "\(compression)-\(round)")
                #expect(read(path, .lirs, TraceReadingOptions()) != nil, "byte \(index) of \(compression)")
            }
        }
    }
}
