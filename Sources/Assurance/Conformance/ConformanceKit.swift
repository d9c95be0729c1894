package import CacheStrategies
package import Foundation

/// How long a check looks that depends on the order in which callers happen to run.
package enum ConformanceEffort: Sendable {
    /// Callers run for a time: enough to judge a strategy.
    case full
    /// Callers send some hundred operations, so that a busy machine checks no less than an idle one: enough for a
    /// fault that shows in every run.
    case brief
}

/// Checks a strategy against the contract of `CacheStrategy` and against its own declaration.
///
/// ```swift
/// let kit = ConformanceKit(LRUCache<String, TrackedValue>.self)
/// for failure in await kit.failures(of: .insertedIsFound) { Issue.record("\(failure)") }
/// ```
///
/// A kit needs no list of strategies and records nothing with a test library: it returns the failures. Make one kit
/// for each check, because each kit has its own counter of living values.
package struct ConformanceKit<Strategy: CacheStrategy>: Sendable {
    /// What the cache promises; by default the declaration of its type.
    package var declaration = Strategy.declaration
    /// Opens a cache; by default with the initializer of its type.
    package var open: @Sendable (StrategyConfiguration) throws -> Strategy = { try Strategy(configuration: $0) }
    /// What can be asked of the cache.
    package var available = CacheCalls.all
    /// Whether a load knows what happened; otherwise one that gives a value beside another load counts as joined.
    var knowsOutcomes = true
    /// The key with a number; different numbers give different keys.
    let makeKey: @Sendable (Int) -> Strategy.Key
    /// A value with a number and a cost; values of different numbers have different encoded bytes.
    let makeValue: @Sendable (_ number: Int, _ byteCount: Int) -> Strategy.Value
    /// A value with a number, a cost and a lifetime of its own; `nil` when the value's type has no lifetimes.
    let makeMortal: (@Sendable (_ number: Int, _ byteCount: Int, _ lifetime: Duration) -> Strategy.Value)?
    /// Bytes that don't decode; `nil` when the value's type takes any.
    package let undecodable: Data?
    /// The factor for the checks' byte counts and cost limits, because values may have a minimum size.
    let byteUnit: Int
    /// The number of values that are alive; `nil` when the value's type can't tell.
    package let aliveValues: (@Sendable () -> Int)?
    /// Registers a closure that runs when the next value is released; `nil` when the value's type can't tell.
    var onNextRelease: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
    /// Changes a value in place; `nil` when the value's type allows no change.
    package let scribble: (@Sendable (inout Strategy.Value) -> Void)?
    /// The bytes that the process has allocated; `nil` where they can't be measured.
    package var allocatedBytes: (@Sendable () -> UInt64?)?
    /// The total time that checks may wait for effects that are not immediate.
    package var patience = Patience(.seconds(20))
    /// How long the checks look that depend on chance.
    package var effort = ConformanceEffort.full
    /// The calls in flight, for messages about those that never end.
    package var calls = CallsInFlight()
    /// Receives a description of every operation before it is sent; `nil` when not needed.
    package var onStep: (@Sendable (String) -> Void)?

    /// A kit for any types of key and value.
    package init(
        _ type: Strategy.Type, makeKey: @escaping @Sendable (Int) -> Strategy.Key,
        makeValue: @escaping @Sendable (_ number: Int, _ byteCount: Int) -> Strategy.Value, undecodable: Data?,
        byteUnit: Int = 1, aliveValues: (@Sendable () -> Int)?,
        scribble: (@Sendable (inout Strategy.Value) -> Void)? = nil,
        makeMortal: (@Sendable (_ number: Int, _ byteCount: Int, _ lifetime: Duration) -> Strategy.Value)? = nil
    ) {
        self.makeKey = makeKey
        self.makeValue = makeValue
        self.makeMortal = makeMortal
        self.undecodable = undecodable
        self.byteUnit = byteUnit
        self.aliveValues = aliveValues
        self.scribble = scribble
    }

    /// Whether a value can be made whose lifetime is over.
    var makesExpired: Bool {
        [Duration.zero, .seconds(-1)].allSatisfy { makeMortal?(1, 20 * byteUnit, $0).lifetime == $0 }
    }

    /// All failures of one check; empty when the fact holds and could be checked.
    package func failures(of check: ConformanceCheck) async -> [ConformanceFailure] {
        let probe = ConformanceProbe(kit: self, check: check)
        do {
            try await perform(check, with: probe)
        } catch {
            probe.fail("unexpected error: \(error)")
        }
        probe.removeFolder()
        return probe.failures
    }

    private func perform(_ check: ConformanceCheck, with probe: ConformanceProbe<Strategy>) async throws {
        switch check {
        case .replacedIsFound, .removedIsMissing, .removeAllEmpties, .loadMissesThenHits,
            .loadErrorReachesCaller, .undecodableIsRefused, .blockingLoadBehavesAsLoad, .oversizeIsRefused,
            .hostileCostsAreHarmless, .fullCacheAdmits, .statisticsAgree, .edgeCostsAreCounted,
            .reopenedFindsEntries:
            try await probe.checkByModel()
        case .insertedIsFound:
            try await probe.checkByModel()
            try await probe.checkLargeValueIsWhole()
        case .goneCountsNoMore:
            try await probe.checkByModel()
            try await probe.checkClearedCountsNoMore()
        case .entryLimitHolds, .costLimitHolds:
            try await probe.checkByModel()
            try await probe.checkZero(check == .entryLimitHolds ? .entries : .cost)
        case .everyWayInKeepsLifetimes:
            try await probe.checkByModel()
            try await probe.checkJoinedLoadsLifetime()
        case .valuesAreIsolated: try await probe.checkValuesAreIsolated()
        case .keysKeepTheirOwnValues: try await probe.checkKeysKeepTheirOwnValues()
        case .loadsAreShared: try await probe.checkLoadsAreShared()
        case .similarKeysAreTold: try await probe.checkSimilarKeysAreTold()
        case .overtakenLoadsSettle: try await probe.checkOvertakenLoadsSettle()
        case .forgottenKeysAreFree: try await probe.checkForgottenKeysAreFree()
        case .loadsDoNotBlockOthers: try await probe.checkLoadsDoNotBlockOthers()
        case .cancellationIsIsolated: try await probe.checkCancellationIsIsolated()
        case .failureLeavesNoLoadBehind: try await probe.checkFailureLeavesNoLoadBehind()
        case .normalPressureKeepsAll: try await probe.checkNormalPressureKeepsAll()
        case .pressureGivesBack: try await probe.checkPressureGivesBack()
        case .givenBackStaysAway: try await probe.checkGivenBackStaysAway()
        case .pressureKeepsLoads: try await probe.checkPressureKeepsLoads()
        case .pressureInsideEviction: try await probe.checkPressureInsideEviction()
        case .givenBackCountsNoMore: try await probe.checkGivenBackCountsNoMore()
        case .prefetchedIsFound: try await probe.checkPrefetchedIsFound()
        case .prefetchLeavesHeldAlone: try await probe.checkPrefetchLeavesHeldAlone()
        case .prefetchIsRaised: try await probe.checkPrefetchIsRaised()
        case .prefetchSparesVisible: try await probe.checkPrefetchSparesVisible()
        case .prefetchIsCalledOff: try await probe.checkPrefetchIsCalledOff()
        case .entriesExpire: try await probe.checkEntriesExpire()
        case .nothingLeaks: try await probe.checkNothingLeaks()
        case .goneIsReleased: try await probe.checkGoneIsReleased()
        case .memoryIsGivenBack: try await probe.checkMemoryIsGivenBack()
        case .crowdKeepsLimits: try await probe.checkCrowdKeepsLimits()
        case .fittingEntriesStay: try await probe.checkFittingEntriesStay()
        case .loadsRespectOwnPast: try await probe.checkLoadsRespectOwnPast()
        case .evictsInOrder: try await probe.checkEvictsInOrder()
        case .fetchesMayCall: try await probe.checkFetchesMayCall()
        }
    }
}

