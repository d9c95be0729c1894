import CacheStrategies
import Dispatch
import Foundation
import Locks

/// Threads that miss a key together share one fetch (single-flight). After a write or removal no caller joins the
/// load in flight, and that load does not insert. Sound.
class SharedLoadsCache: PlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`; a load in flight has its own lock.
    final class Flight: @unchecked Sendable {
        // Sound although unchecked: `result` is accessed only while the condition's lock is held.
        let condition = NSCondition()
        /// Whether the load must not insert; accessed under the lock of the cache.
        var isOvertaken = false
        private var result: Result<StampedBytes, any Error>?

        func finish(_ result: Result<StampedBytes, any Error>, wake: (NSCondition) -> Void) {
            condition.withLock {
                self.result = result
                wake(condition)
            }
        }

        /// Waits for a limited time, so that a mutant's threads end.
        func wait() throws -> StampedBytes {
            let deadline = Date(timeIntervalSinceNow: 20)
            return try condition.withLock {
                while result == nil { guard condition.wait(until: deadline) else { throw NeverWoken() } }
                guard let result else { throw NeverWoken() }
                return try result.get()
            }
        }
    }

    struct NeverWoken: Error {}

    /// Whether the thread loads in the place of a task.
    @TaskLocal static var isForTask = false

    /// Loads in flight that others may join.
    final var flights: [Int: Flight] = [:]

    override class var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "blocking-shared-loads", summary: "threads that miss a key together share one fetch",
            bounds: [.entries, .cost],
            promises: Promises(
                coalescesLoads: true, keepsNewerWrites: true, limitRules: LimitRules(zero: .holdsNothing),
                mayWaitForItself: true))
    }

    private enum Start {
        case hit(StampedBytes)
        case join(Flight)
        case own(Flight)
        case known(any Error)
    }

    private func start(_ key: Int) -> Start {
        exclusively {
            if let value = lookUp(key) { return .hit(value) }
            if let error = knownFailure(of: key) { return .known(error) }
            if let flight = joinable(key) {
                noteJoin(key)
                return .join(flight)
            }
            let flight = Flight()
            flights[flightNumber(of: key)] = flight
            return .own(flight)
        }
    }

    override func loadBlocking(_ key: Int, fetch: () throws -> Data) throws -> Loaded<StampedBytes> {
        switch start(key) {
        case .hit(let value): return Loaded(value, .hit)
        case .known(let error): throw error
        case .join(let flight): return Loaded(try flight.wait(), .joined)
        case .own(let flight):
            let result = Result { try StampedBytes(encoded: fetch()) }
            exclusively { land(flight, key, result) }
            flight.finish(answer(result, of: flight), wake: wake)
            return Loaded(try result.get(), .loaded)
        }
    }

    /// A task must not block, so a separate thread waits in its place.
    override func load(
        _ key: Int, fetch: @escaping @Sendable () async throws -> Data
    ) async throws -> Loaded<StampedBytes> {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { [self] in
                let result = Self.$isForTask.withValue(true) {
                    Result { try loadBlocking(key) { try Self.wait(for: fetch) } }
                }
                continuation.resume(with: result)
            }
        }
    }

    private static func wait(for fetch: @escaping @Sendable () async throws -> Data) throws -> Data {
        let result = Locked<Result<Data, any Error>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        Task {
            let fetched: Result<Data, any Error>
            do { fetched = .success(try await fetch()) } catch { fetched = .failure(error) }
            result.withLock { $0 = fetched }
            isDone.signal()
        }
        isDone.wait()
        guard let fetched = result.withLock({ $0 }) else { throw NeverWoken() }
        return try fetched.get()
    }

    override func statistics() -> CacheStatistics {
        var statistics = super.statistics()
        statistics.loadsInFlight = exclusively { flights.count }
        return statistics
    }

    override func put(_ value: StampedBytes, forKey key: Int, cost: Int) {
        overtake(key)
        super.put(value, forKey: key, cost: cost)
    }

    override func remove(_ key: Int) {
        overtakeByRemoval(key)
        super.remove(key)
    }

    override func empty() {
        overtakeAll()
        super.empty()
    }

    // The steps.

    private func land(_ flight: Flight, _ key: Int, _ result: Result<StampedBytes, any Error>) {
        let isCurrent = flights[flightNumber(of: key)] === flight
        switch result {
        case .success(let value):
            if isCurrent, !flight.isOvertaken {
                super.put(value, forKey: key, cost: value.cost)
            } else {
                noteOvertaken(key)
            }
        case .failure(let error):
            noteFailure(of: key, error)
            guard forgetsFailed else { return }
        }
        if isCurrent { flights[flightNumber(of: key)] = nil }
    }

    /// What callers get that joined a load; not inside `exclusively`.
    func answer(_ result: Result<StampedBytes, any Error>, of flight: Flight) -> Result<StampedBytes, any Error> {
        result
    }
    func noteOvertaken(_ key: Int) {}
    func overtake(_ key: Int) { flights[flightNumber(of: key)] = nil }
    func overtakeByRemoval(_ key: Int) { overtake(key) }
    func overtakeAll() { flights = [:] }
    func flightNumber(of key: Int) -> Int { key }
    func joinable(_ key: Int) -> Flight? { flights[flightNumber(of: key)] }
    func noteJoin(_ key: Int) {}
    func wake(_ condition: NSCondition) { condition.broadcast() }
    var forgetsFailed: Bool { true }
    func noteFailure(of key: Int, _ error: any Error) {}
    func knownFailure(of key: Int) -> (any Error)? { nil }
}
