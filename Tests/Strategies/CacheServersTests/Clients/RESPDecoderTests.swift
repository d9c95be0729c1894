import NIOCore
import Testing

@testable import CacheServers

@Suite(.timeLimit(.minutes(1)))
struct RESPDecoderTests {
    /// One value of each kind, nested arrays, and protocol text inside a bulk string.
    private static let bytes =
        "+OK\r\n-ERR no\r\n:-42\r\n$5\r\na\r\nbc\r\n$0\r\n\r\n$-1\r\n*-1\r\n*0\r\n"
        + "*3\r\n:1\r\n*2\r\n$3\r\n+OK\r\n*0\r\n$-1\r\n+end\r\n"
    private static let values: [RESPValue] = [
        .simple("OK"), .error("ERR no"), .integer(-42), .bulk(ByteBuffer(string: "a\r\nbc")),
        .bulk(ByteBuffer()), .null, .null, .array([]),
        .array([.integer(1), .array([.bulk(ByteBuffer(string: "+OK")), .array([])]), .null]), .simple("end"),
    ]

    private func decoded(_ parts: [ByteBuffer], _ limits: RESPDecoder.Limits = .init()) throws -> [RESPValue] {
        var decoder = RESPDecoder(limits: limits)
        var values: [RESPValue] = []
        for part in parts {
            decoder.append(part)
            while let value = try decoder.next() { values.append(value) }
        }
        return values
    }

    @Test func `replies are the same wherever the bytes are split`() throws {
        let all = Array(Self.bytes.utf8)
        for cut in 0...all.count {
            let parts = [ByteBuffer(bytes: all[..<cut]), ByteBuffer(bytes: all[cut...])]
            #expect(try decoded(parts) == Self.values, "cut at \(cut)")
        }
        #expect(try decoded(all.map { ByteBuffer(bytes: [$0]) }) == Self.values)
    }

    @Test(arguments: [
        "?\r\n", "\r\n", "+OK\n", ":\r\n", ":1x\r\n", ":+1\r\n", ":99999999999999999999\r\n", "$-2\r\n",
        "$9223372036854775807\r\n", "$536870913\r\n", "$3\r\nabcd\r\n", "*-2\r\n", "*1048577\r\n", "$ 1\r\na\r\n",
        "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
    ])
    func `bytes that are not a reply are an error`(text: String) {
        #expect(throws: WireError.self) { try decoded([ByteBuffer(string: text)]) }
    }

    // As on a busy connection, on which some part of a reply is always missing.
    @Test func `bytes that were used are given back although the next reply is never complete`() throws {
        var input = WireInput()
        input.append(ByteBuffer(string: "+"))
        for _ in 0..<10_000 {
            input.append(ByteBuffer(string: String(repeating: "x", count: 100) + "\r\n+"))
            #expect(try input.line()?.readableBytes == 101)
        }
        #expect(input.keptByteCount < 4_096)
    }

    @Test func `an endless line is refused once it is too long`() {
        let parts = (0..<70).map { _ in ByteBuffer(repeating: UInt8(ascii: "x"), count: 1024) }
        #expect(throws: WireError.self) { try decoded([ByteBuffer(string: "+")] + parts) }
    }

    // An announced length allocates nothing until the values arrive.
    @Test func `too many values in total are refused although no single array is too long`() {
        var limits = RESPDecoder.Limits()
        limits.valueCount = 100
        let inner = "*9\r\n" + String(repeating: ":1\r\n", count: 9)
        let text = "*20\r\n" + String(repeating: inner, count: 20)
        #expect(throws: WireError.self) { try decoded([ByteBuffer(string: text)], limits) }
    }

    @Test func `random bytes never end the process`() {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("+-:$*0123456789\r\n\r\nab".utf8)
        for _ in 0..<2_000 {
            let bytes = (0..<40).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
            do {
                _ = try decoded([ByteBuffer(bytes: bytes)])
            } catch {
                #expect(error is WireError, "\(bytes)")
            }
        }
    }

    @Test func `a command is an array of bulk strings`() {
        let command = RESPCommand([ByteBuffer(string: "SET"), ByteBuffer(string: "ä"), ByteBuffer()])
        #expect(String(buffer: command.bytes) == "*3\r\n$3\r\nSET\r\n$2\r\nä\r\n$0\r\n\r\n")
    }
}
