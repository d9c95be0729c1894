import Testing
import TrialModel

@testable import Traces

@Suite(.timeLimit(.minutes(5))) struct CSVTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    private func keys(_ text: String, _ options: TraceReadingOptions = TraceReadingOptions()) throws -> [UInt64] {
        try TraceFolder.requests(folder.write(text, to: "a.csv"), .csv, options).map(\.key)
    }

    private func texts(_ text: String) throws -> [String] {
        try NumberedTrace(path: folder.write(text, to: "a.csv"), format: .csv).keyTexts.strings
    }

    @Test func `quoted fields hold commas, quotes and line ends`() throws {
        let found = try texts("key,size\n\"a,b\",1\n\"say \"\"no\"\"\",2\n\"two\nlines\",3\n\"\"\"\",4\n")
        #expect(found == ["a,b", "say \"no\"", "two\nlines", "\""])
        #expect(try texts("key,size\n\"a\nb\",1\n\"1\n2\",2\n") == ["a\nb", "1\n2"])
    }

    @Test(arguments: ["a\"b\nc\"d\n", "a\"b\"\n", "\"a\"b\n", "\"a\n"])
    func `a quote in the wrong place never joins lines`(rows: String) throws {
        let error = TraceFolder.error(try folder.write("key\n" + rows, to: "a.csv"), .csv)
        #expect(error?.line == 2)
        #expect(error?.requestCount == 0)
    }

    @Test func `a header may have a byte order mark, spaces and other names`() throws {
        let path = try folder.write("\u{FEFF}Timestamp, URL ,junk,BYTES,ttl\r\n3,/a,?,9,5\r\n", to: "a.csv")
        #expect(
            try TraceFolder.requests(path, .csv) == [
                TraceRequest(key: 0, timeNanoseconds: 3_000_000_000, size: 9, lifetimeSeconds: 5)
            ])
    }

    @Test func `the caller can name the columns of a file without header`() throws {
        var options = TraceReadingOptions()
        options.csvColumns = [nil, .key]
        #expect(try keys("9,4\n9,5\n", options) == [4, 5])
    }

    @Test func `keys are numbers when every key near the beginning is one as programs write it, or as declared`() throws
    {
        #expect(try keys("key\n12\n0\n12\n") == [12, 0, 12])
        #expect(try keys("key\n7\n007\n7\n") == [0, 1, 0])
        var options = TraceReadingOptions()
        options.csvKeys = .text
        #expect(try keys("key\n12\n0\n12\n", options) == [0, 1, 0])
    }

    @Test func `a later key that is not a number is a key of its own`() throws {
        let many = (0..<60_000).map { "\($0 + 1000)\n" }.joined()
        let path = try folder.write("key\n" + many + "01234\n1234\nmany\n01234\nmany\n", to: "late.csv")
        let trace = try NumberedTrace(path: path)
        #expect(trace.ids.suffix(5) == [60_000, 234, 60_001, 60_000, 60_001])
        #expect(trace.keyTexts.strings[60_000] == "01234")
        #expect(try numbers(path).ids == trace.ids)
    }

    @Test func `keys that the caller declares as numbers must be written as numbers`() throws {
        var options = TraceReadingOptions()
        options.csvKeys = .numbers
        for key in ["01234", "many"] {
            let path = try folder.write("key\n1\n\(key)\n", to: "\(key).csv")
            #expect(TraceFolder.error(path, .csv, options)?.line == 3)
        }
    }

    @Test func `an unused column may hold anything`() throws {
        let path = try folder.write("time,key,size\n2026-01-01T00:00:00Z,5,9\n", to: "iso.csv")
        #expect(TraceFolder.error(path)?.line == 2)
        #expect(
            try TraceFolder.requests(path, nil, TraceReadingOptions(columns: .size)) == [TraceRequest(key: 5, size: 9)])
    }

    @Test(arguments: [
        (TraceTimeUnit.seconds, UInt64(1_250_000_000)), (.milliseconds, 1_250_000), (.microseconds, 1_250),
        (.nanoseconds, 1),
    ])
    func `a time counts in its unit`(unit: TraceTimeUnit, expected: UInt64) throws {
        var options = TraceReadingOptions()
        options.csvTimeUnit = unit
        let path = try folder.write("time,key\n1.25,1\n", to: "a.csv")
        #expect(try TraceFolder.requests(path, .csv, options).first?.timeNanoseconds == expected)
    }
}
