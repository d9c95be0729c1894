import Testing
import TrialModel

@testable import Traces

/// Lines of `redis-cli MONITOR`.
@Suite(.timeLimit(.minutes(1))) struct RedisDecoderTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    private static let lines = #"""
        OK
        1339518083.107412 [0 127.0.0.1:60866] "SET" "x" "12345" "EX" "60"
        1339518083.207412 [0 127.0.0.1:60866] "get" "x"
        1339518084.5 [0 lua] "MGET" "x" "a b" "say \"hi\"\x00"
        1339518085.0 [0 unix:/tmp/redis.sock] "psetex" "y" "1500" "1\x00\n"
        1339518086.0 [3 127.0.0.1:60866] "get" "x"
        1339518087.0 [0 127.0.0.1:60866] "mset" "x" "1" "y" "22"
        1339518088.0 [0 127.0.0.1:60866] "config" "get" "save"
        1339518089.0 [0 127.0.0.1:60866] "unlink" "x" "y"
        """#

    @Test func `commands on keys are requests, one for each key`() throws {
        let path = try folder.write(Self.lines + "\n", to: "a.txt")
        let requests = try TraceFolder.requests(path)
        // x x x, "a b", say "hi", y, x of database 3, x y, x y
        #expect(requests.map(\.key) == [0, 0, 0, 1, 2, 3, 4, 0, 3, 0, 3])
        #expect(
            requests.map(\.operation) == [
                .write, .read, .read, .read, .read, .write, .read, .write, .write, .remove, .remove,
            ])
        #expect(requests.map(\.size) == [5, 0, 0, 0, 0, 3, 0, 1, 2, 0, 0])
        #expect(requests[0].lifetimeSeconds == 60 && requests[5].lifetimeSeconds == 2)
        #expect(requests[1].timeNanoseconds == 1_339_518_083_207_412_000)
    }

    @Test func `commands that are left out are counted by name, lost lifetimes first`() throws {
        let many = (0..<12).map { name in #"1.5 [0 a] "X\#(name)""# }
        let lines = [
            #"1.0 [0 a] "expire" "x" "60""#, #"1.0 [0 a] "config" "get" "save""#, #"1.0 [0 a] "PING""#,
            #"1.0 [0 a] "ping""#, #"1.0 [0 a] "getex" "x" "EX" "9""#, #"1.0 [0 a] "set" "x" "1" "KEEPTTL""#,
            #"1.0 [0 a] "\x1b[31m" "x""#, #"1.0 [0 a] "ZREVRANGE" "z" "0" "9""#, #"1.0 [0 a] "sinter" "s" "t""#,
        ]
        func readAs(_ lines: [String]) throws -> String {
            let path = try folder.write(lines.joined(separator: "\n") + "\n", to: "\(lines.count).monitor")
            let outcome = try TraceReplay(policies: [.lru], capacities: [.entries(9)]).run(path: path)
            #expect(outcome.summary.requests == 5)
            return outcome.summary.readAs
        }
        let names = "PING 2, CONFIG 1, GETEX EX 1, SET KEEPTTL 1, commands with other names 1"
        #expect(try readAs(lines).hasSuffix("; ignored: client, EXPIRE 1, \(names)"))
        #expect(try readAs(lines + many).hasSuffix("SET KEEPTTL 1, X0 1, X1 1, X10 1, other commands 10"))
    }

    @Test func `a value lives until the time that SET names`() throws {
        let lines = [
            #"100.5 [0 a] "set" "x" "1" "EXAT" "160""#, #"100.5 [0 a] "set" "x" "1" "nx" "PXAT" "100600""#,
            #"100.5 [0 a] "set" "x" "1" "EXAT" "7""#, #"100.5 [0 a] "set" "x" "1" "EX" "18446744073709551615""#,
        ]
        let path = try folder.write(lines.joined(separator: "\n") + "\n", to: "until.monitor")
        #expect(try TraceFolder.requests(path).map(\.lifetimeSeconds) == [60, 1, 1, .max])
    }

    @Test(arguments: [1, 2, 3]) func `a block ends within a command of many keys`(count: Int) throws {
        var options = TraceReadingOptions()
        options.blockRequestCount = count
        let reader = try TraceReader(path: folder.write(Self.lines + "\n", to: "b.txt"), options: options)
        #expect(reader.format == .redis)
        var block = TraceBlock()
        var keys: [UInt64] = []
        while try reader.read(into: &block) {
            #expect(block.count <= count)
            keys += block.keys
        }
        #expect(keys == [0, 0, 0, 1, 2, 3, 4, 0, 3, 0, 3])
    }

    @Test func `a replay of it keeps the sizes of writes, and their lifetimes`() throws {
        let path = try folder.write(Self.lines + "\n", to: "c.txt")
        let outcome = try TraceReplay(policies: [.lru], capacities: [.bytes(100)]).run(path: path)
        #expect(outcome.summary.readAs.hasPrefix("read as redis: key, size, time, operation, lifetime"))
        #expect(outcome.summary.requests == 9 && outcome.summary.removals == 2)
        // The value of y lived for 1.5 seconds, rounded up, and is two seconds old when it is written again.
        #expect(outcome.results[0].counts.hits == 3 && outcome.results[0].counts.expirations == 1)
    }

    @Test(arguments: [
        "1339518083.1 [0 a] \"get\" \"x\n", "1339518083.1 0 \"get\" \"x\"\n", "noon [0 a] \"get\" \"x\"\n",
        "1339518083.1 [0 a] get x\n", "1339518083.1 [0 a]\n",
    ]) func `another line is a mistake in that line`(line: String) throws {
        let path = try folder.write(Self.lines + "\n" + line, to: "d.monitor")
        let error = #expect(throws: TraceError.self) { try TraceFolder.requests(path) }
        #expect(error.map { "\($0)".contains("d.monitor:10: ") } == true, "\(error as Any)")
    }
}
