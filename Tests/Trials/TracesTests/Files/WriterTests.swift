import Foundation
import Testing
import TrialModel

@testable import Traces

@Suite(.timeLimit(.minutes(5))) struct WriterTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    private func written(_ text: String, _ name: String, as format: TraceFormat) throws -> [UInt8] {
        let trace = try NumberedTrace(path: folder.write(text, to: name))
        try TraceWriter.write(trace, path: folder.path("out"), format: format)
        return try folder.bytes(of: "out")
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test func `oracleGeneral has the next requests counted from 1`() throws {
        #expect(
            try written("time,key,size\n1,5,10\n2.5,6,20\n3,5,30\n", "a.csv", as: .oracleGeneral)
                == Bytes.oracleGeneral(1, 5, 10, 3) + Bytes.oracleGeneral(2, 6, 20, -1)
                + Bytes.oracleGeneral(3, 5, 30, -1))
    }

    @Test func `csv has the columns with information, and quotes where they are needed`() throws {
        let text = "key,time,ttl,size\n\"a,\"\"b\n\",1.000000200,,1\nc,2,3,1\n"
        #expect(
            String(decoding: try written(text, "a.csv", as: .csv), as: UTF8.self)
                == "time,key,lifetime\n1.0000002,\"a,\"\"b\n\",0\n2,c,3\n")
    }

    @Test(arguments: TraceWriter.formats, [false, true])
    func `a written trace is read back unchanged`(format: TraceFormat, isNamed: Bool) throws {
        var text = "time,key,size,operation,lifetime\n"
        // Longer than a block and than the buffer.
        for index in 0..<20_000 {
            let key = UInt64(index % 777) &* 0x9E37_79B9_7F4A_7C15
            text += "\(index / 10),\(key),\(index % 9),\(index % 5 == 0 ? "write" : "read"),\(index % 3)\n"
        }
        let trace = try NumberedTrace(path: folder.write(text, to: "a.csv"))
        let path = folder.path("copy" + (isNamed ? ".\(format.rawValue)" : ""))
        try TraceWriter.write(trace, path: path, format: format)
        let after = try NumberedTrace(path: path)
        #expect(try TraceReader.detect(path: path) == format)
        #expect(after.ids == trace.ids)
        #expect(after.requests.sizes == trace.requests.sizes)
        if format == .csv { #expect(try TraceFolder.requests(path) == TraceFolder.requests(folder.path("a.csv"))) }
    }

    @Test func `an existing file is not replaced`() throws {
        try folder.write("mine", to: "out")
        let error = #expect(throws: TraceError.self) { try written("1\n", "a.lirs", as: .csv) }
        #expect(error?.reason == .writeFailed("File exists"))
        #expect(try folder.bytes(of: "out") == Array("mine".utf8))
        #expect(try names() == ["a.lirs", "out"])
    }

    @Test func `writes and removals can be left out`() throws {
        let path = try folder.write("key,operation,size\n1,read,5\n2,write,6\n1,delete,0\n1,read,7\n", to: "a.csv")
        var reads = try NumberedTrace(path: path)
        reads.keepReads()
        #expect(reads.ids == [0, 0] && reads.requests.sizes == [5, 7] && reads.requests.operations == [.read, .read])
    }

    @Test func `a file that can't be finished is removed, as with a time that oracleGeneral can't hold`() throws {
        let error = #expect(throws: TraceError.self) {
            try written("key,time\n1,4294967295\n1,4294967296\n", "a.csv", as: .oracleGeneral)
        }
        #expect(
            error?.reason == .outOfRange("time", found: "4294967296 s", allowed: "0 to 4294967295 s in oracleGeneral"))
        #expect(error?.requestCount == 1)
        #expect(try names() == ["a.csv"])
    }

    @Test func `a format that can't be written names those that can`() throws {
        let error = #expect(throws: TraceError.self) { try written("1\n", "a.lirs", as: .arc) }
        #expect(error?.reason == .writeFailed("only these formats are written: oracleGeneral, csv"))
    }
}
