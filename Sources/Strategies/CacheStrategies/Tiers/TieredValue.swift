// Part of the protocol: who sees a tier sees its cases.
@_exported public import SharedValues

/// A value that was found, and its tier.
///
/// ```swift
/// static var reportsTiers: Bool { true }
///
/// func tieredValue(forKey key: Key) async -> TieredValue<Value>? {
///     if let value = memory[key] { return TieredValue(value, in: .memory) }
///     return await file(of: key).map { TieredValue($0, in: .disk) }
/// }
/// ```
public struct TieredValue<Value: Sendable>: Sendable {
    /// The value, decoded.
    public let value: Value
    /// The tier of the value; `nil` when the strategy doesn't report it.
    public let tier: HitTier?

    /// A value and its tier.
    @inlinable
    @inline(__always)
    public init(_ value: Value, in tier: HitTier?) {
        self.value = value
        self.tier = tier
    }
}

// The defaults are inlined, so that nothing is left of them where a strategy has no tiers.

extension CacheStrategy {
    /// Tiers are not reported.
    @inlinable
    public static var reportsTiers: Bool { false }

    /// The value of a key, without a tier.
    @inlinable
    @inline(__always)
    public func tieredValue(forKey key: Key) async -> TieredValue<Value>? {
        guard let value = await value(forKey: key) else { return nil }
        return TieredValue(value, in: nil)
    }
}

extension SynchronousCacheStrategy {
    /// The value of a key, without a tier.
    @inlinable
    @inline(__always)
    public func tieredValue(forKey key: Key) -> TieredValue<Value>? {
        guard let value = value(forKey: key) else { return nil }
        return TieredValue(value, in: nil)
    }
}
