import CacheStrategies
import Conformance
import Foundation

/// Evicts the oldest entry first; releases half at a warning, three quarters in the background and all under critical
/// pressure. Loads are shared. Sound; every step that a mutant gets wrong is a method.
class PressedCache: CacheStrategy, RespondsToMemoryPressure, @unchecked Sendable {
    // Sound although unchecked: mutable state, here and in subclasses, is accessed only inside `exclusively`.
    struct Entry {
        var value: TrackedValue
        var cost: Int
    }

    private let lock = NSLock()
    let entryLimit: Int
    let costLimit: Int
    var entries: [Int: Entry] = [:]
    /// The keys, the oldest first.
    var order: [Int] = []
    var totalCost = 0
    var evictions: UInt64 = 0
    /// Removed values, kept until no lock is held.
    private var released: [TrackedValue] = []
    let loads = SharedLoads<Int, TrackedValue>()

    class var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "pressed", summary: "releases memory under memory pressure", bounds: [.entries, .cost],
            promises: Promises(
                coalescesLoads: true, keepsNewerWrites: true, limitRules: LimitRules(zero: .holdsNothing),
                mayWaitForItself: true))
    }

    required init(configuration: StrategyConfiguration) throws {
        entryLimit = configuration.entryLimit ?? .max
        costLimit = configuration.costLimit ?? .max
    }

    func exclusively<Result>(_ body: () -> Result) -> Result {
        lock.lock()
        let result = body()
        var gone: [TrackedValue] = []
        swap(&gone, &released)
        lock.unlock()
        withExtendedLifetime(gone) {}
        return result
    }

    // The contract.

    func value(forKey key: Int) async -> TrackedValue? { exclusively { lookUp(key) } }

    func insert(_ value: TrackedValue, forKey key: Int, cost: Int) async {
        loads.write(key) { exclusively { put(value, forKey: key, cost: max(cost, 0)) } }
    }

    func removeValue(forKey key: Int) async { loads.write(key) { exclusively { takeOut(key) } } }

    func removeAll() async {
        loads.removeAll { exclusively { for key in order { takeOut(key) } } }
    }

    func load(_ key: Int, fetch: @escaping Fetch) async throws -> Loaded<TrackedValue> {
        try await register.load(key) { [self] in
            exclusively { lookUp(key) }
        } insert: { [self] value in
            exclusively { put(value, forKey: key, cost: value.cost) }
        } fetch: {
            try TrackedValue(encoded: await fetch())
        }
    }

    func statistics() async -> CacheStatistics {
        exclusively {
            CacheStatistics(
                entryCount: order.count, totalCost: totalCost, evictions: evictions, loadsInFlight: loads.count)
        }
    }

    func close() async { await loads.waitUntilIdle() }

    func respond(to pressure: MemoryPressure) async {
        guard let divisor = pressure.divisor else { return }
        exclusively { shrink(to: divisor == 0 ? 0 : order.count / divisor) }
    }

    // The steps; all except the first run inside `exclusively`. Sums wrap, because a mutant lets one grow.

    var register: SharedLoads<Int, TrackedValue> { loads }

    func lookUp(_ key: Int) -> TrackedValue? { entries[key]?.value }

    func put(_ value: TrackedValue, forKey key: Int, cost: Int) {
        takeOut(key)
        guard cost <= costLimit, entryLimit > 0 else { return }
        while order.count >= entryLimit || totalCost > costLimit - cost, let oldest = order.first { evict(oldest) }
        entries[key] = Entry(value: value, cost: cost)
        order.append(key)
        totalCost &+= cost
    }

    func shrink(to count: Int) { while order.count > count, let oldest = order.first { evict(oldest) } }

    func evict(_ key: Int) {
        takeOut(key)
        evictions += 1
    }

    func takeOut(_ key: Int) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        order.removeAll { $0 == key }
        totalCost &-= entry.cost
        letGo(entry.value)
    }

    func letGo(_ value: TrackedValue) { released.append(value) }
}
