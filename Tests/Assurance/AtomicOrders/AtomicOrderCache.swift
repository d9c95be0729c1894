package import CacheStrategies
package import Foundation

/// A cache whose callers share loads through atomics, with one fault or none. Only entries are behind a lock.
package final class AtomicOrderCache<
    Key: Hashable & Sendable, Value: CacheableValue, Word: AtomicWord, Planted: PlantedAtomicFault
>: SynchronousCacheStrategy, @unchecked Sendable {
    /// A load in flight. The caller that claims it fetches, and stores the answer before it says that it is done.
    private final class Flight {
        let isClaimed = Word()
        let isDone = Word()
        var answer: Result<Value, any Error>?
    }

    // Unchecked, because all of it is mutable: `table` guards entries, flights and the latest answer.
    private let table = NSLock()
    private var entries: [Key: Value] = [:]
    private var flights: [Key: Flight] = [:]
    private var latest: Result<Value, any Error>?
    private let loading = Word()

    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: Planted.fault?.rawValue ?? Word.name, summary: Planted.fault?.summary ?? "loads shared by atomics",
            role: .control, promises: Promises(coalescesLoads: true, limit: .none, cancellation: .shared),
            usesAtomics: true)
    }

    package init(configuration: StrategyConfiguration) {}

    package func value(forKey key: Key) -> Value? { table.withLock { entries[key] } }

    package func insert(_ value: Value, forKey key: Key, cost: Int) {
        table.withLock { (entries[key], flights[key]) = (value, nil) }
    }

    package func removeValue(forKey key: Key) { table.withLock { (entries[key], flights[key]) = (nil, nil) } }

    package func removeAll() {
        table.withLock {
            entries.removeAll()
            flights.removeAll()
        }
    }

    package func statistics() -> CacheStatistics { CacheStatistics(loadsInFlight: loading.load()) }

    package func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        let (found, flight) = table.withLock { () -> (Value?, Flight) in
            let flight = flights[key] ?? Flight()
            if entries[key] == nil { flights[key] = flight }
            return (entries[key], flight)
        }
        if let found { return Loaded(found, .hit) }
        count(1)
        defer { count(-1) }
        guard claims(flight) else { return Loaded(try answer(of: flight).get(), .joined) }
        let result = Result { try Value(encoded: fetch()) }
        end(flight, key, result)
        return Loaded(try result.get(), .loaded)
    }

    package func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadUnshared(key, fetch: fetch)
    }

    private func count(_ number: Int) {
        if Planted.has(.tornCounter) || Planted.has(.tornPackageCounter) || Planted.has(.tornCounterOfC) {
            loading.store(loading.load() + number)
        } else {
            loading.add(number)
        }
    }

    private func claims(_ flight: Flight) -> Bool {
        guard Planted.has(.flagTestedThenSet) else { return flight.isClaimed.claim() }
        guard flight.isClaimed.load() == 0 else { return false }
        flight.isClaimed.store(1)
        return true
    }

    private func answer(of flight: Flight) throws -> Result<Value, any Error> {
        while flight.isDone.load() == 0 { sched_yield() }
        guard let answer = flight.answer ?? table.withLock({ latest }) else { throw Unanswered() }
        return answer
    }

    private func end(_ flight: Flight, _ key: Key, _ result: Result<Value, any Error>) {
        table.withLock {
            if flights[key] === flight {
                flights[key] = nil
                if case .success(let value) = result { entries[key] = value }
            }
            if Planted.fault == nil { latest = result }
        }
        if Planted.has(.failureLeavesFlag), case .failure = result { return }
        if Planted.has(.doneBeforeAnswer) {
            flight.isDone.store(1)
            flight.answer = result
            table.withLock { latest = result }
        } else {
            flight.answer = result
            flight.isDone.store(1)
        }
    }

    /// A load has ended without an answer.
    private struct Unanswered: Error {}
}
