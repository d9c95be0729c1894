package import CacheStrategies
package import Foundation

/// An actor over a dictionary whose callers share loads, as ``ActorCache``, in few lines. Each mutant of loads
/// changes it in one place. With the fault ``SharedLoadFault/none`` it is sound.
package actor SharedLoadCache<Key: Hashable & Sendable, Value: CacheableValue, Planted: PlantedLoadFault>: CacheStrategy
{
    /// A load in flight.
    private struct Load {
        var key: Key
        var task: Task<Void, Never>?
        var starter: UInt64?
        var waiters: [UInt64: CheckedContinuation<Value, any Error>] = [:]
    }

    private var entries: [Key: Value] = [:]
    /// Loads that callers may join, by key.
    private var joinable: [Key: UInt64] = [:]
    /// All loads in flight, by number.
    private var loads: [UInt64: Load] = [:]
    private var lastNumber: UInt64 = 0
    /// State that faults keep: errors, and entries that were removed.
    private var errors: [Key: any Error] = [:]
    private var removed: [Key: Value] = [:]
    /// The last load that failed. All keys are of one shard.
    private var poison: (key: Key, error: any Error)?
    /// Loads whose value must not be inserted.
    private var overtaken: Set<UInt64> = []

    private static var fault: SharedLoadFault { Planted.fault }

    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: fault.rawValue, summary: fault.summary, role: fault == .none ? .candidate : .control,
            promises: Promises(coalescesLoads: true, limit: .none, keepsNewerWrites: true, mayWaitForItself: true))
    }

    /// An empty cache, which never evicts.
    package init(configuration: StrategyConfiguration) {}

    package func value(forKey key: Key) -> Value? { entries[key] }

    package func insert(_ value: Value, forKey key: Key, cost: Int) {
        switch Self.fault {
        case .loadOverNewerWrite: break
        case .joinedBeforeOwnWrite: if let number = joinable[key] { overtaken.insert(number) }
        default: joinable[key] = nil
        }
        errors[key] = nil
        entries[key] = value
    }

    package func removeValue(forKey key: Key) {
        if Self.fault == .joinedAfterRemoval {
            if let number = joinable[key] { overtaken.insert(number) }
        } else {
            joinable[key] = nil
        }
        if Self.fault == .resurrectAfterRemove { removed[key] = entries[key] }
        entries[key] = nil
    }

    package func removeAll() {
        if Self.fault != .clearMissesLoads { joinable = [:] }
        entries = [:]
    }

    package func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        defer { if Self.fault == .deferByEveryWaiter { joinable[key] = nil } }
        if Self.fault == .joinedBeforeOwnWrite, let number = joinable[key] {
            return Loaded(try await wait(for: number), .joined)
        }
        if let value = entries[key] { return Loaded(value, .hit) }
        try Task.checkCancellation()
        if let (failed, error) = poison, failed != key {
            poison = nil
            throw error
        }
        if let error = errors[key] {
            if Self.fault == .errorBroadcast { errors[key] = nil }
            throw error
        }
        let found = Self.fault == .coalescingAcrossKeys ? joinable.values.first : joinable[key]
        if Self.fault == .checkAwaitAct { await Task {}.value }
        if let found, loads[found] != nil, Self.fault != .noCoalescing {
            return Loaded(try await wait(for: found), .joined)
        }
        do {
            return Loaded(try await wait(for: start(key, fetch), isStarter: true), .loaded)
        } catch {
            if let value = removed[key] { return Loaded(value, .hit) }
            throw error
        }
    }

    package func statistics() -> CacheStatistics {
        CacheStatistics(entryCount: entries.count, loadsInFlight: loads.count)
    }

    package func close() async {
        for load in loads.values { await load.task?.value }
    }

    private func start(_ key: Key, _ fetch: @escaping @Sendable () async throws -> Data) -> UInt64 {
        let number = nextNumber()
        var load = Load(key: key)
        load.task = Task { @concurrent in
            let result: Result<Value, any Error>
            do {
                result = .success(try Value(encoded: await fetch()))
            } catch {
                result = .failure(error)
            }
            await self.finish(number, with: result)
        }
        loads[number] = load
        joinable[key] = number
        return number
    }

    private func wait(for number: UInt64, isStarter: Bool = false) async throws -> Value {
        let waiter = nextNumber()
        if isStarter { loads[number]?.starter = waiter }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { loads[number]?.waiters[waiter] = $0 }
        } onCancel: {
            Task { await self.leave(waiter, load: number) }
        }
    }

    private func leave(_ waiter: UInt64, load number: UInt64) {
        guard let load = loads[number], let continuation = load.waiters[waiter] else { return }
        if Self.fault != .continuationResumedTwice { loads[number]?.waiters[waiter] = nil }
        continuation.resume(throwing: CancellationError())
        if Self.fault == .cancelCancelsOthers {
            for other in loads[number]?.waiters.values ?? [:].values { other.resume(throwing: CancellationError()) }
            loads[number]?.waiters = [:]
        }
        if Self.fault == .firstCancelForgetsOthers, load.starter == waiter { forgetWaiters(of: number) }
        let isUnwanted = loads[number]?.waiters.isEmpty ?? true
        guard isUnwanted || (Self.fault == .firstCancelStopsLoad && load.starter == waiter) else { return }
        load.task?.cancel()
        if joinable[load.key] == number { joinable[load.key] = nil }
    }

    private func finish(_ number: UInt64, with result: Result<Value, any Error>) {
        guard let load = loads[number] else { return }
        var isFailure = false
        if case .failure(let error) = result {
            isFailure = true
            let keeps = Self.fault == .errorCachedForever || Self.fault == .errorBroadcast
            if keeps, !(error is CancellationError) { errors[load.key] = error }
            if Self.fault == .errorAcrossShard, !(error is CancellationError) { poison = (load.key, error) }
        }
        loads[number] = nil
        if isFailure, Self.fault == .errorEntryLeaked { loads[number] = Load(key: load.key) }
        // A load that a write or a removal has overtaken inserts nothing.
        let isCurrent = Self.fault == .ticketReused ? joinable[load.key] != nil : joinable[load.key] == number
        if isCurrent {
            joinable[load.key] = nil
            if case .success(let value) = result, !overtaken.contains(number) { entries[load.key] = value }
        }
        var waiters = Array(load.waiters.values)
        if Self.fault == .continuationDropped, waiters.count > 1 {
            // Kept alive for ever: the runtime prints a line about each dropped continuation.
            _ = Unmanaged.passRetained(Forgotten(waiters.removeLast()))
        }
        for waiter in waiters { waiter.resume(with: result) }
    }

    /// Kept alive for ever: the runtime prints a line about each dropped continuation.
    private func forgetWaiters(of number: UInt64) {
        for waiter in loads[number]?.waiters.values ?? [:].values { _ = Unmanaged.passRetained(Forgotten(waiter)) }
        loads[number]?.waiters = [:]
    }

    private func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }
}

/// A continuation that is never resumed.
private final class Forgotten<Value: Sendable> {
    let continuation: CheckedContinuation<Value, any Error>

    init(_ continuation: CheckedContinuation<Value, any Error>) {
        self.continuation = continuation
    }
}
