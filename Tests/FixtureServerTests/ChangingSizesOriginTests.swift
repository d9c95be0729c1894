import Foundation
import Origins
import Testing

@testable import TrialModel

/// Sizes that change by version, at all origins.
@Suite(.timeLimit(.minutes(1)))
struct ChangingSizesOriginTests {
    private static func values(_ kind: ValueKind) -> ValueSpecification {
        ValueSpecification(kind: kind, size: .uniform(min: 500, max: 5_000), changes: true)
    }

    /// Fetches as threads and as tasks do.
    private func check(_ origin: any Origin, _ kind: ValueKind) async throws {
        let payloads = PayloadFactory(specification: Self.values(kind), seed: 5)
        var sizes: Set<Int> = []
        for version in 1...6 as ClosedRange<UInt64> {
            let data =
                version.isMultiple(of: 2)
                ? try await origin.fetch(3) : try await onThread { try origin.fetchBlocking(3, deadline: nil) }
            let payload = try Payload(encoded: data)
            #expect(payload.identity == PayloadIdentity(key: 3, version: version))
            #expect(payload.cost == payloads.size(ofKey: 3, version: version))
            #expect(payload.isIntact(seed: 5))
            sizes.insert(payload.cost)
        }
        #expect(sizes.count > 4)
        try await origin.shutdown()
    }

    @Test(arguments: ValueKind.allCases)
    func `the origin in memory sends each version in its size`(kind: ValueKind) async throws {
        try await check(
            MemoryOrigin(
                scenarioSeed: 5, values: Self.values(kind), origin: OriginSpecification(kind: .memory, delay: .fixed(0))
            ),
            kind)
    }

    @Test(arguments: ValueKind.allCases)
    func `the fixture server sends each version in its size, to each trial alike`(kind: ValueKind) async throws {
        try await ServerUnderTest.run { server in
            for trial in ["first", "second"] {
                try await check(
                    HTTPOrigin(
                        address: server.address, trial: trial, scenarioSeed: 5, values: Self.values(kind),
                        origin: OriginSpecification(kind: .server, delay: .fixed(0)), concurrency: 4,
                        preparedKeyCount: 5),
                    kind)
            }
        }
    }

    @Test func `an older version that a fault sends has its own size`() async throws {
        let fault = OriginFault(kind: .oldVersion, attempts: FaultyAttempts(first: 2))
        let origin = MemoryOrigin(
            scenarioSeed: 5, values: Self.values(.bytes),
            origin: OriginSpecification(kind: .memory, delay: .fixed(0), faults: [fault]))
        let first = try await origin.fetch(3)
        #expect(try await origin.fetch(3) == first)
        #expect(try await origin.fetch(3) != first)
    }
}
