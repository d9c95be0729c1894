import Foundation
import Testing
import TrialModel

@testable import FixtureServer
@testable import Origins

@Suite(.timeLimit(.minutes(1)))
struct FixtureServerTests {
    private static let registration =
        #"{"seed":1,"values":{"kind":"bytes","size":{"fixed":{"_0":64}}},"#
        + #""origin":{"kind":"server","delay":{"fixed":{"_0":0}}}}"#

    @Test func `a value comes with its type, version and length`() async throws {
        try await ServerUnderTest.run { server in
            #expect(try await server.exchange("PUT", "/trials/a", body: Self.registration).status == 204)
            _ = try await server.exchange("GET", "/trials/a/values/3")
            let answer = try await server.exchange("GET", "/trials/a/values/3?phase=4")
            #expect(answer.status == 200)
            #expect(answer.head.contains("content-type: application/octet-stream"))
            #expect(answer.head.contains("x-version: 2"))
            #expect(answer.head.contains("content-length: 64"))
        }
    }

    @Test func `a registration names no file outside of the folder that the server was started with`() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("tables-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let folders = ["allowed", "other"].map { root.appendingPathComponent($0) }
        for folder in folders {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try KeyTable(sizes: [100], lifetimes: nil).write(to: folder.appendingPathComponent("0.keys").path)
        }
        func register(_ path: String, at server: FixtureServer) throws {
            let traced = TracedValues.defaults.with { ($0.path, $0.sizes) = (path, true) }
            try server.register(
                TrialRegistration(
                    seed: 1, values: ValueSpecification(kind: .bytes, size: .fixed(64)).with { $0.traced = traced },
                    origin: OriginSpecification(kind: .server, delay: .fixed(0))), as: "a")
        }
        var configuration = FixtureServerConfiguration()
        let without = FixtureServer(configuration: configuration)
        configuration.keyTableFolder = folders[0].path
        let server = FixtureServer(configuration: configuration)
        try register(folders[0].appendingPathComponent("0.keys").path, at: server)
        for path in ["other/0.keys", "allowed/../other/0.keys", "none/0.keys", "allowed"] {
            let error = #expect(throws: FixtureServerError.self) {
                try register(root.appendingPathComponent(path).path, at: server)
            }
            #expect(error?.description.hasPrefix("values.traced.path: the server was not started with") == true)
        }
        #expect(throws: FixtureServerError.self) {
            try register(folders[0].appendingPathComponent("0.keys").path, at: without)
        }
    }

    /// A registration of values of 256 MiB.
    private static func large(_ seed: Int) -> String {
        registration.replacing(#""_0":64"#, with: #""_0":268435456"#)
            .replacing(#""seed":1"#, with: #""seed":\#(seed)"#)
    }

    @Test func `registrations together ask for no more memory than the server gives`() async throws {
        try await ServerUnderTest.run { server in
            for trial in ["a", "b", "c", "d"] {
                #expect(
                    try await server.exchange("PUT", "/trials/\(trial)", body: Self.large(trial == "d" ? 3 : 4)).status
                        == 204)
            }
            for seed in [5, 6] {
                #expect(try await server.exchange("PUT", "/trials/\(seed)", body: Self.large(seed)).status == 204)
            }
            let refused = try await server.exchange("PUT", "/trials/e", body: Self.large(7))
            #expect(refused.status == 409)
            let sentence = "the largest values of all trials take 2684354560 bytes, and 2147483648 are allowed"
            #expect(refused.body.hasPrefix(sentence), "\(refused.body)")
            #expect(try await server.exchange("PUT", "/trials/f", body: Self.registration).status == 409)
            #expect(try await server.exchange("DELETE", "/trials/6").status == 204)
            #expect(try await server.exchange("PUT", "/trials/e", body: Self.large(7)).status == 204)
        }
    }

    @Test func `the example on the help page registers`() async throws {
        let start = try #require(HelpPage.text.range(of: #"{"seed""#)?.lowerBound)
        let end = try #require(HelpPage.text.range(of: "20000000}}}}")?.upperBound)
        let example = String(HelpPage.text[start..<end])
        try await ServerUnderTest.run { server in
            let help = try await server.exchange("GET", "/")
            #expect(help.body.hasPrefix("CacheTrials fixture server"))
            let registered = try await server.exchange("PUT", "/trials/example", body: example)
            #expect(registered.status == 204)
        }
    }

    @Test func `the fault and the amounts on the help page can be registered`() async throws {
        func text(_ start: String, _ end: String) throws -> Substring {
            let first = try #require(HelpPage.text.range(of: start))
            let last = try #require(HelpPage.text.range(of: end, range: first.upperBound..<HelpPage.text.endIndex))
            return HelpPage.text[first.lowerBound..<last.lowerBound]
        }
        let fault = try text(#"{"kind": "server-error""#, "}],") + ", " + text(#""keys""#, ",\n") + "}"
        let decoded = try JSONDecoder().decode(OriginFault.self, from: Data(fault.utf8))
        #expect(decoded.keys == 0..<100 && decoded.attempts?.every == 10)
        let amounts = try [text(#"{"uniform""#, ", {"), text(#"{"logNormal""#, " or"), text(#"{"table""#, "\n")]
        try await ServerUnderTest.run { server in
            for amount in amounts {
                let registration = Self.registration.replacing(#"{"fixed":{"_0":0}}"#, with: amount)
                    .replacing(#""kind":"server","#, with: #""kind":"server","faults":[\#(fault)],"#)
                let status = try await server.exchange("PUT", "/trials/a", body: registration).status
                #expect(status == 204, "\(amount)")
            }
        }
    }

    @Test func `the entries list every request with its times`() async throws {
        try await ServerUnderTest.run { server in
            let origin = try await server.origin(trial: "a", delayMilliseconds: 3)
            for key in [5, 5, 6] as [UInt64] { _ = try await origin.fetch(key) }
            origin.beginPhase(1)
            _ = try await origin.fetch(5)
            let all = try await server.exchange("GET", "/trials/a/log/entries")
            #expect(all.body.components(separatedBy: "\r\n").filter { $0.contains(",") }.count == 5)
            let rows = try await server.exchange("GET", "/trials/a/log/entries?phase=0").body
                .components(separatedBy: "\r\n").filter { $0.contains(",") }
            #expect(rows.first == "phase,key,version,start_ns,end_ns,status,fault")
            let fields = rows.dropFirst().map { $0.split(separator: ",").map { UInt64($0) ?? .max } }
            #expect(fields.map { Array($0.prefix(3)) } == [[0, 5, 1], [0, 5, 2], [0, 6, 1]])
            #expect(fields.allSatisfy { $0.count == 6 && $0[4] >= $0[3] + 3_000_000 && $0[5] == 200 })
            try await origin.shutdown()
        }
    }

    @Test func `a trial registered anew begins at version 1 with an empty log`() async throws {
        try await ServerUnderTest.run { server in
            for _ in 0..<2 {
                let origin = try await server.origin(trial: "a")
                let data = try await origin.fetch(1)
                #expect(try PayloadIdentity(peekingInto: data).version == 1)
                #expect(try await origin.log(phase: 0).requests == 1)
                if try await server.exchange("GET", "/trials/a/log").body.contains(#""requests":1"#) == false {
                    Issue.record("the log of all phases lacks the request")
                }
                try await server.origin(trial: "b").shutdown()
            }
        }
    }

    @Test func `the values of many seeds stay within one limit, and the first ones go`() async throws {
        var configuration = FixtureServerConfiguration()
        configuration.templateByteCountMax = 100_000
        let registry = TrialRegistry(configuration: configuration)
        let values = ValueSpecification(kind: .bytes, size: .fixed(1_000))
        var stores: [TemplateStore] = []
        for seed in 1...16 as ClosedRange<UInt64> {
            let registration = TrialRegistration(
                seed: seed, values: values, origin: OriginSpecification(kind: .server, delay: .fixed(0)),
                preparedKeyCount: 40)
            let trial = try registry.register(registration, as: "a")
            try await trial.templates.prepare(trial.registration.preparedKeys)
            stores.append(trial.templates)
            #expect(stores.reduce(0) { $0 + $1.keptByteCount } <= 100_000)
        }
        #expect([0, 14, 15].map { stores[$0].kept(0) != nil } == [false, true, true])
    }

    @Test func `prepared values are there before a trial's first load`() async throws {
        let registry = TrialRegistry(configuration: FixtureServerConfiguration())
        let values = ValueSpecification(kind: .image, size: .fixed(4_096))
        let origin = OriginSpecification(kind: .server, delay: .fixed(0))
        let registration = TrialRegistration(seed: 1, values: values, origin: origin, preparedKeyCount: 3)
        let first = try registry.register(registration, as: "first")
        try await first.templates.prepare(first.registration.preparedKeys)
        _ = registry.remove("first")
        // The same values and seed: the next trial finds the values that the one before it had made.
        let second = try registry.register(registration, as: "second")
        #expect((0..<4).map { second.templates.kept($0) != nil } == [true, true, true, false])
        let other = TrialRegistration(seed: 2, values: values, origin: origin)
        #expect(try registry.register(other, as: "other").templates.kept(0) == nil)
    }

    @Test func `a registration that prepares values is answered`() async throws {
        try await ServerUnderTest.run { server in
            let origin = try await HTTPOrigin(
                address: server.address, trial: "a", scenarioSeed: 5,
                values: ValueSpecification(kind: .image, size: .fixed(4_096)),
                origin: OriginSpecification(kind: .server, delay: .fixed(0)), concurrency: 2, preparedKeyCount: 20
            )
            #expect(try await Payload(encoded: origin.fetch(19)).isIntact(seed: 5))
            try await origin.shutdown()
        }
    }

    @Test func `a cancelled server closes its connections and returns`() async throws {
        let origin = try await ServerUnderTest.run { server in
            let origin = try await server.origin(delayMilliseconds: 500_000)
            let loads = (0..<4).map { key in Task { try await origin.fetch(UInt64(key)) } }
            _ = try await origin.log(phase: 0) { $0.inFlight == 4 }
            return (origin, loads)
        }
        for load in origin.1 { await #expect(throws: OriginError.self) { try await load.value } }
        await #expect(throws: OriginError.self) { try await origin.0.shutdown() }
    }

    @Test func `a port that is taken is an error`() async throws {
        try await ServerUnderTest.run { server in
            var configuration = FixtureServerConfiguration()
            configuration.port = server.port
            let second = FixtureServer(configuration: configuration)
            await #expect(throws: (any Error).self) { try await second.run { _ in } }
        }
    }

    @Test func `the number of trials is limited`() throws {
        var configuration = FixtureServerConfiguration()
        configuration.trialCountMax = 2
        let server = FixtureServer(configuration: configuration)
        let registration = try JSONDecoder().decode(TrialRegistration.self, from: Data(Self.registration.utf8))
        try server.register(registration, as: "a")
        try server.register(registration, as: "b")
        try server.register(registration, as: "b")
        #expect(throws: FixtureServerError.tooManyTrials(limit: 2)) { try server.register(registration, as: "c") }
        #expect(throws: FixtureServerError.badTrialName("")) { try server.register(registration, as: "") }
    }
}
