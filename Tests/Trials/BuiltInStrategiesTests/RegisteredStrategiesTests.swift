import BuiltInStrategies
import CacheStrategies
import CacheTrialsTesting
import Conformance
import Foundation
import Measurement
import Origins
import PersistentStrategies
import TestTiers
import Testing
import TrialModel
import TrialSessions

@testable import TimedStrategies

/// A strategy of the registry with values that are counted while they are alive.
private struct Registered: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The type, as it is written with the values of trials.
    let typeName: String
    let failures: @Sendable (ConformanceCheck) async -> [ConformanceFailure]
    let contract: CacheContract

    init<Strategy: CacheStrategy<String, TrackedValue>>(_ type: Strategy.Type) {
        testDescription = Strategy.declaration.name
        typeName = String(reflecting: type)
            .replacing(String(reflecting: TrackedValue.self), with: String(reflecting: Payload.self))
        let makeKit: @Sendable () -> ConformanceKit<Strategy> = {
            var kit = ConformanceKit(type)
            kit.effort = TestTier.isNightly ? .full : .brief
            kit.allocatedBytes = {
                MemoryMeter.settleThread()
                return MemoryMeter.read().allocatedBytes
            }
            return kit
        }
        failures = { await makeKit().failures(of: $0) }
        contract = CacheContract(makeKit)
    }

    /// One of each kind; in the nightly tier all run.
    static let usual = [
        Registered(BarrierNSCache.self), Registered(DualCache.self), Registered(ActorCache.self),
        Registered(LRUCache.self), Registered(DiskCache.self), Registered(ExpiringCache.self),
    ]

    static let all =
        usual + [
            Registered(FIFOCache.self), Registered(CLOCKCache.self), Registered(SIEVECache.self),
            Registered(S3FIFOCache.self), Registered(TwoQueueCache.self), Registered(ARCCache.self),
            Registered(LFUCache.self), Registered(WTinyLFUCache.self), Registered(LIRSCache.self),
            Registered(PolicyCache<_, _, LiveSLRU>.self), Registered(PolicyCache<_, _, LiveCAR>.self),
            Registered(PolicyCache<_, _, LiveS4FIFO>.self), Registered(PolicyCache<_, _, LiveClock2QPlus>.self),
            Registered(PolicyCache<_, _, LiveGDSF>.self),
            Registered(LRUBehind<ReadWriteLock, _, _>.self), Registered(ShardedLRUCache.self),
            Registered(ShardedS3FIFOCache.self),
            Registered(ConcurrentSIEVECache.self),
            Registered(NoCache.self), Registered(UnboundedCache.self), Registered(LRUBehind<FoundationLock, _, _>.self),
            Registered(LRUBehind<SwiftMutex, _, _>.self), Registered(LRUBehind<SemaphoreLock, _, _>.self),
            Registered(LRUBehind<SerialQueue, _, _>.self), Registered(BarrierLRUCache.self),
            Registered(BarrierFIFOCache.self), Registered(ActorLRUCache.self),
            Registered(Metered<LRUCache<_, _>>.self),
        ]
}

extension Registered {
    /// The published caches, and the checks that each fails.
    fileprivate static let published: [(Registered, Set<ConformanceCheck>)] = [
        (Registered(PublishedActorCache.self), []), (Registered(PublishedBarrierNSCache.self), []),
        (Registered(PublishedDiskCache.self), [.loadErrorReachesCaller]),
        (Registered(PublishedDualCache.self), [.loadErrorReachesCaller, .blockingLoadBehavesAsLoad]),
        // Its lifetimes depend on the machine's date.
        (Registered(PublishedExpiringCache.self), [.entriesExpire]),
    ]
}

/// Every strategy of the registry runs the conformance kit here.
@Suite(.timeLimit(.minutes(5)))
struct RegisteredStrategiesTests {
    private static let strategies =
        StrategyRegistry.builtIn.defaults + StrategyRegistry.builtIn.strategies(in: "synchronized")
        + StrategyRegistry.builtIn.strategies(in: "meters")
    static let names = strategies.map(\.declaration.name)

    @Test(arguments: (TestTier.isNightly ? Registered.all : Registered.usual).flatMap(\.contract.checks))
    func `a registered strategy keeps the contract and its own promises`(check: ContractCheck) async throws {
        try await check()
    }

    /// What a single caller sees; concurrent callers of a published cache may crash the process.
    private static let checksOfOneCaller: [ConformanceCheck] = [
        .insertedIsFound, .replacedIsFound, .removedIsMissing, .removeAllEmpties, .loadMissesThenHits,
        .loadErrorReachesCaller, .undecodableIsRefused, .blockingLoadBehavesAsLoad, .failureLeavesNoLoadBehind,
        .hostileCostsAreHarmless, .entriesExpire, .everyWayInKeepsLifetimes,
    ]

    @Test(arguments: Registered.published)
    private func `a published cache breaks for one caller what is known of it, and nothing else`(
        strategy: Registered, known: Set<ConformanceCheck>
    ) async {
        var broken: Set<ConformanceCheck> = []
        for check in Self.checksOfOneCaller where await strategy.failures(check).contains(where: { !$0.isPremise }) {
            broken.insert(check)
        }
        #expect(broken == known)
    }

    @Test func `every strategy of the registry runs the conformance kit`() {
        let types = Self.strategies.compactMap { $0.stringKeyed.map { String(reflecting: $0) } }
        #expect(Set(types) == Set(Registered.all.map(\.typeName)))
    }

    @Test(.nightly, arguments: names, ConformanceCheck.allCases)
    func `a registered strategy keeps the contract with the values of trials`(
        name: String, check: ConformanceCheck
    ) async throws {
        let registration = try #require(StrategyRegistry.builtIn[name])
        let type = try #require(registration.stringKeyed)
        for failure in await Self.failures(of: type, check) { Issue.record("\(failure)") }
    }

    @Test func `names are kebab-case and unique, and a plus joins what is composed`() {
        let names = StrategyRegistry.builtIn.names
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*(\+[a-z0-9]+(-[a-z0-9]+)*)?/) != nil })
    }

    @Test func `every strategy of the contract is registered`() {
        let expected: Set = [
            "barrier-nscache", "lock-dual", "actor", "lru", "disk", "expiring", "none", "unbounded", "unsynchronized",
            "published-barrier-nscache", "published-lock-dual", "published-actor", "published-disk",
            "published-expiring",
        ]
        #expect(expected.subtracting(StrategyRegistry.builtIn.names).isEmpty)
    }

    @Test func `controls and published caches run only when they are named`() {
        let roles = Set(StrategyRegistry.builtIn.defaults.map(\.declaration.role))
        #expect(roles == [.candidate, .baseline])
        for registration in StrategyRegistry.builtIn.strategies {
            let isPublished = registration.declaration.name.hasPrefix("published-")
            #expect(isPublished == (registration.declaration.role == .reference), "\(registration.declaration.name)")
        }
    }

    @Test func `only a bound is unlimited`() {
        for registration in StrategyRegistry.builtIn.strategies where registration.declaration.bounds.isEmpty {
            #expect(registration.declaration.role != .candidate, "\(registration.declaration.name)")
        }
    }

    /// Opens the type of the registration; its values are those of a trial.
    private static func failures<Strategy: CacheStrategy<String, Payload>>(
        of type: Strategy.Type, _ check: ConformanceCheck
    ) async -> [ConformanceFailure] {
        await PayloadKit.kit(for: type).failures(of: check)
    }
}
