import NIOCore
import Testing

@testable import CacheServers

@Suite(.timeLimit(.minutes(1)))
struct RedisRoutingTests {
    // The check value of CRC-16/XMODEM, and slots from the cluster specification and `CLUSTER KEYSLOT` of Redis 7.0.
    @Test(arguments: [
        ("123456789", 12739), ("foo", 12182), ("bar", 5061), ("hello", 866), ("", 0), ("{user1000}.following", 3443),
        ("{user1000}.followers", 3443), ("foo{}{bar}", 8363), ("foo{{bar}}zap", 4015), ("foo{bar}{zap}", 5061),
    ])
    func `a key's slot is the one of the specification`(key: String, slot: Int) {
        #expect(RedisSlot.of(Array(key.utf8)) == slot)
    }

    @Test func `redirections are parsed`() {
        let origin = ServerAddress(host: "10.0.0.1", port: 1)
        #expect(
            RedisRedirection("MOVED 3999 10.0.0.2:6381", from: origin)
                == .moved(slot: 3999, ServerAddress(host: "10.0.0.2", port: 6381)))
        #expect(RedisRedirection("ASK 1 :7000", from: origin) == .ask(ServerAddress(host: "10.0.0.1", port: 7000)))
        #expect(RedisRedirection("ASK 1 ::1:7000", from: origin) == .ask(ServerAddress(host: "::1", port: 7000)))
        #expect(RedisRedirection("TRYAGAIN Multiple keys", from: origin) == .tryAgain)
    }

    @Test(arguments: [
        "", "ERR unknown", "MOVED", "MOVED 16384 a:1", "MOVED -1 a:1", "MOVED 1 a:0", "MOVED 1 a:65536", "MOVED 1 a",
        "MOVED 1 a:+7", "MOVED x a:1", "MOVED 1 a:1 b",
    ])
    func `other errors are not redirections`(text: String) {
        #expect(RedisRedirection(text, from: ServerAddress(host: "a", port: 1)) == nil)
    }

    @Test(arguments: ["127.0.0.1:6379", "[::1]:80", "cache.example.com:65535"])
    func `an address is parsed and printed alike`(text: String) throws {
        #expect(try ServerAddress(text).description == text)
    }

    @Test(arguments: ["", "a", ":1", "a:", "a:0", "a:65536", "a:+1", "::1:80", "a b:1", "a:1,b"])
    func `an invalid address is refused`(text: String) {
        #expect(throws: ServerAddress.Mistake.self) { try ServerAddress.list(text) }
    }
}
