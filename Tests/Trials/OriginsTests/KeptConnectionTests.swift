import Foundation
import Origins
import Testing

/// Connections that are kept between loads: which caller uses which, how they end, and that nothing is sent twice.
@Suite(.timeLimit(.minutes(1)))
struct KeptConnectionTests {
    @Test func `a task uses the most recently used connection`() async throws {
        try await ScriptedServer.run { _ in
            try .payload(7)
        } _: { test in
            for _ in 0..<5 { try await test.load(7, .task) }
            // The connection of the registration.
            #expect(test.server.state.requests == [1, 1, 1, 1, 1])
            try await test.origin.shutdown()
        }
    }

    @Test func `each thread has its own connection, and leaves it to a later thread`() async throws {
        try await ScriptedServer.run { _ in
            try .payload(7)
        } _: { test in
            let threads = [LoadThread(), LoadThread()]
            for thread in threads + threads { try await test.load(7, .thread, on: thread) }
            #expect(test.server.state.requests == [2, 3, 2, 3])
            for thread in threads { thread.join() }
            for _ in 0..<3 { try await test.load(7, .thread) }
            #expect(test.server.state.requests.dropFirst(4).allSatisfy { $0 == 3 })
            #expect(test.server.state.connectionCount == 3)
            try await test.origin.shutdown()
        }
    }

    @Test func `a thread uses two origins, each over a separate connection`() async throws {
        try await ScriptedServer.run { _ in
            try .payload(7)
        } _: { first in
            try await ScriptedServer.run { _ in
                try .payload(7)
            } _: { second in
                let thread = LoadThread()
                for _ in 0..<3 {
                    try await first.load(7, .thread, on: thread)
                    try await second.load(7, .thread, on: thread)
                }
                #expect(first.server.state.connectionCount == 2)
                #expect(second.server.state.connectionCount == 2)
                try await first.origin.shutdown()
                try await second.load(7, .thread, on: thread)
                thread.join()
                try await second.origin.shutdown()
            }
        }
    }

    @Test(arguments: HTTPOriginUnderTest.Caller.allCases)
    func `a connection that the server closed is reopened, and nothing is sent twice`(
        caller: HTTPOriginUnderTest.Caller
    ) async throws {
        try await ScriptedServer.run { _ in
            try .payload(7, .closes)
        } _: { test in
            let thread = LoadThread()
            for number in 1...4 {
                try await test.load(7, caller, on: thread)
                #expect(test.server.state.requests.count == number)
                // A thread's first load leaves the registration's connection open.
                try await test.server.wait { $0.open.count == (caller == .thread ? 1 : 0) }
            }
            thread.join()
            try await test.origin.shutdown()
        }
    }

    @Test(arguments: HTTPOriginUnderTest.Caller.allCases)
    func `an unrequested answer answers no later load`(caller: HTTPOriginUnderTest.Caller) async throws {
        try await ScriptedServer.run { _ in
            try .payload(7)
        } _: { test in
            let thread = LoadThread()
            try await test.load(7, caller, on: thread)
            // It would be taken for the answer to the next request.
            test.server.push(try ScriptedServer.Answer.payload(8).bytes)
            // An event loop notices at once, a thread with its next load.
            try await test.server.wait { $0.open.count == (caller == .thread ? 1 : 0) }
            try await test.load(7, caller, on: thread)
            #expect(Set(test.server.state.requests).count == 2)
            thread.join()
            try await test.origin.shutdown()
        }
    }

    @Test(arguments: HTTPOriginUnderTest.Caller.allCases)
    func `a second answer behind the first ends the connection`(caller: HTTPOriginUnderTest.Caller) async throws {
        try await ScriptedServer.run { _ in
            var answer = try ScriptedServer.Answer.payload(7)
            answer.bytes += try ScriptedServer.Answer.payload(8).bytes
            return answer
        } _: { test in
            let thread = LoadThread()
            for _ in 0..<3 { try await test.load(7, caller, on: thread) }
            #expect(Set(test.server.state.requests).count == 3)
            thread.join()
            try await test.origin.shutdown()
        }
    }

    @Test func `shutting down closes the connections of threads that live on`() async throws {
        try await ScriptedServer.run { _ in
            try .payload(7)
        } _: { test in
            let thread = LoadThread()
            try await test.load(7, .thread, on: thread)
            try await test.load(7, .task)
            try await test.origin.shutdown()
            try await test.server.wait { $0.open.isEmpty }
            for caller in HTTPOriginUnderTest.Caller.allCases {
                let error = await #expect(throws: OriginError.self) { try await test.load(7, caller, on: thread) }
                #expect(error?.description.contains("the origin was shut down") == true)
            }
            #expect(test.server.state.requests.count == 2)
            thread.join()
        }
    }

    @Test func `a released origin closes its connections`() async throws {
        try await ScriptedServer.run { _ in
            try .payload(7)
        } _: { test in
            let thread = LoadThread()
            let port = test.port
            do {
                let other = try await HTTPOriginUnderTest(test.server, port: port)
                try await other.load(7, .thread, on: thread)
                try await other.load(7, .task)
                #expect(test.server.state.open.count == 3)
            }
            try await test.server.wait { $0.open.count == 1 }
            thread.join()
            try await test.origin.shutdown()
        }
    }
}
