import CacheTrialsTesting
import Testing

/// Sound caches whose work moves between the threads of the pool, so that each thread keeps freed memory for itself.
@Suite(.timeLimit(.minutes(2)))
struct DetachedLoadsTests {
    @Test(arguments: CacheContract(DetachedLoadsCache.self).checks)
    func `an actor whose loads are detached tasks keeps its contract`(_ check: ContractCheck) async throws {
        try await check()
    }
}

/// An LRU cache whose loads are detached tasks, which callers of one key share.
private actor DetachedLoadsCache: CacheStrategy {
    private var entries: LRUCache<String, TrackedValue>
    private var loads: [String: Task<TrackedValue, any Error>] = [:]

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "detached-loads", summary: "loads by detached tasks", bounds: [.entries],
            promises: Promises(
                coalescesLoads: true, limit: .hard, cancellation: .shared, admission: .always, keepsNewerWrites: true,
                mayWaitForItself: true))
    }

    init(configuration: StrategyConfiguration) {
        entries = LRUCache(configuration: StrategyConfiguration(entryLimit: configuration.entryLimit))
    }

    func value(forKey key: String) -> TrackedValue? { entries.value(forKey: key) }

    func insert(_ value: TrackedValue, forKey key: String, cost: Int) {
        loads[key] = nil
        entries.insert(value, forKey: key, cost: cost)
    }

    func removeValue(forKey key: String) {
        loads[key] = nil
        entries.removeValue(forKey: key)
    }

    func removeAll() {
        loads = [:]
        entries.removeAll()
    }

    func load(_ key: String, fetch: @escaping Fetch) async throws -> Loaded<TrackedValue> {
        if let value = entries.value(forKey: key) { return Loaded(value, .hit) }
        if let load = loads[key] { return Loaded(try await load.value, .joined) }
        let load = Task.detached { try TrackedValue(encoded: await fetch()) }
        loads[key] = load
        let result = await load.result
        if loads[key] == load {
            loads[key] = nil
            if case .success(let value) = result { entries.insert(value, forKey: key, cost: value.cost) }
        }
        return Loaded(try result.get(), .loaded)
    }

    func statistics() -> CacheStatistics { entries.statistics() }
    func close() {}
}
