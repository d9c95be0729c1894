public import Foundation

/// A value that a cache can keep encoded, such as in a file.
public protocol CacheableValue: Sendable {
    /// Decodes bytes that an origin sent or a file held.
    ///
    /// - Throws: when the bytes are not an encoded value. Such bytes are never cached.
    init(encoded: Data) throws

    /// The bytes that ``init(encoded:)`` reads. May be as expensive as compressing a picture.
    ///
    /// - Throws: when the value has no encoded form. It isn't kept encoded then.
    func encoded() throws -> Data

    /// The value's size in memory, in bytes.
    var cost: Int { get }

    /// How long the value lives in a cache with lifetimes, such as `max-age` of a response (RFC 9111, 5.2.2.1); `nil`,
    /// the default, means as long as the cache is configured for.
    var lifetime: Duration? { get }
}

extension CacheableValue {
    /// `nil`: as long as the cache is configured for.
    public var lifetime: Duration? { nil }
}

/// A key with a stable encoding as bytes.
public protocol CacheableKey: Hashable, Sendable {
    /// Bytes that differ for any two different keys, and are the same in every process.
    ///
    /// Equal keys have equal bytes. The bytes of a string are those of its canonical composition, because Swift compares
    /// strings by canonical equivalence.
    var bytes: Data { get }
}

extension Data: CacheableValue {
    /// The bytes themselves.
    public init(encoded: Data) { self = encoded }

    /// The bytes themselves.
    public func encoded() -> Data { self }

    /// The number of bytes.
    public var cost: Int { count }
}

extension Int: CacheableKey {
    /// Eight bytes, the least significant first.
    public var bytes: Data { withUnsafeBytes(of: Int64(self).littleEndian) { Data($0) } }
}

extension String: CacheableKey {
    /// UTF-8 of the canonical composition. ASCII is already composed and skips it, because composing is expensive.
    public var bytes: Data {
        Data(utf8.allSatisfy { $0 < 0x80 } ? utf8 : precomposedStringWithCanonicalMapping.utf8)
    }
}

extension URL: CacheableKey {
    /// UTF-8 of the relative string and the base, which together decide whether two URLs are equal.
    public var bytes: Data {
        var bytes = Data(relativeString.utf8)
        if let base = baseURL {
            bytes.append(0)
            bytes.append(base.bytes)
        }
        return bytes
    }
}
