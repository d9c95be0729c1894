import Testing
import TrialModel

@testable import Traces

@Suite(.timeLimit(.minutes(5))) struct FormatTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    @Test func `there is a sample of every format`() {
        #expect(Set(FormatSample.all.map(\.format)) == Set(TraceFormat.allCases))
    }

    @Test(arguments: FormatSample.all, TraceCompression.allCases)
    func `a hand-written trace is read as documented`(sample: FormatSample, compression: TraceCompression) throws {
        let path = try folder.write(sample.bytes, to: "sample", as: compression)
        #expect(try TraceFolder.requests(path, sample.format) == sample.requests)
        #expect(try TraceReader(path: path, format: sample.format).window.compression == compression)
    }

    @Test(arguments: FormatSample.all, [1, 2])
    func `the size of a block changes nothing`(sample: FormatSample, size: Int) throws {
        var options = TraceReadingOptions()
        options.blockRequestCount = size
        let path = try folder.write(sample.bytes, to: "sample")
        #expect(try TraceFolder.requests(path, sample.format, options) == sample.requests)
    }

    @Test(arguments: FormatSample.all)
    func `columns that are not requested are absent`(sample: FormatSample) throws {
        let path = try folder.write(sample.bytes, to: "sample")
        let requests = try TraceFolder.requests(path, sample.format, TraceReadingOptions(columns: .keyOnly))
        #expect(requests == sample.requests.map { TraceRequest(key: $0.key) })
    }

    @Test(arguments: FormatSample.all.filter(\.format.isText))
    func `the last line needs no line break`(sample: FormatSample) throws {
        var bytes = sample.bytes
        while bytes.last == 0x0A || bytes.last == 0x0D { bytes.removeLast() }
        let path = try folder.write(bytes, to: "sample")
        #expect(try TraceFolder.requests(path, sample.format) == sample.requests)
    }

    @Test(arguments: TraceCompression.packings)
    func `concatenated compressed parts are one trace`(compression: TraceCompression) throws {
        let parts = ["1\n2", "3\n", "", "4\n"].flatMap { compression.packed(Array($0.utf8)) }
        let path = try folder.write(parts, to: "parts.lirs")
        #expect(try TraceFolder.requests(path, .lirs).map(\.key) == [1, 23, 4])
    }

    @Test func `a zstd frame without data before the others is skipped`() throws {
        let skippable: [UInt8] = [0x53, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 9, 9]
        let path = try folder.write(skippable + TraceCompression.zstd.packed(Array("8\n".utf8)), to: "skip")
        #expect(try TraceFolder.requests(path, .lirs).map(\.key) == [8])
    }

    @Test(arguments: TraceCompression.allCases)
    func `a trace larger than the window is read whole`(compression: TraceCompression) throws {
        let keys = (0..<60_000).map { UInt64($0) &* 0x9E37_79B9_7F4A_7C15 }
        let text = keys.map(String.init).joined(separator: "\n")
        let path = try folder.write(text, to: "large", as: compression)
        #expect(try TraceFolder.requests(path, .lirs).map(\.key) == keys)
    }

    @Test func `the hash of a text is the same in every run`() {
        let hashes = ["v2/a", "longer than a word"].map { text in
            Array(text.utf8).withUnsafeBytes { TextHash.of($0, seed: 0) }
        }
        #expect(hashes == [3_338_017_029_834_458_410, 5_914_466_392_873_035_025])
    }
}
