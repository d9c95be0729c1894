public import Foundation

// How a load begins, is waited for, is left and ends. Every function here runs in the actor without suspending, except
// `wait`; so the tables agree whenever another caller comes in.

extension ActorCache {
    /// Starts a load that callers of the key may join from now on.
    @usableFromInline
    func start(_ key: Key, _ fetch: @escaping @Sendable () async throws -> Data) -> UInt64 {
        let number = nextNumber()
        var load = ActorLoad<Key, Value>(key: key)
        // Concurrent, because it would otherwise decode inside the actor. Weak, so that a fetch that never ends does
        // not keep a cache that nobody uses: whoever waits keeps it.
        load.task = Task { @concurrent [weak self] in
            let result: Result<Value, any Error>
            do {
                result = .success(try Value(encoded: await fetch()))
            } catch {
                result = .failure(error)
            }
            await self?.finish(number, with: result)
        }
        loads[number] = load
        loadNumbers[key] = number
        return number
    }

    /// Waits until a load ends or this caller is cancelled.
    @usableFromInline
    func wait(for number: UInt64) async throws -> Value {
        let waiter = nextNumber()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Nothing has suspended since the load was looked up, so it is there. If the caller is cancelled
                // already, `leave` is on its way and comes after this.
                loads[number]?.waiters[waiter] = continuation
            }
        } onCancel: {
            Task { await self.leave(waiter, load: number) }
        }
    }

    /// A caller was cancelled: it no longer waits. Nothing happens when the load has ended.
    func leave(_ waiter: UInt64, load number: UInt64) {
        guard let continuation = loads[number]?.waiters.removeValue(forKey: waiter) else { return }
        continuation.resume(throwing: CancellationError())
        guard let load = loads[number], load.waiters.isEmpty else { return }
        load.task?.cancel()
        closeToOthers(load, number)
    }

    /// A load ended: it leaves the tables, and those who wait get their answer.
    func finish(_ number: UInt64, with result: Result<Value, any Error>) {
        guard let load = loads.removeValue(forKey: number) else { return }
        if loadNumbers[load.key] == number {
            loadNumbers[load.key] = nil
            if case .success(let value) = result {
                store.insert(value, forKey: WrappedKey(load.key), cost: value.cost)
            }
        }
        for continuation in load.waiters.values { continuation.resume(with: result) }
    }

    /// Nobody joins a load any more, unless the key has a newer one already, which is left alone.
    private func closeToOthers(_ load: ActorLoad<Key, Value>, _ number: UInt64) {
        if loadNumbers[load.key] == number { loadNumbers[load.key] = nil }
    }

    private func nextNumber() -> UInt64 {
        lastNumber &+= 1
        return lastNumber
    }
}

extension ActorCache {
    /// How many callers wait for a load. For tests, which can't see it otherwise.
    package var waiterCount: Int { loads.values.reduce(0) { $0 + $1.waiters.count } }

    /// Throws what is wrong with the tables. O(loads under way).
    package func checkInvariants() throws {
        for (key, number) in loadNumbers {
            guard let load = loads[number] else {
                throw InvariantViolation("load \(number) of \(key) may be joined and is not under way")
            }
            guard load.key == key else {
                throw InvariantViolation("load \(number) of \(load.key) is entered for \(key)")
            }
            guard !load.waiters.isEmpty else {
                throw InvariantViolation("load \(number) of \(key) may be joined and nobody waits for it")
            }
        }
    }
}
