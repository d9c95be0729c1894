import Foundation
import Origins
import Platform
import Testing
import TrialModel

/// Hostile or broken answers of a server: each fails its own load with a reason, and the next load is answered.
@Suite(.timeLimit(.minutes(1)))
struct HostileResponseTests {
    private static let head = "HTTP/1.1 200 OK\r\n"

    /// Answers, and a part of the message that the caller gets.
    static let answers: [String: (answer: ScriptedServer.Answer, reason: String)] = [
        "nothing": (.text("", .closes), "can't be reached (the server closed the connection)"),
        "a reset": (.text("", .resets), "can't be reached"),
        "a reset in the body": (.text(head + "content-length: 9\r\n\r\nabc", .resets), "can't be"),
        "half of a head": (
            .text(head + "content-le", .closes), "breaks off or is not HTTP (the connection was closed)"
        ),
        "half of a body": (.text(head + "content-length: 9\r\n\r\nabc", .closes), "breaks off or is not HTTP"),
        "garbage": (.init(bytes: .init(repeating: 0xA5, count: 64) + Array("\r\n\r\n".utf8)), "not HTTP"),
        "endless garbage": (.init(refrain: .init(repeating: 0xA5, count: 60_000)), "a line of more than"),
        "a huge body": (
            .text(head + "content-length: 1099511627776\r\n\r\n"), "a body of 1099511627776 bytes; the limit"
        ),
        "an empty body": (.text(head + "content-length: 0\r\n\r\n"), "the body can't be used"),
        "no payload": (.text(head + "content-length: 3\r\n\r\nabc"), "the body can't be used"),
        "another status": (
            .text("HTTP/1.1 418 x\r\ncontent-length: 3\r\n\r\nabc"), "the fixture server answered 418: abc"
        ),
        "text that is no text": (
            .init(bytes: .init("HTTP/1.1 500 x\r\ncontent-length: 2\r\n\r\n".utf8) + [0xFF, 0xFE]), "answered 500"
        ),
    ]

    @Test(arguments: answers.keys.sorted(), HTTPOriginUnderTest.Caller.allCases)
    func `a hostile answer fails its own load`(name: String, caller: HTTPOriginUnderTest.Caller) async throws {
        let (answer, reason) = try #require(Self.answers[name])
        try await ScriptedServer.run {
            $0 == 2 ? answer : try .payload(7)
        } _: { test in
            let thread = LoadThread()
            try await test.load(7, caller, on: thread)
            let error = await #expect(throws: OriginError.self) { try await test.load(7, caller, on: thread) }
            #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
            try await test.load(7, caller, on: thread)
            // The server counts what arrives: nothing was sent twice.
            #expect(test.server.state.requests.count == 3)
            thread.join()
            try await test.origin.shutdown()
        }
    }

    /// Answers that never end, and never break a rule.
    static let endless: [String: ScriptedServer.Answer] = [
        "silence": .text(""),
        "a body without its end": .text(head + "content-length: 400000\r\n\r\nabc"),
        "a body in drops": .init(
            bytes: Array((head + "content-length: 400000\r\n\r\n").utf8), refrain: [0], pauseMicroseconds: 3_000),
        "a head in drops": .init(bytes: Array((head + "x: ").utf8), refrain: [0x61], pauseMicroseconds: 3_000),
        "small chunks without a pause": .init(
            bytes: Array((head + "transfer-encoding: chunked\r\n\r\n").utf8), refrain: Array("1\r\na\r\n".utf8)),
    ]

    // All wait for their deadlines at once.
    @Test func `an endless answer ends at the deadline`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in Self.endless.keys {
                for caller in HTTPOriginUnderTest.Caller.allCases {
                    group.addTask { try await expectEnd(ofEndless: name, caller) }
                }
            }
            try await group.waitForAll()
        }
    }

    private func expectEnd(ofEndless name: String, _ caller: HTTPOriginUnderTest.Caller) async throws {
        let answer = try #require(Self.endless[name])
        try await ScriptedServer.run(timeout: 1_000_000_000) {
            $0 == 1 ? answer : try .payload(7)
        } _: { test in
            let thread = LoadThread()
            let start = Nanoclock.now()
            let error = await #expect(throws: OriginError.self) { try await test.load(7, caller, on: thread) }
            #expect(error == .timedOut(what: "key 7", nanoseconds: 1_000_000_000))
            #expect(Nanoclock.now() - start >= 1_000_000_000)
            try await test.load(7, caller, on: thread)
            thread.join()
            try await test.origin.shutdown()
        }
    }

    @Test(arguments: HTTPOriginUnderTest.Caller.allCases)
    func `the payload of another key is an error`(caller: HTTPOriginUnderTest.Caller) async throws {
        try await ScriptedServer.run { _ in
            try .payload(8)
        } _: { test in
            await #expect(throws: OriginError.wrongKey(expected: 7, found: 8)) { try await test.load(7, caller) }
            try await test.origin.shutdown()
        }
    }

    @Test func `a log with impossible counts is an error`() async throws {
        let log =
            #"{"requests":18446744073709551615,"duplicates":0,"inFlight":0,"failed":0,"abandoned":0,"faults":0,"#
            + #""late":0,"maxConcurrent":0,"maxConcurrentPerKey":0,"droppedEntries":0}"#
        try await ScriptedServer.run { _ in
            .text("HTTP/1.1 200 OK\r\ncontent-length: \(log.utf8.count)\r\n\r\n" + log)
        } _: { test in
            let error = await #expect(throws: OriginError.self) { try await test.origin.log(phase: 0) }
            #expect(error == .badBody(what: "the log of 't'", reason: "a count is out of range"))
            try await test.origin.shutdown()
        }
    }

    @Test func `a cancelled load closes its connection at once`() async throws {
        try await ScriptedServer.run { _ in
            .text("")
        } _: { test in
            let load = Task { try await test.origin.fetch(7) }
            try await test.server.wait { $0.requests.count == 1 }
            load.cancel()
            await #expect(throws: CancellationError.self) { try await load.value }
            try await test.server.wait { $0.open.isEmpty }
            #expect(test.server.state.requests.count == 1)
            try await test.origin.shutdown()
        }
    }
}
