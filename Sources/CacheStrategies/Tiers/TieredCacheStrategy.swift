public import Foundation

/// A cache that tells where it found a value.
///
/// ```swift
/// func tieredValue(forKey key: Key) async -> TieredValue<Value>? {
///     if let value = memory[key] { return TieredValue(value, in: .memory) }
///     return await file(of: key).map { TieredValue($0, in: .disk) }
/// }
/// ```
///
/// Trials then call these methods in place of ``CacheStrategy/value(forKey:)`` and ``CacheStrategy/load(_:fetch:)``, and
/// tell hits apart by place. Both do the same as those.
public protocol TieredCacheStrategy<Key, Value>: CacheStrategy {
    /// The value of a key and where it was, or `nil` when the cache doesn't hold it.
    func tieredValue(forKey key: Key) async -> TieredValue<Value>?

    /// ``CacheStrategy/load(_:fetch:)``, with the place of a hit.
    ///
    /// - Throws: what that throws.
    func tieredLoad(_ key: Key, fetch: @escaping Fetch) async throws -> TieredLoad<Value>
}

/// A cache that tells where it found a value, and never suspends.
public protocol SynchronousTieredCacheStrategy<Key, Value>: TieredCacheStrategy, SynchronousCacheStrategy {
    /// The value of a key and where it was, or `nil` when the cache doesn't hold it.
    func tieredValue(forKey key: Key) -> TieredValue<Value>?

    /// ``SynchronousCacheStrategy/loadBlocking(_:fetch:)``, with the place of a hit.
    ///
    /// - Throws: what that throws.
    func tieredLoadBlocking(_ key: Key, fetch: () throws -> Data) throws -> TieredLoad<Value>
}

/// Where a cache found a value.
public enum HitTier: String, Sendable, Hashable, Codable, CaseIterable {
    /// In memory, where the other place is the disk.
    case memory
    /// In a file.
    case disk
    /// Decoded, where the other place holds encoded values.
    case decoded
    /// Encoded, in memory; it was decoded for the caller.
    case encoded
    /// In a server.
    case server
}

/// A value that was found, and where.
public struct TieredValue<Value: Sendable>: Sendable {
    /// The value, decoded.
    public let value: Value
    /// Where it was.
    public let tier: HitTier

    @inlinable
    public init(_ value: Value, in tier: HitTier) {
        self.value = value
        self.tier = tier
    }
}

/// What a load gave, and where it was when it was a hit.
public struct TieredLoad<Value: Sendable>: Sendable {
    /// What ``CacheStrategy/load(_:fetch:)`` gives.
    public let loaded: Loaded<Value>
    /// Where the value was; `nil` when it was no hit.
    public let tier: HitTier?

    /// What a load gave; the place counts when it was a hit.
    @inlinable
    public init(_ loaded: Loaded<Value>, in tier: HitTier) {
        self.loaded = loaded
        self.tier = loaded.outcome == .hit ? tier : nil
    }
}
