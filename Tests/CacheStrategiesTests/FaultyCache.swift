import CacheStrategies
import Conformance
import Foundation
import Locks

/// The fault of a ``FaultyCache``.
enum Fault: String, CaseIterable, Sendable {
    case none
    case forgetsInserts, keepsOlderValue, ignoresRemoval, removesAllButOne, mixesKeys
    case neverHitsLoads, hidesLoadErrors, inventsValues, blockingNeverHits
    case sharesNothing, loadsOneAtATime, sharesCancellation, keepsFailedLoads
    case ignoresEntryLimit, ignoresCostLimit, keepsWhatOversizeReplaces, countsNegativeCosts, refusesWhenFull
    case miscounts, countsWhatIsGone, expiresLate, forgetsOnReopening, leaks
    case foldsCase, failsOvertakenLoads
    case makesRoomEarly, forgetsBesideOthers, wrapsCosts, prolongsByBlockingLoads, joinsOldLoads, keepsReplaced

    /// The check that must notice the fault.
    var noticedBy: ConformanceCheck? {
        switch self {
        case .none: nil
        case .forgetsInserts: .insertedIsFound
        case .keepsOlderValue: .replacedIsFound
        case .ignoresRemoval: .removedIsMissing
        case .removesAllButOne: .removeAllEmpties
        case .mixesKeys: .keysKeepTheirOwnValues
        case .neverHitsLoads: .loadMissesThenHits
        case .hidesLoadErrors: .loadErrorReachesCaller
        case .inventsValues: .undecodableIsRefused
        case .blockingNeverHits: .blockingLoadBehavesAsLoad
        case .sharesNothing: .loadsAreShared
        case .loadsOneAtATime: .loadsDoNotBlockOthers
        case .sharesCancellation: .cancellationIsIsolated
        case .keepsFailedLoads: .failureLeavesNoLoadBehind
        case .ignoresEntryLimit: .entryLimitHolds
        case .ignoresCostLimit: .costLimitHolds
        case .keepsWhatOversizeReplaces: .oversizeIsRefused
        case .countsNegativeCosts: .hostileCostsAreHarmless
        case .refusesWhenFull: .fullCacheAdmits
        case .miscounts: .statisticsAgree
        case .countsWhatIsGone: .goneCountsNoMore
        case .expiresLate: .entriesExpire
        case .forgetsOnReopening: .reopenedFindsEntries
        case .leaks: .nothingLeaks
        case .foldsCase: .similarKeysAreTold
        case .failsOvertakenLoads: .overtakenLoadsSettle
        case .makesRoomEarly: .crowdKeepsLimits
        case .forgetsBesideOthers: .fittingEntriesStay
        case .wrapsCosts: .edgeCostsAreCounted
        case .prolongsByBlockingLoads: .everyWayInKeepsLifetimes
        case .joinsOldLoads: .loadsRespectOwnPast
        case .keepsReplaced: .goneIsReleased
        }
    }
}

/// First in, first out, with lifetimes and shared loads: correct in all it declares, except for one fault.
///
/// The fault is in a task-local value while the cache is opened, because a strategy is opened from its type.
final class FaultyCache: SynchronousCacheStrategy {
    typealias Key = String
    typealias Value = TrackedValue

    @TaskLocal static var nextFault = Fault.none
    private static let leaked = Locked([TrackedValue]())

    private struct Entry {
        var value: TrackedValue
        var cost: Int
        var inserted: Duration
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var order: [String] = []
        /// The total cost of entries that have left the cache.
        var costOfGone = 0
        var evictions: UInt64 = 0
        var expirations: UInt64 = 0
        /// Loads that others may join, each with a unique number.
        var loads: [String: (number: Int, task: Task<TrackedValue, any Error>)] = [:]
        var lastNumber = 0
        /// Loads whose fetch has begun and whose value is not yet stored.
        var fetching = 0
        var inserts = 0
        var replaced: [TrackedValue] = []
    }

    private let fault: Fault
    private let configuration: StrategyConfiguration
    private let state = Locked(State())

    static var declaration: StrategyDeclaration {
        let durable: Promises.Durability = nextFault == .forgetsOnReopening ? .killSafe : .none
        return StrategyDeclaration(
            name: "faulty", summary: "breaks one promise on purpose", role: .control, bounds: [.entries, .cost],
            promises: Promises(
                coalescesLoads: true, timeToLive: true, durability: durable, limitRules: LimitRules(zero: .holdsNothing)
            ))
    }

