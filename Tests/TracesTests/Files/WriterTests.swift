import Foundation
import Testing

@testable import Traces

@Suite(.timeLimit(.minutes(1))) struct WriterTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    private func written(
        _ text: String, _ name: String, as format: TraceFormat, _ compression: TraceCompression = .none
    ) throws -> String {
        let trace = try NumberedTrace(path: folder.write(text, to: name))
        try TraceWriter.write(trace, path: folder.path("out"), format: format, compression: compression)
        return folder.path("out")
    }

    @Test func `oracleGeneral has the next requests counted from 1`() throws {
        _ = try written("time,key,size\n1,5,10\n2.5,6,20\n3,5,30\n", "a.csv", as: .oracleGeneral)
        #expect(
            try folder.bytes(of: "out")
                == Bytes.oracleGeneral(1, 5, 10, 3) + Bytes.oracleGeneral(2, 6, 20, -1)
                + Bytes.oracleGeneral(3, 5, 30, -1))
    }

    @Test func `csv has the columns with information, and quotes where they are needed`() throws {
        let text = "key,time,ttl,size\n\"a,\"\"b\n\",1.000000200,,1\nc,2,3,1\n"
        _ = try written(text, "a.csv", as: .csv)
        #expect(
            String(decoding: try folder.bytes(of: "out"), as: UTF8.self)
                == "time,key,lifetime\n1.0000002,\"a,\"\"b\n\",0\n2,c,3\n")
    }

    @Test func `keys are a text or a number per line`() throws {
        _ = try written("a b\nc\na b\n", "a.keys", as: .keys)
        #expect(try folder.bytes(of: "out") == Array("a b\nc\na b\n".utf8))
        let trace = try NumberedTrace(path: folder.write("7\n5\n7\n", to: "b.lirs"))
        try TraceWriter.write(trace, path: folder.path("out2"), format: .keys)
        #expect(try folder.bytes(of: "out2") == Array("7\n5\n7\n".utf8))
    }

    @Test(arguments: TraceWriter.formats, TraceCompression.allCases)
    func `a written trace is read back unchanged`(format: TraceFormat, compression: TraceCompression) throws {
        var text = "time,key,size,operation,lifetime\n"
        for index in 0..<2_000 {
            let key = UInt64(index % 777) &* 0x9E37_79B9_7F4A_7C15
            text += "\(index / 10),\(key),\(index % 9),\(index % 5 == 0 ? "write" : "read"),\(index % 3)\n"
        }
        let path = try written(text, "a.csv", as: format, compression)
        let before = try TraceFolder.requests(folder.path("a.csv"))
        let after = try NumberedTrace(path: path, format: format)
        #expect(after.ids == (try NumberedTrace(path: folder.path("a.csv"))).ids)
        if format == .csv || format == .tsv { #expect(try TraceFolder.requests(path, format) == before) }
        if format == .oracleGeneral { #expect(after.sizes == before.map(\.size)) }
        #expect(try TraceReader(path: path, format: format).compression == compression)
    }

    @Test func `a trace longer than a block is written whole`() throws {
        let text = (0..<40_000).map { "\($0 * $0)\n" }.joined()
        #expect(try String(contentsOfFile: written(text, "a.lirs", as: .keys), encoding: .utf8) == text)
    }

    @Test func `an existing file is not replaced`() throws {
        try folder.write("mine", to: "out")
        let error = #expect(throws: TraceError.self) { try written("1\n", "a.lirs", as: .keys) }
        #expect(error?.reason == .writeFailed("File exists"))
        #expect(try folder.bytes(of: "out") == Array("mine".utf8))
    }

    @Test func `a file gets its name once it is finished, and is hidden before that`() throws {
        let sink = try FileByteSink(path: folder.path("new"))
        try Array("half".utf8).withUnsafeBytes { try sink.write($0) }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.count == 1 && names.allSatisfy { $0.hasPrefix(".") })
        try sink.finish()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["new"])
    }

    @Test func `a file that appears while another is written stays`() throws {
        let sink = try FileByteSink(path: folder.path("new"))
        try folder.write("mine", to: "new")
        #expect(throws: TraceFault.self) { try sink.finish() }
        #expect(try folder.bytes(of: "new") == Array("mine".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["new"])
    }

    @Test func `a written trace is read back under its name`() throws {
        let trace = try NumberedTrace(path: folder.write("5\n7\n5\n", to: "a.lirs"))
        for format in TraceWriter.formats {
            let path = folder.path("copy.\(format.rawValue)")
            try TraceWriter.write(trace, path: path, format: format)
            #expect(try TraceReader.detect(path: path) == format)
            #expect(try NumberedTrace(path: path).ids == trace.ids)
        }
    }

    @Test func `writes and removals can be left out`() throws {
        let path = try folder.write("key,operation,size\n1,read,5\n2,write,6\n1,delete,0\n1,read,7\n", to: "a.csv")
        let reads = try NumberedTrace(path: path).readsOnly()
        #expect(reads.ids == [0, 0] && reads.sizes == [5, 7] && reads.operations == nil)
    }

    @Test func `a file that can't be finished is removed`() throws {
        let error = #expect(throws: TraceError.self) {
            try written("key\n\"a\nb\"\nc\n", "a.csv", as: .keys)
        }
        #expect(
            error?.reason
                == .outOfRange("key", found: "\"a.b\"", allowed: "a key without line end or separator; use csv"))
        #expect(FileManager.default.fileExists(atPath: folder.path("out")) == false)
    }

    @Test func `a time that oracleGeneral can't hold is an error`() throws {
        let error = #expect(throws: TraceError.self) {
            try written("key,time\n1,4294967295\n1,4294967296\n", "a.csv", as: .oracleGeneral)
        }
        #expect(
            error?.reason == .outOfRange("time", found: "4294967296 s", allowed: "0 to 4294967295 s in oracleGeneral"))
        #expect(error?.requestCount == 1)
    }

    @Test func `a format that can't be written names those that can`() throws {
        let error = #expect(throws: TraceError.self) { try written("1\n", "a.lirs", as: .arc) }
        #expect(error?.reason == .writeFailed("only these formats are written: oracleGeneral, csv, tsv, keys"))
    }
}
