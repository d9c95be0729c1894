import Testing

@testable import Traces

@Suite(.timeLimit(.minutes(1))) struct ErrorTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    /// A text trace, and the whole message that it must give behind the path.
    struct Case: Sendable, CustomTestStringConvertible {
        let format: TraceFormat
        let text: String
        let message: String
        var testDescription: String { "\(format.rawValue): \(message)" }
    }

    static let cases = [
        Case(
            format: .arc, text: "1 1 0 0\n2 1 0\n",
            message:
                ":2: not a record: found \"2 1 0\"; allowed is four numbers, such as `1845 8 0 0`: start, count, x, x "
                + "(byte 8, read as arc, after 1 requests)"),
        Case(
            format: .arc, text: "1 3 0 0\nx 1 0 0\n",
            message: ":2: not a record: found start \"x\"; allowed is a whole number, digits only "
                + "(byte 8, read as arc, after 3 requests)"),
        Case(
            format: .arc, text: "1 18446744073709551615 0 0\n",
            message: ":1: count out of range: found \"1 18446744073709551615 0 0\"; "
                + "allowed is 1 to 1048576, and no key beyond 2^64 - 1 (byte 0, read as arc)"),
        Case(
            format: .arc, text: "18446744073709551615 2 0 0\n",
            message: ":1: count out of range: found \"18446744073709551615 2 0 0\"; "
                + "allowed is 1 to 1048576, and no key beyond 2^64 - 1 (byte 0, read as arc)"),
        Case(
            format: .arc, text: "5 0 0 0\n",
            message: ":1: count out of range: found \"5 0 0 0\"; "
                + "allowed is 1 to 1048576, and no key beyond 2^64 - 1 (byte 0, read as arc)"),
        Case(
            format: .lirs, text: "1\n\n-2\n",
            message: ":3: not a record: found key \"-2\"; allowed is a whole number, digits only "
                + "(byte 3, read as lirs, after 1 requests)"),
        Case(
            format: .lirs, text: "18446744073709551616\n",
            message: ":1: key out of range: found \"18446744073709551616\"; allowed is 0 to 18446744073709551615 "
                + "(byte 0, read as lirs)"),
        Case(
            format: .lirs, text: "99999999999999999999999999999999999999999x\n",
            message: ":1: not a record: found key \"99999999999999999999999999999999999999999x\"; "
                + "allowed is a whole number, digits only (byte 0, read as lirs)"),
        Case(
            format: .keys, text: "a\n\nb\n",
            message: ":2: not a record: found an empty key; allowed is a text key without NUL "
                + "(byte 2, read as keys, after 1 requests)"),
        Case(
            format: .keys, text: "a\nb\0c\n",
            message: ":2: not a record: found a NUL byte; allowed is a text key without NUL "
                + "(byte 2, read as keys, after 1 requests)"),
        Case(
            format: .csv, text: "key,size\n1,2\n3\n",
            message: ":3: not a record: found \"3\"; allowed is 2 fields, quoted as in RFC 4180 "
                + "(byte 13, read as csv, after 1 requests)"),
        Case(
            format: .csv, text: "key,size\n1,2,3\n",
            message: ":2: not a record: found \"1,2,3\"; allowed is 2 fields, quoted as in RFC 4180 "
                + "(byte 9, read as csv)"),
        Case(
            format: .csv, text: "key,size\n1,4294967296\n",
            message: ":2: size out of range: found \"4294967296\"; allowed is 0 to 4294967295 (byte 9, read as csv)"),
        Case(
            format: .csv, text: "key,time\n1,99999999999\n",
            message:
                ":2: time out of range: found \"99999999999\"; allowed is 0 to 18446744073, or another unit of time "
                + "(byte 9, read as csv)"),
        Case(
            format: .csv, text: "key,time\n1,1.\n",
            message: ":2: not a record: found time \"1.\"; allowed is a number, with or without a fraction "
                + "(byte 9, read as csv)"),
        Case(
            format: .csv, text: "key\n\"a\nb\n",
            message: ":2: not a record: found \"\"a.b.\"; allowed is 1 field, quoted as in RFC 4180 "
                + "(byte 4, read as csv)"),
        Case(
            format: .csv, text: "key,op\n1,fly\n",
            message: ":2: not a record: found operation \"fly\"; allowed is \(OperationName.allowed) "
                + "(byte 7, read as csv)"),
        Case(
            format: .csv, text: "size,time\n1,2\n",
            message: ":1: unusable columns: found \"size,time\"; allowed is \(CSVLayout.allowed) (byte 0, read as csv)"),
        Case(
            format: .tsv, text: "key\tid\n1\t2\n",
            message: ":1: unusable columns: found \"key.id\"; allowed is \(CSVLayout.allowed) (byte 0, read as tsv)"),
        Case(
            format: .twitter, text: "1,k,1,1,1,get\n",
            message: ":1: not a record: found \"1,k,1,1,1,get\"; "
                + "allowed is seven fields: timestamp,key,key size,value size,client,operation,lifetime "
                + "(byte 0, read as twitter)"),
        Case(
            format: .twitter, text: "1,k,4294967295,1,1,get,0\n",
            message: ":1: size out of range: found 4294967296; allowed is 0 to 4294967295 (byte 0, read as twitter)"),
        Case(
            format: .msr, text: "1,h,0,Read,4503599627370496,1,1\n",
            message: ":1: offset out of range: found \"4503599627370496\"; allowed is 0 to 4503599627370495 "
                + "(byte 0, read as msr)"),
        Case(
            format: .msr, text: "1,h,0,Read,0,1\n",
            message: ":1: not a record: found \"1,h,0,Read,0,1\"; "
                + "allowed is seven fields: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime "
                + "(byte 0, read as msr)"),
    ]

    @Test(arguments: cases, [TraceCompression.none, .zstd])
    func `a bad line is named with its place and the allowed values`(
        bad: Case, compression: TraceCompression
    ) throws {
        let path = try folder.write(bad.text, to: "bad", as: compression)
        #expect(TraceFolder.error(path, bad.format)?.description == path + bad.message)
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

    @Test func `a truncated last record of a binary trace is an error`() throws {
        let bytes = Bytes.oracleGeneral(1, 2, 3, -1) + [1, 2, 3]
        let error = TraceFolder.error(try folder.write(bytes, to: "bad"), .oracleGeneral)
        #expect(error?.reason == .truncated("the last record has 3 of 24 bytes"))
        #expect(error?.byteOffset == 24)
        #expect(error?.requestCount == 1)
    }

    @Test func `a truncated last number of a binary trace is an error`() throws {
        let error = TraceFolder.error(try folder.write(Bytes.cache2k(0, 1) + [0], to: "bad"), .cache2k)
        #expect(error?.reason == .truncated("the last number has 1 of 4 bytes"))
        #expect(error?.byteOffset == 8)
        #expect(error?.requestCount == 2)
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
