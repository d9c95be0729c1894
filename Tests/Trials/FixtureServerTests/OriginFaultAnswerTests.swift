import Foundation
import Origins
import Platform
import Testing

@testable import TrialModel

/// Every fault at both origins: the caller's answer, the log, and that the next request is answered.
@Suite(.timeLimit(.minutes(1)))
struct OriginFaultAnswerTests {
    /// The answer of a load: the payload's version, or an error of the origin or of decoding.
    private enum Answer: Equatable {
        case version(UInt64)
        case failure
    }

    private func withOrigin(
        _ place: OriginPlace, _ fault: OriginFault?, timeout: UInt64? = nil, delay: UInt64 = 0,
        offlinePhases: Set<UInt16>? = nil,
        _ body: @Sendable (any Origin) async throws -> Void
    ) async throws {
        var specification = OriginSpecification(
            kind: .server, delay: .fixed(delay), faults: fault.map { [$0] }, timeout: timeout)
        specification.offlinePhases = offlinePhases
        let values = ValueSpecification(kind: .bytes, size: .fixed(2_048))
        try await useOrigin(at: place, values: values, specification, body)
    }

    private func load(_ key: UInt64, _ origin: any Origin) async throws -> Answer {
        do {
            let payload = try await Payload(encoded: origin.fetch(key))
            #expect(payload.isIntact(seed: 5))
            #expect(payload.identity.key == key)
            return .version(payload.identity.version)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return .failure
        }
    }

    @Test(arguments: OriginFaultKind.allCases, OriginPlace.allCases)
    func `a fault fails its own request and no other`(kind: OriginFaultKind, place: OriginPlace) async throws {
        let script = OriginFault(kind: kind, attempts: FaultyAttempts(first: 2), time: 3_000_000)
        try await withOrigin(place, script, timeout: kind == .noAnswer ? 2_000_000_000 : 20_000_000_000) { origin in
            #expect(try await load(4, origin) == .version(1))
            let faulty = try await load(4, origin)
            let right: Answer = kind.isFailure ? .failure : .version(kind == .oldVersion ? 1 : 2)
            #expect(faulty == right)
            #expect(try await load(4, origin) == .version(3))
            #expect(try await load(6, origin) == .version(1))
            let log = try await origin.log(phase: 0) { $0.inFlight == 0 }
            #expect(log.requests == 4)
            #expect(log.faults == 1)
            #expect(log.failed + log.abandoned == (kind.isFailure ? 1 : 0))
        }
    }

    @Test(arguments: OriginPlace.allCases)
    func `without a network every request is refused at once, and counted`(place: OriginPlace) async throws {
        try await withOrigin(place, nil, delay: 400_000_000, offlinePhases: [1]) { origin in
            #expect(try await load(4, origin) == .version(1))
            origin.beginPhase(1)
            // One after the other none overlaps; eight at once may overlap, in unknown number.
            var quickest = UInt64.max
            for _ in 0..<10 {
                let start = Nanoclock.now()
                #expect(try await load(4, origin) == .failure)
                quickest = min(quickest, Nanoclock.now() - start)
            }
            // Each refusal that waited would take the delay; a busy machine delays some of them.
            #expect(quickest < 400_000_000)
            var log = try await origin.log(phase: 1) { $0.inFlight == 0 }
            #expect(log.requests == 10 && log.failed == 10 && log.duplicates == 0 && log.abandoned == 0)
            try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<8 { group.addTask { try await load(5, origin) } }
                for try await answer in group { #expect(answer == .failure) }
            }
            log = try await origin.log(phase: 1) { $0.inFlight == 0 }
            #expect(log.requests == 18 && log.failed == 18 && log.duplicates <= 7)
            origin.beginPhase(2)
            #expect(try await load(5, origin) == .version(9))
            #expect(try await origin.log(phase: 2) { $0.inFlight == 0 }.failed == 0)
        }
    }

    @Test(arguments: OriginPlace.allCases)
    func `a slow answer takes its time`(place: OriginPlace) async throws {
        try await withOrigin(place, OriginFault(kind: .slowAnswer, time: 40_000_000)) { origin in
            let start = Nanoclock.now()
            let answer = try await load(4, origin)
            #expect(answer == .version(1))
            #expect(Nanoclock.now() - start >= 39_000_000)
        }
    }

    @Test(arguments: OriginPlace.allCases)
    func `an answer slower than the timeout is abandoned`(place: OriginPlace) async throws {
        let fault = OriginFault(kind: .slowAnswer, attempts: FaultyAttempts(), time: 60_000_000_000)
        try await withOrigin(place, fault, timeout: 200_000_000) { origin in
            let error = await #expect(throws: OriginError.self) { try await origin.fetch(4) }
            #expect(error?.description.hasPrefix("key 4: no answer within 200 ms;") == true)
            let log = try await origin.log(phase: 0) { $0.requests == 1 && $0.inFlight == 0 }
            #expect(log.abandoned == 1)
            #expect(log.faults == 1)
        }
    }

    @Test func `the server's request log names the fault`() async throws {
        try await ServerUnderTest.run { server in
            let registration = """
                {"seed":1,"values":{"kind":"bytes","size":{"fixed":{"_0":64}}},"origin":{"kind":"server",
                "delay":{"fixed":{"_0":0}},"faults":[{"kind":"not-found","probability":1,"keys":[3,4]}]}}
                """
            #expect(try await server.exchange("PUT", "/trials/a", body: registration).status == 204)
            #expect(try await server.exchange("GET", "/trials/a/values/3").status == 404)
            #expect(try await server.exchange("GET", "/trials/a/values/4").status == 200)
            // Chunk sizes are between the pieces of the answer.
            let rows = try await server.exchange("GET", "/trials/a/log/entries").body.components(separatedBy: "\r\n")
                .filter { $0.hasPrefix("0,") }
            #expect(
                rows.map { $0.split(separator: ",", omittingEmptySubsequences: false).last } == ["not-found", ""])
        }
    }

    @Test(arguments: [
        (#"{"kind":"not-found","probability":2}"#, "origin.faults[0].probability: 2.0 must be from 0 to 1"),
        (
            #"{"kind":"slow-answer","probability":1,"time":600000000001}"#,
            "origin.faults[0].time: 600000000001 ns; the limit is 600000000000"
        ),
        (
            #"{"kind":"not-found","probability":1,"attempts":{"first":1,"count":1,"every":0}}"#,
            "origin.faults[0].attempts.every: 0; it must be at least 1"
        ),
    ])
    func `a registration with a bad fault is refused`(fault: String, text: String) async throws {
        try await ServerUnderTest.run { server in
            let registration =
                #"{"seed":1,"values":{"kind":"bytes","size":{"fixed":{"_0":64}}},"#
                + #""origin":{"kind":"server","delay":{"fixed":{"_0":0}},"faults":[\#(fault)]}}"#
            let answer = try await server.exchange("PUT", "/trials/a", body: registration)
            #expect(answer.status == 400)
            #expect(answer.body == text)
        }
    }
}
