import Foundation
import Testing

@testable import Origins

/// The parser alone, without a connection.
@Suite(.timeLimit(.minutes(1)))
struct ResponseParserTests {
    private static let bodyByteCountMax = 1_000
    private static let two =
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nCONTENT-LENGTH:  5 \r\n\r\nhello"
        + "HTTP/1.1 503\r\ntransfer-encoding: Chunked\r\nconnection: x, Close\r\n\r\n3\r\nabc\r\n00A;n=v\r\n0123456789"
        + "\r\n0\r\ntrailer: x\r\n\r\n"
    private static let answers = [
        HTTPResponse(status: 200, body: Data("hello".utf8), keepsAlive: true),
        HTTPResponse(status: 503, body: Data("abc0123456789".utf8), keepsAlive: false),
    ]

    /// Feeds the parts; the rest of a part after an answer becomes a separate part.
    private func parsed(_ parts: [[UInt8]]) throws(ExchangeFailure) -> [HTTPResponse] {
        var parser = ResponseParser(bodyByteCountMax: Self.bodyByteCountMax)
        var answers: [HTTPResponse] = []
        for part in parts {
            let result = part.withUnsafeBytes { bytes in
                Result { () throws(ExchangeFailure) in try parser.consume(bytes) }
            }
            if let answer = try result.get() { answers.append(answer) }
        }
        return answers
    }

    private func parsed(_ text: String) throws(ExchangeFailure) -> HTTPResponse? {
        try parsed([Array(text.utf8)]).first
    }

    @Test func `answers are the same wherever the bytes are split`() throws {
        let all = Array(Self.two.utf8)
        let border = try #require(Self.two.range(of: "helloHTTP")).lowerBound
        let end = Self.two.utf8.distance(from: Self.two.startIndex, to: border) + 5
        #expect(try parsed(all.map { [$0] }) == Self.answers)
        for cut in 1..<end {
            let parts = [all[..<cut], all[cut..<end], all[end...]].map(Array.init)
            #expect(try parsed(parts) == Self.answers, "cut at \(cut)")
        }
        for cut in (end + 1)..<all.count {
            let parts = [all[..<end], all[end..<cut], all[cut...]].map(Array.init)
            #expect(try parsed(parts) == Self.answers, "cut at \(cut)")
        }
    }

    @Test(arguments: [204, 304]) func `an answer without a body ends with its head`(status: Int) throws {
        let answer = try parsed("HTTP/1.1 \(status) \r\ncontent-length: 9\r\n\r\n")
        #expect(answer == HTTPResponse(status: status, body: Data(), keepsAlive: true))
    }

    @Test func `extra bytes after an answer make its connection unusable`() throws {
        let answer = try parsed("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nab")
        #expect(answer == HTTPResponse(status: 200, body: Data("a".utf8), keepsAlive: false))
    }

    @Test func `an answer of HTTP 1 dot 0 ends its connection`() throws {
        #expect(try parsed("HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n")?.keepsAlive == false)
    }

