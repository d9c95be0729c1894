import Foundation
import Testing

@testable import FixtureServer

/// None of these may stop the server, and each gets a line that says what is wrong.
@Suite(.timeLimit(.minutes(1)))
struct HostileRequestTests {
    private static let good =
        #"{"seed":1,"values":{"kind":"bytes","size":{"fixed":{"_0":64}}},"#
        + #""origin":{"kind":"server","delay":{"fixed":{"_0":0}}}}"#

    @Test(arguments: [
        ("GET", "/trials/none/values/1", 404, "no trial 'none' is registered; PUT /trials/none registers it"),
        ("GET", "/trials/none/log", 404, "no trial 'none' is registered; PUT /trials/none registers it"),
        ("GET", "/trials/none/log/entries", 404, "no trial 'none' is registered; PUT /trials/none registers it"),
        ("DELETE", "/trials/none", 404, "no trial 'none' is registered; PUT /trials/none registers it"),
        ("GET", "/trials/a/values/", 400, "a key is a whole number from 0 to 18446744073709551615"),
        ("GET", "/trials/a/values/-1", 400, "a key is a whole number from 0 to 18446744073709551615"),
        ("GET", "/trials/a/values/+1", 400, "a key is a whole number from 0 to 18446744073709551615"),
        ("GET", "/trials/a/values/1.5", 400, "a key is a whole number from 0 to 18446744073709551615"),
        ("GET", "/trials/a/values/18446744073709551616", 400, "a key is a whole number from 0 to 18446744073709551615"),
        ("GET", "/trials/a/values/%31", 400, "a key is a whole number from 0 to 18446744073709551615"),
        ("GET", "/trials/a/values/1?phase=65536", 400, "the query is phase=<whole number from 0 to 65535>"),
        ("GET", "/trials/a/values/1?phase=", 400, "the query is phase=<whole number from 0 to 65535>"),
        ("GET", "/trials/a/values/1?fase=1", 400, "the query is phase=<whole number from 0 to 65535>"),
        ("GET", "/trials/../values/1", 404, "no trial '..' is registered; PUT /trials/.. registers it"),
        ("GET", "/trials/a%2Fb/log", 400, "a trial's id is 1 to 200 letters, digits, '.', '_' or '-'"),
        ("GET", "/trials//log", 400, "a trial's id is 1 to 200 letters, digits, '.', '_' or '-'"),
        ("GET", "/nothing", 404, "unknown path; GET / lists the paths"),
        ("GET", "/trials/a/values/1/2", 404, "unknown path; GET / lists the paths"),
        ("POST", "/trials/a", 405, "POST is not allowed here; GET / lists the methods"),
        ("PUT", "/", 405, "PUT is not allowed here; GET / lists the methods"),
    ])
    func `a bad path is refused with a line of text`(
        method: String, path: String, status: Int, text: String
    ) async throws {
        try await ServerUnderTest.run { server in
            _ = try await server.exchange("PUT", "/trials/a", body: Self.good)
            let answer = try await server.exchange(method, path)
            #expect(answer.status == status)
            #expect(answer.body == text)
        }
    }

    @Test(arguments: [
        ("", "the body is not a registration: "),
        ("{", "the body is not a registration: "),
        ("[]", "the body is not a registration: "),
        ("{}", "the body is not a registration: 'seed' is missing"),
        (good.replacing(#""_0":64"#, with: #""_0":-1"#), "the body is not a registration: "),
        (good.replacing(#""_0":64"#, with: #""_0":1e400"#), "the body is not a registration: "),
        (
            good.replacing(#""kind":"bytes""#, with: #""kind":"movie""#),
            "the body is not a registration: 'values.kind': "
        ),
        (
            good.replacing(#""_0":64"#, with: #""_0":268435457"#),
            "values.size: up to 268435457 bytes; the limit is 268435456"
        ),
        (
            good.replacing(#""fixed":{"_0":64}"#, with: #""uniform":{"min":9,"max":8}"#),
            "values.size: min 9 is above max 8"
        ),
        (
            good.replacing(#""fixed":{"_0":64}"#, with: #""table":{"_0":[]}"#),
            "values.size: weights must be finite, none negative, and one of them above zero"
        ),
        (
            good.replacing(#""_0":0"#, with: #""_0":600000000001"#),
            "origin.delay: up to 600000000001 ns; the limit is 600000000000"
        ),
    ])
    func `a bad registration is refused with a line of text`(body: String, text: String) async throws {
        try await ServerUnderTest.run { server in
            let answer = try await server.exchange("PUT", "/trials/a", body: body)
            #expect(answer.status == 400)
            #expect(answer.body.hasPrefix(text), "\(answer.body)")
        }
    }

    @Test func `a body over the limit is refused`() async throws {
        var configuration = FixtureServerConfiguration()
        configuration.bodyByteCountMax = 1_000
        try await ServerUnderTest.run(configuration) { server in
            let answer = try await server.exchange("PUT", "/trials/a", body: String(repeating: " ", count: 1_001))
            #expect(answer.status == 413)
            #expect(answer.body == "the body has more than 1000 bytes")
        }
    }

    @Test(arguments: [
        "", "\r\n\r\n", "nonsense\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "GET / HTTP/1.1\r\nx:" + String(repeating: "y", count: 200_000),
        "GET /" + String(repeating: "a", count: 200_000) + " HTTP/1.1\r\nConnection: close\r\n\r\n",
        "PUT /trials/a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
    ])
    func `bytes that are not a request leave the server running`(text: String) async throws {
        try await ServerUnderTest.run { server in
            // An ordinary request follows, so that a server that waits for more closes at its end.
            _ = try await server.send(text + "\r\n\r\nGET / HTTP/1.1\r\nConnection: close\r\n\r\n")
            #expect(try await server.exchange("GET", "/").status == 200)
        }
    }
}
