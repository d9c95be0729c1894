import Testing

@testable import CacheServers

@Suite(.timeLimit(.minutes(1)))
struct ServerAddressTests {
    @Test(arguments: ["127.0.0.1:6379", "[::1]:80", "cache.example.com:65535"])
    func `an address is parsed and printed alike`(text: String) throws {
        #expect(try ServerAddress(text).description == text)
    }

    @Test(arguments: ["", "a", ":1", "a:", "a:0", "a:65536", "a:+1", "::1:80", "a b:1", "a:1,b", "a:1,b:2", "a,b:2"])
    func `an invalid address is refused, and so are several`(text: String) {
        let error = #expect(throws: ServerAddress.Mistake.self) { try ServerAddress(text) }
        let says = "'\(text)' is not the address of \(text.contains(",") ? "one" : "a") server: write host:port"
        #expect(error?.description.hasPrefix(says) == true)
    }
}
