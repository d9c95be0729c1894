import Testing
import TrialModel

@testable import Traces

/// A guess that is wrong does not look like a result.
@Suite(.timeLimit(.minutes(5))) struct GuessTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    private func reason(_ text: String, _ name: String = "trace.txt") throws -> TraceError.Reason? {
        TraceFolder.error(try folder.write(text, to: name))?.reason
    }

    @Test(
        arguments: [
            ("0 1 100\n1 2 50\n2 1 100\n", "each line has 3 words", [.csv, .keys]),
            (
                "1232488 REST.GET.OBJECT 95d3 1168 0 1167\n1232489 REST.HEAD.OBJECT 95d3 1168\n",
                "each line begins with a number and a blank", [.csv, .keys]
            ),
            (
                "0 1 100 7\n1 2 50 7\n2 1 100 9\n",
                "each line has four numbers, the last of which don't count lines as in ARC files", [.arc, .csv, .keys]
            ),
            ("1;2;3\n2;2;3\n", "each line has as many semicolons", [.csv, .keys]),
        ] as [(String, String, [TraceFormat])])
    func `lines of columns are never read as text keys or as runs`(
        text: String, why: String, formats: [TraceFormat]
    ) throws {
        #expect(try reason(text) == .unsureFormat(why, formats))
        #expect(TraceFolder.error(folder.path("trace.txt"), .keys) == nil)
    }

    @Test func `a long file of four numbers a line is refused at once`() throws {
        let text = (0..<2_000).map { "\($0) \($0 % 700) 100 7\n" }.joined()
        guard case .unsureFormat(_, let formats) = try reason(text) else {
            Issue.record("read as requests")
            return
        }
        #expect(formats.contains(.arc) && formats.contains(.csv))
    }

    @Test func `a run of ARC has at most 512 keys, more only where they are allowed`() throws {
        let path = try folder.write("5 512 0 0\n6 513 0 1\n", to: "a.lis")
        #expect(
            TraceFolder.error(path)?.reason
                == .outOfRange(
                    "count", found: "\"6 513 0 1\"",
                    allowed: "1 to 512, and no key beyond 2^64 - 1; longer runs with --long-runs"))
        var options = TraceReadingOptions()
        options.allowsLongRuns = true
        #expect(try TraceFolder.requests(path, nil, options).count == 1025)
    }

    @Test func `a guess by which no key occurs twice is refused, unless the caller or the name gives the format`()
        throws
    {
        let text = (0..<150).map { "GET-\($0)\n" }.joined()
        let path = try folder.write(text, to: "trace.txt")
        let error = #expect(throws: TraceError.self) { try NumberedTrace(path: path) }
        #expect(
            error?.description
                == "\(path): unclear which format this is: read as keys, each of its 150 keys occurs once; choose "
                + "with --trace-format keys, or name its columns, such as --columns time,key,size "
                + "(read as keys, after 150 requests)")
        #expect(try NumberedTrace(path: folder.write(text, to: "trace.keys")).count == 150)
        #expect(try NumberedTrace(path: folder.path("trace.txt"), format: .keys).count == 150)
        // One key that occurs twice is enough.
        #expect(try NumberedTrace(path: folder.write(text + "GET-0\n", to: "again.txt")).count == 151)
    }

    @Test(arguments: [",", "\t"]) func `columns that a header names are no guess`(separator: String) throws {
        let lines = [["time", "key", "size"]] + (0..<150).map { ["\($0)", "key-\($0)", "100"] }
        let text = lines.map { $0.joined(separator: separator) + "\n" }.joined()
        #expect(try NumberedTrace(path: folder.write(text, to: "trace.txt")).count == 150)
    }

    @Test func `what is read, and what is ignored, is known before the first request`() throws {
        let csv = try folder.write(
            "op_time,key,key_size,op,op_count,size,cache_hits,ttl\n1,a,3,GET,2,5,1,0\n", to: "k.csv")
        #expect(
            try TraceReader(path: csv).readAs
                == "read as csv: key, size, time, operation, lifetime; ignored: key_size, cache_hits")
        #expect(
            try TraceReader(path: csv, options: TraceReadingOptions(columns: .size)).readAs
                == "read as csv: key, size; ignored: op_time, key_size, op, cache_hits, ttl")
        let arc = try folder.write("1 1 0 0\n", to: "a.lis")
        #expect(try TraceReader(path: arc).readAs == "read as arc: key; ignored: the third and fourth number")
    }

    @Test func `a header by its words never counts as a request`() throws {
        let keys = try folder.write("key\na\na\n", to: "a.keys")
        #expect(try TraceFolder.requests(keys).map(\.key) == [0, 0])
        var options = TraceReadingOptions()
        options.csvColumns = [.time, .key, .size]
        let named = try folder.write("When,What,Length\n1,a,5\n2,a,5\n", to: "a.csv")
        #expect(try TraceFolder.requests(named, nil, options).map(\.size) == [5, 5])
        let msr = try folder.write(
            "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n128166372003061629,hm,0,Read,4096,512,\n",
            to: "hm.csv")
        #expect(try TraceReader.detect(path: msr) == .msr)
        #expect(try TraceFolder.requests(msr).map(\.key) == [4096])
    }

    @Test(arguments: ["a.keys", "a.txt", "a.lirs", "a.csv"])
    func `a byte order mark is no part of a key`(name: String) throws {
        let header = name == "a.csv" ? "key\n" : ""
        let text = name == "a.keys" || name == "a.txt" ? "x\ny\nx\n" : "1\n2\n1\n"
        let requests = try TraceFolder.requests(try folder.write("\u{FEFF}" + header + text, to: name))
        #expect(requests.count == 3 && requests[0].key == requests[2].key)
    }

    @Test func `archives and other compressions are named as such, also inside a compression that is read`() throws {
        let tar = [UInt8](repeating: 0x61, count: 257) + Array("ustar\0".utf8) + [UInt8](repeating: 0, count: 249)
        let files: [([UInt8], String)] = [
            (tar, "a tar archive; unpack it: tar -xf"), (Array("PK\u{3}\u{4}".utf8), "a zip archive; unpack it: unzip"),
            (Array("BZh91AY".utf8), "compressed with bzip2; unpack it: bunzip2"),
            ([0x04, 0x22, 0x4D, 0x18, 0x64], "compressed with lz4; unpack it: unlz4"),
            (
                Array("Timestamp,Response,IOType,LUN,Offset,Size\n1.5,,R,0,4096,512\n".utf8),
                "a SYSTOR '17 trace; read it with --columns time=timestamp,operation=iotype,key=lun+offset,size=size"
            ),
        ]
        for (bytes, what) in files {
            for compression in [TraceCompression.none, .xz, .gzip] {
                let path = try folder.write(bytes, to: "trace.csv", as: compression)
                #expect(TraceFolder.error(path)?.reason == .foreign(what))
            }
        }
    }

    @Test(arguments: TraceCompression.packings)
    func `zero bytes behind compressed data are padding, and other bytes are said to be trailing`(
        compression: TraceCompression
    ) throws {
        let packed = compression.packed(Array("1\n2\n1\n".utf8))
        for count in [1, 4, 511] {
            let padded = try folder.write(packed + [UInt8](repeating: 0, count: count), to: "padded")
            #expect(try TraceFolder.requests(padded, .lirs).map(\.key) == [1, 2, 1])
        }
        // Padding between two members is allowed as well.
        let two = try folder.write(packed + [0, 0, 0, 0] + packed, to: "two")
        #expect(try TraceFolder.requests(two, .lirs).count == 6)
        let error = TraceFolder.error(try folder.write(packed + Array("xyz".utf8), to: "more"), .lirs)
        #expect(error?.reason == .corrupt("\(compression): trailing bytes after the data"))
    }
}
