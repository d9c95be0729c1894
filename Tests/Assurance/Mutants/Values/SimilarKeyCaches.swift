import CacheStrategies
import Conformance
import Foundation

// Caches that take different keys for one.

final class SixteenBitKeysCache: PlainCache, @unchecked Sendable {
    // Broken on purpose.
    override func slot(of key: Int) -> Int { key & 0xFFFF }

    static let mutant = Mutant(
        "keys-by-16-bits", .values, caughtBy: .conformance(.similarKeysAreTold),
        "keys are compared by their low 16 bits",
        SixteenBitKeysCache.self)
}

final class HalfWordKeysCache: PlainCache, @unchecked Sendable {
    // Broken on purpose.
    override func slot(of key: Int) -> Int { Int(UInt32(truncatingIfNeeded: key)) }

    static let mutant = Mutant(
        "keys-by-32-bits", .values, caughtBy: .conformance(.similarKeysAreTold),
        "keys are compared by their low 32 bits",
        HalfWordKeysCache.self)
}

final class UnsignedKeysCache: PlainCache, @unchecked Sendable {
    // Broken on purpose.
    override func slot(of key: Int) -> Int { Int(truncatingIfNeeded: key.magnitude) }

    static let mutant = Mutant(
        "keys-without-sign", .values, caughtBy: .conformance(.similarKeysAreTold), "the sign of a key is dropped",
        UnsignedKeysCache.self)
}

/// The keys are texts. Sound.
class TextKeysCache: SynchronousCacheStrategy, @unchecked Sendable {
    // Sound although unchecked: the store is safe from any thread.
    private let store: LRUCache<String, StampedBytes>

    class var declaration: StrategyDeclaration {
        var declaration = LRUCache<String, StampedBytes>.declaration
        declaration.name = "text-keys"
        return declaration
    }

    required init(configuration: StrategyConfiguration) throws { store = LRUCache(configuration: configuration) }

    /// The key as it is stored.
    func stored(_ key: String) -> String { key }

    func value(forKey key: String) -> StampedBytes? { store.value(forKey: stored(key)) }
    func insert(_ value: StampedBytes, forKey key: String, cost: Int) {
        store.insert(value, forKey: stored(key), cost: cost)
    }
    func removeValue(forKey key: String) { store.removeValue(forKey: stored(key)) }
    func removeAll() { store.removeAll() }
    func statistics() -> CacheStatistics { store.statistics() }
    func close() { store.close() }
    func loadBlocking(_ key: String, fetch: () throws -> Data) throws -> Loaded<StampedBytes> {
        try store.loadBlocking(stored(key), fetch: fetch)
    }
    func load(
        _ key: String, fetch: @escaping @Sendable () async throws -> Data
    ) async throws -> Loaded<StampedBytes> {
        try await store.load(stored(key), fetch: fetch)
    }

    static let soundBase = SoundBase(declaration.name, TextKeysCache.self) { await alarms(seed: $0, $1) }

    fileprivate static func alarms(seed: UInt64, _ selection: CheckSelection) async -> [Alarm] {
        await Examination(TrialSubject(Self.self) { "key-\($0)" }, seed: seed, selection).alarms()
    }
}

extension Mutant {
    fileprivate init(_ name: String, _ summary: String, _ type: TextKeysCache.Type) {
        self.init(name, .values, caughtBy: .conformance(.similarKeysAreTold), summary, type) {
            await type.alarms(seed: $0, $1)
        }
    }
}

final class LowercaseKeysCache: TextKeysCache, @unchecked Sendable {
    // Broken on purpose.
    override func stored(_ key: String) -> String { key.lowercased() }

    static let mutant = Mutant("keys-in-lower-case", "keys are compared in lower case", LowercaseKeysCache.self)
}

final class ShortKeysCache: TextKeysCache, @unchecked Sendable {
    // Broken on purpose.
    override func stored(_ key: String) -> String { String(key.prefix(64)) }

    static let mutant = Mutant("keys-cut-off", "keys are compared by their first 64 characters", ShortKeysCache.self)
}

final class NoQueryKeysCache: TextKeysCache, @unchecked Sendable {
    // Broken on purpose.
    override func stored(_ key: String) -> String { String(key.prefix { $0 != "?" }) }

    static let mutant = Mutant(
        "keys-without-query", "the query of a key that is an address is dropped", NoQueryKeysCache.self)
}