    static let fields = "HTTP/1.1 200 OK\r\n"
    static let chunks = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
    static let hostile: [(text: String, reason: String)] = [
        ("\r\n", "no status line"), ("\n", "end with CR and LF"), ("HTTP/1.1 200 OK\n", "CR and LF"),
        ("HTTP/2 200 OK\r\n", "no status line"), ("HTTP/1.1 20\r\n", "no status line"),
        ("HTTP/1.1 099 x\r\n", "no status line"), ("HTTP/1.1 600 x\r\n", "no status line"),
        ("HTTP/1.1 2000\r\n", "no status line"), ("HTTP/1.1 -20 x\r\n", "no status line"),
        ("HTTP/1.1  200\r\n", "no status line"), (String(repeating: "\u{A5}", count: 9_000), "more than 16384 bytes"),
        ("HTTP/1.1 101 x\r\n\r\n", "another protocol"),
        (fields + "\r\n", "how long the body is"), (fields + "x\r\n", "not a field"),
        (fields + ":x\r\n", "not a field"),
        (fields + "x y: z\r\n", "not a field"), (fields + " folded: x\r\n", "not a field"),
        (fields + "x: \0\r\n", "not a field"),
        (fields + "x: a\rb\r\n", "not a field"),
        (fields + "content-length: -1\r\n", "not a number in range"), (fields + "content-length: +1\r\n", "in range"),
        (fields + "content-length: 1e3\r\n", "in range"), (fields + "content-length: \r\n", "in range"),
        (fields + "content-length: 1, 1\r\n", "in range"), (fields + "content-length: 0x1\r\n", "in range"),
        (fields + "content-length: 9223372036854775808\r\n", "in range"),
        (fields + "content-length: " + String(repeating: "9", count: 10_000) + "\r\n", "in range"),
        (fields + "content-length: 1\r\ncontent-length: 2\r\n", "two values"),
        (fields + "content-length: 1001\r\n\r\n", "a body of 1001 bytes; the limit is 1000"),
        (fields + "content-length: 9223372036854775807\r\n\r\n", "the limit is 1000"),
        (fields + "content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n", "both"),
        (fields + "transfer-encoding: gzip\r\n", "other than chunked"),
        (fields + "transfer-encoding: chunked, chunked\r\n", "other than chunked"),
        (chunks + "no length\r\n", "size is not a number"), (chunks + "\r\n", "size is not a number"),
        (chunks + "-1\r\n", "size is not a number"), (chunks + "10000000000000000\r\n", "size is not a number"),
        (chunks + "7FFFFFFFFFFFFFFF\r\n", "more than 1000 bytes"), (chunks + "3E9\r\n", "more than 1000 bytes"),
        (chunks + "1\r\na\r\n7FFFFFFFFFFFFFFF\r\n", "more than 1000 bytes"),
        (chunks + "1\r\nabc\r\n", "longer than it says"),
        (chunks + "1;" + String(repeating: "x", count: 20_000), "a line of more than 16384 bytes"),
        (chunks + "0\r\n" + String(repeating: "a: b\r\n", count: 20_000), "a head of more than 65536 bytes"),
        (fields + "x: " + String(repeating: "y", count: 20_000), "a line of more than 16384 bytes"),
        (fields + String(repeating: "a: b\r\n", count: 20_000), "a head of more than 65536 bytes"),
        (String(repeating: "HTTP/1.1 100 x\r\n\r\n", count: 20_000), "a head of more than 65536 bytes"),
    ]

    @Test(arguments: hostile.indices) func `bytes that are not an answer are refused with a reason`(index: Int) {
        let (text, reason) = Self.hostile[index]
        let whole = #expect(throws: ExchangeFailure.self) { try parsed(text) }
        #expect(whole.map { "\($0)" }?.contains(reason) == true, "\(String(describing: whole))")
        // Byte by byte the result is the same.
        let cut = #expect(throws: ExchangeFailure.self) { try parsed(Array(text.utf8).map { [$0] }) }
        #expect(cut == whole)
    }

    @Test func `any bytes give an answer, an error or a wait for more`() {
        var random = SystemRandomNumberGenerator()
        let all = Array(Self.two.utf8)
        for _ in 0..<2_000 {
            var bytes = all
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            let cut = Int.random(in: 0...bytes.count, using: &random)
            let answers = try? parsed([Array(bytes[..<cut]), Array(bytes[cut...])])
            #expect((answers ?? []).allSatisfy { $0.body.count <= Self.bodyByteCountMax })
        }
    }

    @Test func `a connection that ends before an answer is lost, and later truncates the answer`() throws {
        var parser = ResponseParser(bodyByteCountMax: 1)
        #expect(parser.failureAtEnd == .unreachable("the server closed the connection"))
        let result = Array("H".utf8).withUnsafeBytes { bytes in
            Result { () throws(ExchangeFailure) in try parser.consume(bytes) }
        }
        #expect(try result.get() == nil)
        #expect(parser.failureAtEnd == .malformed("the connection was closed"))
    }
}