    init(configuration: StrategyConfiguration) {
        fault = Self.nextFault
        self.configuration = configuration
    }

    func value(forKey key: String) -> TrackedValue? {
        let key = fault == .foldsCase ? key.lowercased() : key
        return state.withLock { lookUp(key, in: &$0) }
    }

    func insert(_ value: TrackedValue, forKey key: String, cost: Int) {
        let key = fault == .foldsCase ? key.lowercased() : key
        state.withLock { state in
            overtakeLoad(of: key, in: &state)
            state.inserts += 1
            if fault == .forgetsBesideOthers, state.fetching > 0, state.inserts.isMultiple(of: 20) { return }
            store(value, forKey: key, cost: cost, in: &state)
        }
    }

    /// No caller may join a load after a change of its key.
    private func overtakeLoad(of key: String, in state: inout State) {
        if fault != .joinsOldLoads { state.loads[key] = nil }
    }

    func removeValue(forKey key: String) {
        if fault == .ignoresRemoval { return }
        state.withLock { state in
            overtakeLoad(of: key, in: &state)
            drop(key, from: &state)
        }
    }

    func removeAll() {
        state.withLock { state in
            for key in state.loads.keys { overtakeLoad(of: key, in: &state) }
            for key in fault == .removesAllButOne ? Array(state.order.dropLast()) : state.order {
                drop(key, from: &state)
            }
        }
    }

    func statistics() -> CacheStatistics {
        state.withLock { state in
            let costs = state.entries.values.map(\.cost)
            return CacheStatistics(
                entryCount: state.entries.count + (fault == .miscounts && !state.entries.isEmpty ? 1 : 0),
                totalCost: fault == .wrapsCosts
                    ? Int(Int32(truncatingIfNeeded: costs.reduce(0, &+))) : costs.reduce(0, &+),
                evictions: state.evictions, expirations: state.expirations,
                loadsInFlight: state.loads.count)
        }
    }

    func loadBlocking(_ key: String, fetch: () throws -> Data) throws -> Loaded<TrackedValue> {
        if fault != .blockingNeverHits, let value = value(forKey: key) {
            if fault == .prolongsByBlockingLoads { insert(value, forKey: key, cost: value.cost) }
            return Loaded(value, .hit)
        }
        // The thread fetches for its own load, which a task stores, and waits for it as for that of another.
        let (bytes, answer) = AsyncThrowingStream<Data, any Error>.makeStream()
        let (task, outcome) = beginLoad(of: key, missing: fault == .blockingNeverHits) {
            for try await bytes in bytes { return bytes }
            throw CancellationError()
        }
        if outcome == .loaded {
            let fetched = Result { try fetch() }
            if case .success(let bytes) = fetched { answer.yield(bytes) }
            if case .failure(let error) = fetched { answer.finish(throwing: error) } else { answer.finish() }
        }
        let ended = DispatchSemaphore(value: 0)
        let result = Locked<Result<TrackedValue, any Error>>(.failure(CancellationError()))
        Task.detached {
            let value = await task.result
            result.withLock { $0 = value }
            ended.signal()
        }
        ended.wait()
        return Loaded(try result.withLock { $0 }.get(), outcome)
    }
}

extension FaultyCache {
    private func lookUp(_ key: String, in state: inout State) -> TrackedValue? {
        if fault == .mixesKeys, let other = state.order.first { return state.entries[other]?.value }
        guard let entry = state.entries[key] else { return nil }
        if let lifetime = configuration.timeToLive {
            let age = configuration.clock.now() - entry.inserted
            if fault == .expiresLate ? age > lifetime + .milliseconds(1) : age >= lifetime {
                drop(key, from: &state)
                state.expirations += 1
                return nil
            }
        }
        return entry.value
    }

