import Testing
import TrialModel

@testable import Traces

/// Files of columns as people have them. The right values are counted by hand, or by a loop of a few lines.
@Suite(.timeLimit(.minutes(5))) struct ColumnsTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    @Test(arguments: [",", ";", "\t", " ", "   "])
    func `named columns are separated by commas, semicolons, tabs or blanks`(separator: String) throws {
        let text = (0..<300).map { ["\($0)", "\($0 % 7)", "\($0 % 5 + 1)"].joined(separator: separator) + "\n" }
            .joined()
        var options = TraceReadingOptions()
        options.csvColumns = [.time, .key, .size]
        let requests = try TraceFolder.requests(try folder.write(text, to: "trace.txt"), nil, options)
        #expect(requests.map(\.key) == (0..<300).map { UInt64($0 % 7) })
        #expect(requests.map(\.size) == (0..<300).map { UInt64($0 % 5 + 1) })
    }

    @Test(arguments: ["key;size\na;5\nb;6\n", "size key\n5 a\n6 b\n", "key,size\na,5\nb,6\n"])
    func `a header tells its separator`(text: String) throws {
        let path = try folder.write(text, to: "trace.txt")
        #expect(try TraceFolder.requests(path).map(\.size) == [5, 6])
        #expect(try TraceReader.detect(path: path) == .csv)
    }

    @Test func `two columns form one key, by place or by the names of a header`() throws {
        let rows = "1.5,,R,0,4096,512\n2.5,9,W,1,4096,512\n3.5,9,R,0,4096,1024\n"
        var byPlace = TraceReadingOptions()
        byPlace.csvColumns = [.time, nil, .operation, .key, .key, .size]
        var byName = TraceReadingOptions()
        byName.csvNames = ["timestamp": .time, "iotype": .operation, "lun": .key, "offset": .key, "size": .size]
        let header = "Timestamp,Response,IOType,LUN,Offset,Size\n"
        for (text, options) in [(rows, byPlace), (header + rows, byName), (header + rows, byPlace)] {
            let requests = try TraceFolder.requests(try folder.write(text, to: "a.csv"), nil, options)
            #expect(requests.map(\.key) == [0, 1, 0])
            #expect(requests.map(\.operation) == [.read, .write, .read])
            #expect(requests.map(\.size) == [512, 512, 1024])
        }
        let trace = try NumberedTrace(path: folder.path("a.csv"), options: byPlace)
        #expect(
            trace.keyTexts.map { table in
                (0..<table.count).map { table.withText(of: $0) { String(decoding: $0, as: UTF8.self) } }
            } == ["0+4096", "1+4096"])
    }

    @Test func `a count repeats its request, over the end of a block too`() throws {
        let counts = (0..<99).map { $0 % 13 + 1 }
        let text =
            "op_time,key,key_size,op,op_count,size,cache_hits,ttl\n"
            + counts.enumerated().map {
                "\($0),k\($0 % 10),3,\($0.isMultiple(of: 2) ? "GET_LEASE" : "SET_LEASE"),\($1),7,0,0\n"
            }
            .joined()
        let path = try folder.write(text, to: "kvcache.csv")
        for blockCount in [3, 16_384] {
            var options = TraceReadingOptions()
            options.blockRequestCount = blockCount
            let requests = try TraceFolder.requests(path, nil, options)
            #expect(requests.count == counts.reduce(0, +))
            #expect(requests.map(\.key) == counts.enumerated().flatMap { Array(repeating: UInt64($0 % 10), count: $1) })
            #expect(
                requests.filter { $0.operation == .write }.count
                    == counts.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element).reduce(0, +))
        }
    }

    @Test func `lines are skipped, and comments are no requests`() throws {
        var options = TraceReadingOptions()
        (options.skippedLines, options.csvComment) = (2, 0x23)
        options.csvColumns = [.key, .operation]
        options.csvOperations = ["lookup": .read, "fill": .write]
        let text = "Traffic of May\nby node 3\n# key, operation\na LOOKUP\n# half\na fill\nb 28\nb 2A\n"
        let requests = try TraceFolder.requests(try folder.write(text, to: "trace.log"), nil, options)
        #expect(requests.map(\.key) == [0, 0, 1, 1])
        #expect(requests.map(\.operation) == [.read, .write, .read, .write])
    }

    @Test func `a request of a disk trace is one object, or all blocks that it touches`() throws {
        let lines = [(0, 4096, 65_536), (1, 1000, 4096), (0, 0, 0), (0, 8192, 1)]
        let text = lines.map { "128166372003061629,hm,\($0.0),Read,\($0.1),\($0.2),1\n" }.joined()
        let path = try folder.write(text, to: "hm.csv")
        #expect(try TraceFolder.requests(path).map(\.size) == [65_536, 4096, 0, 1])
        var options = TraceReadingOptions()
        (options.blockByteCount, options.blockRequestCount) = (4096, 5)
        let expected = lines.flatMap { disk, offset, size in
            (offset / 4096...(offset + max(size, 1) - 1) / 4096).map { UInt64(disk) << 52 | UInt64($0 * 4096) }
        }
        let requests = try TraceFolder.requests(path, nil, options)
        #expect(requests.map(\.key) == expected)
        #expect(requests.allSatisfy { $0.size == 4096 })
    }

    /// Ways to write keys one after the other, as text.
    @Test(
        arguments: [
            (.csv, "key\n", "K\n"), (.csv, "size,key\n", "5,\"K\"\n"), (.csv, "key;size\n", "K;5\n"),
            (.csv, "key size\n", "K 5\n"), (.tsv, "key\tsize\n", "K\t5\n"), (.keys, "", "K\n"),
            (.twitter, "", "0,K,2,1,1,get,0\n"), (.redis, "", "1.5 [0 a:1] \"get\" \"K\"\n"),
        ] as [(TraceFormat, String, String)])
    func `a key beyond 64 bits is text, in every format with text keys`(
        format: TraceFormat, header: String, row: String
    ) throws {
        // The second one has the same lower 64 bits as the first key, and a leading zero makes another key.
        let keys = ["0", "18446744073709551616", "18446744073709551617", "18446744073709551616", "1", "00"]
        let late = (0..<40_000).map { String($0 + 5) }
        let rows = { (keys: [String]) in header + keys.map { row.replacing("K", with: $0) }.joined() }
        #expect(
            try NumberedTrace(path: folder.write(rows(keys), to: "a.txt"), format: format).ids == [0, 1, 2, 1, 3, 4])
        // Behind so many short ones that these decide how keys are read.
        let long = try NumberedTrace(path: folder.write(rows(late + keys), to: "b.txt"), format: format)
        #expect(long.ids.suffix(6) == [40_000, 40_001, 40_002, 40_001, 40_003, 40_004])
        let replay = TraceReplay(policies: [.unbounded], capacities: [.entries(1)])
        let replayed = try replay.run(path: folder.path("b.txt"), format: format)
        #expect(replayed.summary.keys == 40_005)
    }

    @Test func `a key of two columns is text, however long its parts`() throws {
        var options = TraceReadingOptions()
        options.csvColumns = [.key, .key]
        let (long, longer) = ("18446744073709551616", "18446744073709551617")
        let rows = [("0", "0"), ("0", long), ("0", longer), (long, "0"), ("0", long)].map { "\($0),\($1)\n" }
        #expect(
            try NumberedTrace(path: folder.write(rows.joined(), to: "a.csv"), format: .csv, options: options).ids
                == [0, 1, 2, 3, 1])
    }

    @Test(
        arguments: [
            (.lirs, "5\n18446744073709551616\n"), (.arc, "5 1 0 0\n18446744073709551616 1 0 0\n"),
            (.msr, "1,h,0,Read,5,1,1\n1,h,0,Read,18446744073709551616,1,1\n"),
        ] as [(TraceFormat, String)])
    func `a number beyond 64 bits is refused where a format has block numbers`(format: TraceFormat, text: String) throws
    {
        let error = try #require(TraceFolder.error(try folder.write(text, to: "a"), format))
        guard case .outOfRange(_, "\"18446744073709551616\"", _) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(error.line == 2)
    }
}
