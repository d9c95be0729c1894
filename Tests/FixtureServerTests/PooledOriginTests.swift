import Foundation
import Origins
import Testing

@testable import TrialModel

/// Key pools at both origins.
@Suite(.timeLimit(.minutes(1)))
struct PooledOriginTests {
    private static let values = ValueSpecification(
        kind: .bytes, size: .fixed(64),
        pools: [
            PooledValues(first: 0, count: 10, size: .fixed(100)),
            PooledValues(first: 10, count: 20, size: .fixed(1_000), timeToLive: 5_000_000),
        ])

    private func check(_ origin: any Origin) async throws {
        origin.beginPhase(1)
        for key in [3, 9, 10, 29, 29] as [UInt64] {
            let payload = try await Payload(encoded: origin.fetch(key))
            #expect(payload.cost == (key < 10 ? 100 : 1_000))
            #expect(payload.lifetime == (key < 10 ? nil : .milliseconds(5)))
            #expect(payload.isIntact(seed: 5))
        }
        #expect(try await origin.log(phase: 1).pools?.map(\.requests) == [2, 3])
        #expect(try await origin.log(phase: 0).pools?.map(\.requests) == [0, 0])
        try await origin.shutdown()
    }

    @Test func `the origin in memory knows sizes, lifetimes and requests of pools`() async throws {
        try await check(
            MemoryOrigin(
                scenarioSeed: 5, values: Self.values, origin: OriginSpecification(kind: .memory, delay: .fixed(0))))
    }

    @Test func `the fixture server knows sizes, lifetimes and requests of pools`() async throws {
        try await ServerUnderTest.run { server in
            try await check(
                HTTPOrigin(
                    address: server.address, trial: "pools", scenarioSeed: 5, values: Self.values,
                    origin: OriginSpecification(kind: .server, delay: .fixed(0)), concurrency: 4, preparedKeyCount: 5))
        }
    }
}
