import Foundation
import Platform
import Testing

@testable import Origins
@testable import OriginsTests
@testable import TrialModel

/// The common behaviour of both origins: the one in memory, and the fixture server over HTTP.
@Suite(.timeLimit(.minutes(1)))
struct OriginTests {
    /// Longer than any test: a request with this delay can only be cancelled.
    private static let forever: UInt64 = 500_000

    private func withOrigin(
        _ place: OriginPlace, delayMilliseconds: UInt64, _ body: @Sendable (any Origin) async throws -> Void
    ) async throws {
        let delay = Distribution.fixed(delayMilliseconds * 1_000_000)
        try await useOrigin(at: place, OriginSpecification(kind: .server, delay: delay), body)
    }

    @Test(arguments: OriginPlace.allCases, ValueKind.allCases)
    func `a fetched payload is the key's own and intact`(place: OriginPlace, kind: ValueKind) async throws {
        let values = ValueSpecification(kind: kind, size: .fixed(1_024))
        try await useOrigin(at: place, values: values) { origin in
            for key in [0, 7, UInt64.max] {
                let payload = try await Payload(encoded: origin.fetch(key))
                #expect(payload.identity == PayloadIdentity(key: key, version: 1))
                #expect(payload.isIntact(seed: 5))
            }
        }
    }

    @Test(arguments: OriginPlace.allCases)
    func `the request log uses the clock of its reader`(place: OriginPlace) async throws {
        try await withOrigin(place, delayMilliseconds: 2) { origin in
            let before = Nanoclock.now()
            _ = try await origin.fetch(3)
            let after = Nanoclock.now()
            let list = try await origin.requestList()
            #expect(list.droppedCount == 0)
            let entry = try #require(list.entries.first)
            #expect(entry.key == 3 && entry.version == 1 && entry.ending == .answered)
            #expect(before < entry.startNanoseconds && entry.startNanoseconds < entry.endNanoseconds)
            #expect(entry.endNanoseconds < after)
        }
    }

    @Test(arguments: OriginPlace.allCases)
    func `requests for a key in flight are duplicates, and cancelled ones are abandoned`(place: OriginPlace)
        async throws
    {
        try await withOrigin(place, delayMilliseconds: Self.forever) { origin in
            let loads = [1, 1, 1, 1, 2, 3].map { key in Task { try await origin.fetch(key) } }
            let log = try await origin.log(phase: 0) { $0.inFlight == 6 }
            #expect(log.requests == 6)
            #expect(log.duplicates == 3)
            #expect(log.maxConcurrent == 6)
            #expect(log.maxConcurrentPerKey == 4)
            for load in loads { load.cancel() }
            for load in loads { await #expect(throws: CancellationError.self) { try await load.value } }
            let after = try await origin.log(phase: 0) { $0.inFlight == 0 }
            #expect(after.abandoned == 6)
            #expect(after.requests == 6)
        }
    }

    @Test(arguments: OriginPlace.allCases)
    func `requests are counted in their phase`(place: OriginPlace) async throws {
        try await withOrigin(place, delayMilliseconds: 0) { origin in
            _ = try await origin.fetch(1)
            origin.beginPhase(2)
            _ = try await origin.fetch(1)
            _ = try await onThread { try origin.fetchBlocking(5, deadline: nil) }
            #expect(try await origin.log(phase: 0).requests == 1)
            #expect(try await origin.log(phase: 1).requests == 0)
            #expect(try await origin.log(phase: 2).requests == 2)
        }
    }

    @Test(arguments: OriginPlace.allCases)
    func `a thread's request is abandoned at its deadline`(place: OriginPlace) async throws {
        try await withOrigin(place, delayMilliseconds: Self.forever) { origin in
            await #expect(throws: CancellationError.self) {
                try await onThread { try origin.fetchBlocking(1, deadline: .milliseconds(500)) }
            }
            let log = try await origin.log(phase: 0) { $0.requests == 1 && $0.inFlight == 0 }
            #expect(log.abandoned == 1)
        }
    }

    @Test(arguments: OriginPlace.allCases)
    func `no answer comes before its delay is over`(place: OriginPlace) async throws {
        try await withOrigin(place, delayMilliseconds: 30) { origin in
            let start = Nanoclock.now()
            _ = try await origin.fetch(1)
            let middle = Nanoclock.now()
            _ = try await onThread { try origin.fetchBlocking(1, deadline: .seconds(20)) }
            #expect(middle - start >= 30_000_000)
            #expect(Nanoclock.now() - middle >= 30_000_000)
        }
    }

    @Test(arguments: OriginPlace.allCases)
    func `a task that is already cancelled fetches nothing`(place: OriginPlace) async throws {
        try await withOrigin(place, delayMilliseconds: 0) { origin in
            let load = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await origin.fetch(1)
            }
            load.cancel()
            await #expect(throws: CancellationError.self) { try await load.value }
        }
    }
}

/// Key pools at both origins.
@Suite(.timeLimit(.minutes(1)))
struct PooledOriginTests {
    private static let values = ValueSpecification(
        kind: .bytes, size: .fixed(64),
        pools: [
            PooledValues(first: 0, count: 10, size: .fixed(100)),
            PooledValues(first: 10, count: 20, size: .fixed(1_000), timeToLive: 5_000_000),
        ])

    @Test(arguments: OriginPlace.allCases)
    func `the origin knows sizes, lifetimes and requests of pools`(place: OriginPlace) async throws {
        try await useOrigin(at: place, values: Self.values, preparedKeyCount: 5) { origin in
            origin.beginPhase(1)
            for key in [3, 9, 10, 29, 29] as [UInt64] {
                let payload = try await Payload(encoded: origin.fetch(key))
                #expect(payload.cost == (key < 10 ? 100 : 1_000))
                #expect(payload.lifetime == (key < 10 ? nil : .milliseconds(5)))
                #expect(payload.isIntact(seed: 5))
            }
            #expect(try await origin.log(phase: 1).pools?.map(\.requests) == [2, 3])
            #expect(try await origin.log(phase: 0).pools?.map(\.requests) == [0, 0])
        }
    }
}

/// Sizes that change by version, at all origins.
@Suite(.timeLimit(.minutes(1)))
struct ChangingSizesOriginTests {
    private static func values(_ kind: ValueKind) -> ValueSpecification {
        ValueSpecification(kind: kind, size: .uniform(min: 500, max: 5_000), changes: true)
    }

    @Test(arguments: OriginPlace.allCases, ValueKind.allCases)
    func `the origin sends each version in its size, to threads and to tasks`(
        place: OriginPlace, kind: ValueKind
    ) async throws {
        let payloads = PayloadFactory(specification: Self.values(kind), seed: 5)
        try await useOrigin(at: place, values: Self.values(kind), preparedKeyCount: 5) { origin in
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
