public import Foundation

/// A cache that reports the tier in which it found a value.
///
/// ```swift
/// func tieredValue(forKey key: Key) async -> TieredValue<Value>? {
///     if let value = memory[key] { return TieredValue(value, in: .memory) }
///     return await file(of: key).map { TieredValue($0, in: .disk) }
/// }
/// ```
///
/// Trials then call these methods instead of ``CacheStrategy/value(forKey:)`` and ``CacheStrategy/load(_:fetch:)``, and
/// count hits by tier. Otherwise the methods do the same.
public protocol TieredCacheStrategy<Key, Value>: CacheStrategy {
    /// The value of a key and its tier, or `nil` when the cache doesn't hold it.
    func tieredValue(forKey key: Key) async -> TieredValue<Value>?

    /// ``CacheStrategy/load(_:fetch:)``, with the tier of a hit.
    ///
    /// - Throws: the same errors.
    func tieredLoad(_ key: Key, fetch: @escaping Fetch) async throws -> TieredLoad<Value>
}

/// A cache that reports the tier in which it found a value, and never suspends.
public protocol SynchronousTieredCacheStrategy<Key, Value>: TieredCacheStrategy, SynchronousCacheStrategy {
    /// The value of a key and its tier, or `nil` when the cache doesn't hold it.
    func tieredValue(forKey key: Key) -> TieredValue<Value>?

    /// ``SynchronousCacheStrategy/loadBlocking(_:fetch:)``, with the tier of a hit.
    ///
    /// - Throws: the same errors.
    func tieredLoadBlocking(_ key: Key, fetch: () throws -> Data) throws -> TieredLoad<Value>
}

/// The tier in which a cache found a value.
public enum HitTier: String, Sendable, Hashable, Codable, CaseIterable {
    /// In memory, in a cache that also has a disk.
    case memory
    /// In a file.
    case disk
    /// Decoded, in a cache that also holds encoded values.
    case decoded
    /// Encoded, in memory; it was decoded for the caller.
    case encoded
    /// On a server.
    case server
}

/// A value that was found, and its tier.
public struct TieredValue<Value: Sendable>: Sendable {
    /// The value, decoded.
    public let value: Value
    /// The tier of the value.
    public let tier: HitTier

    /// A value and its tier.
    @inlinable
    public init(_ value: Value, in tier: HitTier) {
        self.value = value
        self.tier = tier
    }
}

/// The result of a load, and the tier of a hit.
public struct TieredLoad<Value: Sendable>: Sendable {
    /// The result of ``CacheStrategy/load(_:fetch:)``.
    public let loaded: Loaded<Value>
    /// The tier of the value; `nil` when it was no hit.
    public let tier: HitTier?

    /// The result of a load; the tier is kept only if it was a hit.
    @inlinable
    public init(_ loaded: Loaded<Value>, in tier: HitTier) {
        self.loaded = loaded
        self.tier = loaded.outcome == .hit ? tier : nil
    }
}
