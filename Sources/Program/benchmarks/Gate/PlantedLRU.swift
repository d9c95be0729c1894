import CacheStrategies
import Foundation
import Origins
import TimedStrategies

/// `lru` with the fault of its process.
final class PlantedLRU<Key: Hashable & Sendable>: SynchronousCacheStrategy {
    typealias Value = Payload

    private let cache: LRUCache<Key, Payload>
    private let fault = PlantedFault.current
    /// Counts the lookups of the only client.
    private nonisolated(unsafe) var lookups = 0

    init(configuration: StrategyConfiguration) {
        var configuration = configuration
        if let limit = configuration.entryLimit { configuration.entryLimit = max(1, limit - fault.entriesLess) }
        cache = LRUCache(configuration: configuration)
    }

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "planted-lru", summary: "lru with an injected bug, for one client")
    }

    func value(forKey key: Key) -> Payload? {
        lookups &+= 1
        Spinning.spin(fault.isSlow(lookups) ? fault.slowRounds : fault.rounds)
        return cache.value(forKey: key)
    }

    func insert(_ value: Payload, forKey key: Key, cost: Int) { cache.insert(value, forKey: key, cost: cost) }
    func removeValue(forKey key: Key) { cache.removeValue(forKey: key) }
    func removeAll() { cache.removeAll() }

    func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Payload> {
        try await loadUnshared(key, fetch: fetch)
    }
}

/// The fault of a ``PlantedLRU``; in the environment of its process, as JSON.
struct PlantedFault: Codable, Sendable {
    /// How many empty rounds a lookup spins.
    var rounds = 400
    /// One lookup in this many spins longer; 0 for none.
    var slowEvery = 0
    var slowRounds = 0
    /// How many entries the cache holds below its limit.
    var entriesLess = 0

    /// The variable that holds it.
    static let variable = "CACHE_TRIALS_PLANTED_FAULT"

    /// The fault as the variable holds it.
    var json: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }

    func isSlow(_ lookup: Int) -> Bool { slowEvery > 0 && lookup.isMultiple(of: slowEvery) }

    /// The fault of this process; none when the variable is missing or can't be read.
    static let current: PlantedFault = {
        guard let text = ProcessInfo.processInfo.environment[variable],
            let fault = try? JSONDecoder().decode(PlantedFault.self, from: Data(text.utf8))
        else { return PlantedFault() }
        return fault
    }()
}

enum Spinning {
    @inline(never)
    static func spin(_ rounds: Int) {
        var state: UInt64 = 88_172_645_463_325_252
        for _ in 0..<rounds {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
        }
        // The compiler can't know that the state is never zero, and has to compute it.
        if state == 0 { print("") }
    }
}