    private func store(_ value: TrackedValue, forKey key: String, cost: Int, in state: inout State) {
        if fault == .forgetsInserts || (fault == .keepsOlderValue && state.entries[key] != nil) { return }
        var entryLimit = configuration.entryLimit ?? .max
        if fault == .makesRoomEarly, entryLimit < 1000 { entryLimit += max(state.fetching - 1, 0) }
        let costLimit = configuration.costLimit ?? .max
        if fault == .refusesWhenFull, state.entries.count >= entryLimit { return }
        let cost = fault == .countsNegativeCosts ? cost : max(cost, 0)
        let isOversize = cost > costLimit && fault != .ignoresCostLimit
        if isOversize, fault == .keepsWhatOversizeReplaces { return }
        if fault == .keepsReplaced, let replaced = state.entries[key] { state.replaced.append(replaced.value) }
        drop(key, from: &state)
        if isOversize || (entryLimit < 1 && fault != .ignoresEntryLimit) { return }
        func isFull() -> Bool {
            let total =
                state.entries.values.map(\.cost).reduce(0, &+)
                &+ (fault == .countsWhatIsGone ? state.costOfGone : 0)
            return (state.entries.count >= entryLimit && fault != .ignoresEntryLimit)
                || (total > costLimit - max(cost, 0) && fault != .ignoresCostLimit)
        }
        while let oldest = state.order.first, isFull() {
            drop(oldest, from: &state)
            state.evictions += 1
        }
        if fault == .leaks { Self.leaked.withLock { $0.append(value) } }
        state.entries[key] = Entry(value: value, cost: cost, inserted: configuration.clock.now())
        state.order.append(key)
    }

    private func drop(_ key: String, from state: inout State) {
        state.costOfGone &+= state.entries[key]?.cost ?? 0
        state.entries[key] = nil
        state.order.removeAll { $0 == key }
    }

    func load(_ key: String, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<TrackedValue> {
        switch fault {
        case .sharesNothing:
            if let value = value(forKey: key) { return Loaded(value, .hit) }
            let value = try TrackedValue(encoded: await fetch())
            insert(value, forKey: key, cost: value.cost)
            return Loaded(value, .loaded)
        case .hidesLoadErrors:
            do { return try await share(key, fetch: fetch) } catch { throw CocoaError(.fileReadUnknown) }
        case .inventsValues:
            do { return try await share(key, fetch: fetch) } catch is TrackedValue.Undecodable {
                return Loaded(TrackedValue(number: 0, byteCount: 0, counter: InstanceCounter()), .loaded)
            }
        case .loadsOneAtATime:
            // The caller waits for every load in flight, of any key.
            let others = state.withLock { $0.loads.values.map(\.task) }
            for other in others { _ = await other.result }
            return try await share(key, fetch: fetch)
        default:
            return try await share(key, fetch: fetch)
        }
    }

    private func share(
        _ key: String, fetch: @escaping @Sendable () async throws -> Data
    ) async throws -> Loaded<TrackedValue> {
        let (task, outcome) = beginLoad(of: key, fetch: fetch)
        guard fault == .sharesCancellation else { return Loaded(try await task.value, outcome) }
        let value = try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
        return Loaded(value, outcome)
    }

    private func beginLoad(
        of key: String, missing: Bool = false, fetch: @escaping @Sendable () async throws -> Data
    ) -> (Task<TrackedValue, any Error>, LoadOutcome) {
        state.withLock { state in
            if fault != .neverHitsLoads, !missing, let value = lookUp(key, in: &state) { return (Task { value }, .hit) }
            if let load = state.loads[key] { return (load.task, .joined) }
            state.lastNumber += 1
            let number = state.lastNumber
            let task = Task { try await self.fetchAndStore(key, number, fetch: fetch) }
            state.loads[key] = (number, task)
            return (task, .loaded)
        }
    }

    private func fetchAndStore(
        _ key: String, _ number: Int, fetch: @Sendable () async throws -> Data
    ) async throws -> TrackedValue {
        state.withLock { $0.fetching += 1 }
        defer { state.withLock { $0.fetching -= 1 } }
        do {
            let value = try TrackedValue(encoded: await fetch())
            let isOvertaken = state.withLock { state in
                let isOvertaken = state.loads[key]?.number != number
                store(value, forKey: key, cost: value.cost, in: &state)
                end(key, number, in: &state)
                return isOvertaken
            }
            if isOvertaken, fault == .failsOvertakenLoads { throw CancellationError() }
            return value
        } catch {
            if fault != .keepsFailedLoads { state.withLock { end(key, number, in: &$0) } }
            throw error
        }
    }

    /// Ends a load; a later load of the same key stays.
    private func end(_ key: String, _ number: Int, in state: inout State) {
        if state.loads[key]?.number == number { state.loads[key] = nil }
    }
}
