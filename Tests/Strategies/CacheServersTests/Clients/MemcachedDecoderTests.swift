import NIOCore
import Testing

@testable import CacheServers

@Suite(.timeLimit(.minutes(1)))
struct MemcachedDecoderTests {
    private static let bytes =
        "STORED\r\nEND\r\nVALUE a 0 7\r\nEND\r\nxy\r\nEND\r\nVALUE b 0 0\r\n\r\nVALUE c 5 1 77\r\nz\r\nEND\r\n"
        + "STAT pid 12\r\nSTAT version 1.6.18 x\r\nEND\r\nSERVER_ERROR out of memory\r\nNOT_FOUND\r\n"
    private static let replies: [MemcachedReply] = [
        .line("STORED"), .values([]), .values([.init(key: "a", bytes: ByteBuffer(string: "END\r\nxy"))]),
        .values([.init(key: "b", bytes: ByteBuffer()), .init(key: "c", bytes: ByteBuffer(string: "z"))]),
        .statistics(["pid": "12", "version": "1.6.18 x"]), .error("SERVER_ERROR out of memory"), .line("NOT_FOUND"),
    ]

    private func decoded(_ parts: [ByteBuffer]) throws -> [MemcachedReply] {
        var decoder = MemcachedDecoder()
        var replies: [MemcachedReply] = []
        for part in parts {
            decoder.append(part)
            while let reply = try decoder.next() { replies.append(reply) }
        }
        return replies
    }

    @Test func `replies are the same wherever the bytes are split`() throws {
        let all = Array(Self.bytes.utf8)
        for cut in 0...all.count {
            let parts = [ByteBuffer(bytes: all[..<cut]), ByteBuffer(bytes: all[cut...])]
            #expect(try decoded(parts) == Self.replies, "cut at \(cut)")
        }
        #expect(try decoded(all.map { ByteBuffer(bytes: [$0]) }) == Self.replies)
    }

    @Test(arguments: [
        "\r\n", "STORED\n", "VALUE a 0\r\n", "VALUE a 0 -1\r\n", "VALUE a 0 1073741825\r\n", "VALUE a 0 2\r\nxyz\r\n",
        "STAT\r\n", "STAT a 1\r\nVALUE a 0 1\r\n", "VALUE a 0 1\r\nx\r\nSTORED\r\n",
    ])
    func `bytes that are not a reply are an error`(text: String) {
        #expect(throws: WireError.self) { try decoded([ByteBuffer(string: text)]) }
    }

    @Test func `only keys that memcached allows are accepted`() {
        #expect(MemcachedClient.Key("a") != nil)
        #expect(MemcachedClient.Key(String(repeating: "a", count: 250)) != nil)
        for text in ["", "a b", "a\n", "ä", String(repeating: "a", count: 251)] {
            #expect(MemcachedClient.Key(text) == nil, "\(text)")
        }
    }
}
