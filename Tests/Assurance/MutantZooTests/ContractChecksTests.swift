import CacheStrategies
import Conformance
import Foundation
import Mutants
import Testing
import TrialModel

/// Every check of the contract can fail: a mutant is meant for it, or must at least be noticed by it.
@Suite(.timeLimit(.minutes(5)))
struct ContractChecksTests {
    private static let noticed: [(ConformanceCheck, mutant: String)] = [
        (.insertedIsFound, "truncated-at-64-kib"), (.replacedIsFound, "cost-kept-on-replace"),
        (.removeAllEmpties, "clear-keeps-cost"), (.keysKeepTheirOwnValues, "keys-mixed-up"),
        (.undecodableIsRefused, "failed-load-left-behind"), (.blockingLoadBehavesAsLoad, "error-kept-forever"),
        (.statisticsAgree, "frozen-when-full"),
    ]

    @Test(arguments: noticed)
    func `a mutant that is meant for another check is noticed`(check: ConformanceCheck, name: String) async throws {
        let examine = try #require(MutantZoo.all.first { $0.name == name }?.alarms)
        #expect(await examine(1, .only([.conformance(check)])).map(\.check) == [.conformance(check)])
    }

    @Test func `a cancellation that reaches other callers is noticed`() async {
        let kit = ConformanceKit(SharedLoadCache<String, TrackedValue, PlantedFaults.CancelCancelsOthers>.self)
        #expect(await !kit.failures(of: .cancellationIsIsolated).isEmpty)
    }

    @Test func `a cache whose writes are seen later keeps its lifetimes`() async throws {
        let eventual = try #require(MutantZoo.soundBases.first { $0.name == "eventual" })
        let checks: CheckSelection = .only([
            .conformance(.entriesExpire), .conformance(.everyWayInKeepsLifetimes), .promise(.lifetimes),
        ])
        for seed in 1...5 { #expect(await eventual.alarms(UInt64(seed), checks).isEmpty) }
    }

    @Test func `no check of the contract is left out`() {
        let tried = MutantZoo.all.map(\.expected) + Self.noticed.map { .conformance($0.0) }
        let untried = ConformanceCheck.allCases.filter { !tried.contains(.conformance($0)) }
        #expect(untried == [.cancellationIsIsolated])
    }

    @Test func `a cache that refuses when it is full is seen to admit nothing`() async throws {
        func finding<Cache: CacheStrategy<Int, StampedBytes>>(_ type: Cache.Type) async throws -> AdmissionFinding {
            try #require(await Self.admission(type, entryLimit: 8))
        }
        let frozen = try #require(MutantZoo.all.first { $0.name == "frozen-when-full" }?.cache)
        let type = try #require(frozen as? any CacheStrategy<Int, StampedBytes>.Type)
        let (refusing, sound) = (try await finding(type), try await finding(LRUCache<Int, StampedBytes>.self))
        #expect((refusing.offered, refusing.admitted) == (40, 0))
        #expect((sound.offered, sound.admitted, sound.limit) == (40, 40, "8 entries"))
    }

    private static func admission<Cache: CacheStrategy<Int, StampedBytes>>(
        _ type: Cache.Type, entryLimit: Int? = nil, costLimit: Int? = nil, _ promises: Promises? = nil,
        bounds: Bounds? = nil
    ) async throws -> AdmissionFinding? {
        var probe = AdmissionProbe(
            type, makeKey: { $0 }, makeValue: { StampedBytes(key: $0, version: 1, byteCount: 24) })
        if let promises { probe.declaration.promises = promises }
        if let bounds { probe.declaration.bounds = bounds }
        return try await probe.finding(
            entryLimit: entryLimit, costLimit: costLimit, folder: FileManager.default.temporaryDirectory)
    }

    @Test func `a cache is filled to a limit that it keeps, and none is full without one`() async throws {
        let lru = LRUCache<Int, StampedBytes>.self
        #expect(try await Self.admission(lru, entryLimit: 8, bounds: []) == nil)
        #expect(try await Self.admission(lru, entryLimit: 8, bounds: .cost) == nil)
        #expect(try await Self.admission(lru, entryLimit: 8, Promises(limit: .none)) == nil)
        let both = try await Self.admission(lru, entryLimit: 8, costLimit: 2_400, bounds: .cost)
        #expect(both?.limit == "2400 bytes")
    }

    @Test func `a cache is filled to a limit that it opens with, and that allows its entries`() async throws {
        let lru = LRUCache<Int, StampedBytes>.self
        let many = Promises(limitRules: LimitRules(smallest: 300))
        #expect(try await Self.admission(lru, entryLimit: 4_000, many)?.limit == "300 entries")
        let sound = MutantZoo.soundBases.first { $0.name == "plain-tenth-keeps-old" }?.cache
        let type = try #require(sound as? any CacheStrategy<Int, StampedBytes>.Type)
        let tenth = try #require(try await Self.admission(type, costLimit: 48))
        #expect(tenth.admitted == tenth.offered && tenth.limit == "264 bytes", "\(tenth)")
    }
}