extension ConformanceKit where Strategy == AdaptedCache<String, TrackedValue> {
    /// A kit for a cache behind its calls.
    ///
    /// - Parameter calls: what can be asked of it.
    package init(
        adapting declaration: StrategyDeclaration, calls: CacheCalls, open: @escaping Strategy.Open
    ) {
        self.init(Strategy.self)
        (self.declaration, available, knowsOutcomes) = (declaration, calls, false)
        let sharesLoads = declaration.promises.coalescesLoads
        self.open = {
            try Strategy(configuration: Strategy.configuration($0, opening: open, sharesLoads: sharesLoads))
        }
    }
}

extension ConformanceKit where Strategy.Key == String, Strategy.Value == TrackedValue {
    /// A kit whose keys look like web addresses and whose values are counted.
    package init(_ type: Strategy.Type) {
        let counter = InstanceCounter()
        self.init(
            type, makeKey: { "https://example.org/pictures/\($0)" },
            makeValue: { TrackedValue(number: $0, byteCount: $1, counter: counter) },
            undecodable: Data("no document".utf8), aliveValues: { counter.alive },
            makeMortal: { TrackedValue(number: $0, byteCount: $1, lifetime: $2, counter: counter) })
        onNextRelease = { counter.onNextRelease($0) }
    }
}

extension ConformanceKit where Strategy.Key == Int, Strategy.Value == TrackedValue {
    /// A kit with integer keys and counted values.
    package init(_ type: Strategy.Type) {
        let counter = InstanceCounter()
        self.init(
            type, makeKey: { $0 }, makeValue: { TrackedValue(number: $0, byteCount: $1, counter: counter) },
            undecodable: Data("no document".utf8), aliveValues: { counter.alive },
            makeMortal: { TrackedValue(number: $0, byteCount: $1, lifetime: $2, counter: counter) })
        onNextRelease = { counter.onNextRelease($0) }
    }
}

extension ConformanceKit where Strategy.Key == String, Strategy.Value == Data {
    /// A kit with plain bytes, which always decode and are not counted.
    package init(_ type: Strategy.Type) {
        self.init(
            type, makeKey: { "key-\($0)" },
            makeValue: { number, byteCount in
                let text = Data("\(number) ".utf8)
                return text.prefix(byteCount) + Data(repeating: 0x78, count: max(byteCount - text.count, 0))
            },
            undecodable: nil, aliveValues: nil,
            scribble: { bytes in
                guard let first = bytes.first else { return }
                bytes[bytes.startIndex] = ~first
            })
    }
}
