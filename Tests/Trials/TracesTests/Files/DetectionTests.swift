import Testing
import TrialModel

@testable import Traces

@Suite(.timeLimit(.minutes(5))) struct DetectionTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    private func detect(_ text: String, _ name: String) throws -> TraceFormat {
        try TraceReader.detect(path: folder.write(text, to: name))
    }

    private func reason(_ text: String, _ name: String) throws -> TraceError.Reason? {
        let path = try folder.write(text, to: name)
        return #expect(throws: TraceError.self) { try TraceReader.detect(path: path) }?.reason
    }

    @Test(arguments: FormatSample.all)
    func `a sample is detected by its content, with its name or without`(sample: FormatSample) throws {
        // Keys with commas, and text that no other format accepts.
        for (name, compression) in [
            ("sample", TraceCompression.none), ("my.trace.\(sample.format.rawValue).gz", .gzip),
        ] {
            let path = try folder.write(sample.bytes, to: name, as: compression)
            #expect(try TraceReader.detect(path: path) == sample.format)
        }
    }

    @Test func `twitter and msr may be named csv`() throws {
        #expect(try detect("0,q,1,1,5,get,0\n", "cluster.csv") == .twitter)
        #expect(try detect("128166372003061629,hm,0,Read,383496192,32768,413\n", "hm_0.csv") == .msr)
    }

    @Test func `a name that the content contradicts is an error`() throws {
        #expect(try reason("1\n2\n", "a.lis") == .contradictoryFormat(name: .arc, content: [.lirs]))
    }

    @Test(arguments: [
        ("1\n2\n", "a.keys", TraceFormat.keys), ("key\na\n", "a.tsv", .tsv), ("a,b\nc\n", "b.keys", .keys),
    ])
    func `a name whose format can hold the content wins`(text: String, name: String, format: TraceFormat) throws {
        #expect(try detect(text, name) == format)
        #expect(TraceFolder.error(folder.path(name)) == nil)
    }

    @Test func `the decoder of the named format says what is wrong, and where`() throws {
        let keys = try folder.write("a\nb\n\n", to: "blank.keys")
        #expect(TraceFolder.error(keys)?.line == 3)
        let record = Bytes.oracleGeneral(10, 7, 512, -1)
        let cut = try folder.write(record + record.dropLast(3), to: "cut.oracleGeneral.bin")
        #expect(TraceFolder.error(cut)?.byteOffset == 24)
        let numbers = try folder.write(Array(Bytes.cache2k(0, 1, 2).dropLast()), to: "cut.cache2k")
        #expect(TraceFolder.error(numbers)?.byteOffset == 8)
    }

    @Test func `the message of an unclear format says what can be given`() throws {
        let path = try folder.write("\0\u{1}\u{2}\u{3}\u{4}", to: "a")
        #expect(
            TraceFolder.error(path)?.description
                == "\(path): unclear which format this is; give one of arc, lirs, oracleGeneral, cache2k, csv, tsv, keys, "
                + "twitter, msr, redis")
    }

    @Test func `lines with commas under no known header could be keys or a file without header`() throws {
        #expect(try reason("a,b\nc,d\n", "a") == .ambiguousFormat([.csv, .keys]))
    }

    @Test func `an empty file has no format`() throws { #expect(try reason("", "a.lis") == .empty) }

    @Test func `names are recognised in any case`() {
        #expect(TraceFormat(named: "ORACLEgeneral") == .oracleGeneral)
        #expect(TraceFormat(named: "oracle") == nil)
        #expect(Set(TraceFormat.allCases.map(\.summary)).count == TraceFormat.allCases.count)
    }
}
