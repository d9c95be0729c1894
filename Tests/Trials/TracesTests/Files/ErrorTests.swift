import Testing
import TrialModel

@testable import Traces

@Suite(.timeLimit(.minutes(5))) struct ErrorTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    // Limits and counts that the committed bad traces of `HostileInputTests`, which have all other messages, do not reach.
    @Test(
        arguments: [
            (.arc, "5 0 0 0\n", "count out of range: found \"5 0 0 0\"; allowed is 1 to 512"),
            (.lirs, "99999999999999999999999999x\n", "not a record: found key \"99999999999999999999999999x\""),
            (
                .csv, "key,time\n1,1.\n",
                "not a record: found time \"1.\"; allowed is a number, with or without a fraction"
            ),
            (
                .twitter, "1,k,9223372036854775807,1,1,get,0\n",
                "size out of range: found 9223372036854775808; allowed is 0 to 9223372036854775807"
            ),
            (.twitter, "1,k,1,1,1,get\n", "not a record: found \"1,k,1,1,1,get\"; allowed is seven fields"),
            (
                .msr, "1,h,0,Read,4503599627370496,1,1\n",
                "offset out of range: found \"4503599627370496\"; allowed is 0 to 4503599627370495"
            ),
            (.msr, "1,h,0,Read,0,1\n", "not a record: found \"1,h,0,Read,0,1\"; allowed is seven fields"),
            (.msr, "1,h,i,0,Read,0,1,1\n", "not a record: found \"1,h,i,0,Read,0,1,1\"; allowed is seven fields"),
        ] as [(TraceFormat, String, String)], [TraceCompression.none, .zstd])
    func `a bad line is named with its place and the allowed values`(
        bad: (format: TraceFormat, text: String, message: String), compression: TraceCompression
    ) throws {
        let path = try folder.write(bad.text, to: "bad", as: compression)
        let line = bad.format == .csv ? 2 : 1
        #expect(TraceFolder.error(path, bad.format)?.description.hasPrefix("\(path):\(line): \(bad.message)") == true)
    }

    @Test func `a bad line behind many blocks has its place and count`() throws {
        let text = String(repeating: "1234567\n", count: 100_000) + "oops\n7\n"
        let error = TraceFolder.error(try folder.write(text, to: "bad"), .lirs)
        #expect(error?.byteOffset == 800_000)
        #expect(error?.line == 100_001)
        #expect(error?.requestCount == 100_000)
    }

    @Test(arguments: [TraceFormat.lirs, .keys, .csv, .arc])
    func `a huge line is refused without being held in memory`(format: TraceFormat) throws {
        let text = (format == .csv ? "key\n" : "") + String(repeating: "7", count: 1 << 20)
        let error = TraceFolder.error(try folder.write(text, to: "bad"), format)
        #expect(error?.reason == .lineTooLong(limit: 65536))
        #expect(error?.byteOffset == (format == .csv ? 4 : 0))
    }

    @Test func `a quote that never closes is a line that is too long`() throws {
        let text = "key\na\n\"" + String(repeating: "b\n", count: 100_000)
        let error = TraceFolder.error(try folder.write(text, to: "bad"), .csv)
        #expect(error?.reason == .lineTooLong(limit: 65536))
        #expect(error?.line == 3)
        #expect(error?.byteOffset == 6)
    }

    @Test(arguments: FormatSample.all, TraceCompression.allCases)
    func `a trace without requests is an error`(sample: FormatSample, compression: TraceCompression) throws {
        let header = sample.format == .csv || sample.format == .tsv ? "key\n" : ""
        let path = try folder.write(header, to: "empty", as: compression)
        #expect(TraceFolder.error(path, sample.format)?.reason == .empty)
    }

    @Test func `an error is returned again, and no block after it`() throws {
        let reader = try TraceReader(path: folder.write("1\nx\n2\n", to: "bad"), format: .lirs)
        var block = TraceBlock()
        for _ in 0..<3 {
            #expect(throws: TraceError.self) { try reader.read(into: &block) }
            #expect(block.count == 0)
        }
    }
}
