import Foundation
import Origins
import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct HTTPOriginTests {
    private func origin(at address: String, trial: String = "t") async throws -> HTTPOrigin {
        try await HTTPOrigin(
            address: address, trial: trial, scenarioSeed: 1, values: ValueSpecification(kind: .bytes, size: .fixed(64)),
            origin: OriginSpecification(kind: .server, delay: .fixed(0)), concurrency: 4
        )
    }

    @Test func `a missing server is an error at once that says what to do`() async throws {
        // A port that was free a moment ago.
        let port = try await ServerUnderTest.run { $0.port }
        let error = await #expect(throws: OriginError.self) {
            try await origin(at: "http://127.0.0.1:\(port)")
        }
        #expect(error?.description.hasPrefix("the fixture server at http://127.0.0.1:\(port) can't be reached") == true)
        #expect(error?.description.hasSuffix("check that `\(ProgramName.current) serve` is running") == true)
    }

    @Test(arguments: ["", "nonsense", "ftp://x", "http://", "http://h/path"])
    func `an invalid address is an error`(address: String) async throws {
        let error = await #expect(throws: OriginError.self) { try await origin(at: address) }
        #expect(
            error?.description
                == "'\(address)' is not an address of a fixture server; it looks like http://127.0.0.1:8080"
        )
    }

    @Test func `an id that needs escaping is refused`() async throws {
        let error = await #expect(throws: OriginError.self) { try await origin(at: "http://127.0.0.1:1", trial: "a b") }
        #expect(
            error?.description == "'a b' can't be a trial's id: 1 to 200 letters, digits, '.', '_' or '-'"
        )
    }

    @Test func `a registration that the server refuses is an error with its words`() async throws {
        try await ServerUnderTest.run { server in
            let error = await #expect(throws: OriginError.self) {
                try await server.origin(size: 1 << 40)
            }
            #expect(
                error?.description
                    == "registering 'trial': the fixture server answered 400: "
                    + "values.size: up to 1099511627776 bytes; the limit is 268435456"
            )
        }
    }

    @Test func `a removed trial is an error, and another trial continues`() async throws {
        try await ServerUnderTest.run { server in
            let first = try await server.origin(trial: "first")
            let second = try await server.origin(trial: "second")
            try await first.shutdown()
            let third = try await server.origin(trial: "third")
            #expect(try await server.exchange("DELETE", "/trials/third").status == 204)
            let error = await #expect(throws: OriginError.self) { try await third.fetch(1) }
            #expect(
                error?.description
                    == "key 1: the fixture server answered 404: "
                    + "no trial 'third' is registered; PUT /trials/third registers it"
            )
            _ = try await second.fetch(1)
            try await second.shutdown()
            await #expect(throws: OriginError.self) { try await third.shutdown() }
        }
    }

    @Test func `many clients at once are served, each with its own connection`() async throws {
        try await ServerUnderTest.run { server in
            let origin = try await server.origin(delayMilliseconds: 1)
            try await withThrowingTaskGroup(of: UInt64.self) { group in
                for key in 0..<200 as Range<UInt64> {
                    group.addTask { try await Payload(encoded: origin.fetch(key)).identity.key }
                }
                var keys: Set<UInt64> = []
                for try await key in group { keys.insert(key) }
                #expect(keys.count == 200)
            }
            #expect(try await origin.log(phase: 0).requests == 200)
            try await origin.shutdown()
        }
    }

    @Test(arguments: [
        (OriginError.wrongKey(expected: 1, found: 2), "key 1: the origin sent the payload of key 2"),
        (
            .timedOut(what: "key 1", nanoseconds: 30_000_000_000),
            "key 1: no answer within 30 s; check the scenario's delay"
        ),
        (.badBody(what: "key 1", reason: "too short"), "key 1: the body can't be used: too short"),
    ])
    func `errors say what was found`(error: OriginError, text: String) {
        #expect(error.description.hasPrefix(text))
    }
}
