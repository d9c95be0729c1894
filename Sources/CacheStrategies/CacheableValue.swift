public import Foundation

/// A value that a cache can keep encoded, such as in a file.
public protocol CacheableValue: Sendable {
    /// Decodes what an origin sent or a file held.
    ///
    /// - Throws: when the bytes are not an encoded value. Such bytes are never cached.
    init(encoded: Data) throws

    /// The bytes that ``init(encoded:)`` reads. May be as dear as compressing a picture.
    func encoded() throws -> Data

    /// What the value weighs in memory, in bytes.
    var cost: Int { get }

    /// How long the value lives in a cache that knows lifetimes, such as `max-age` of an answer (RFC 9111, 5.2.2.1);
    /// `nil`, the default, means as long as the cache is configured for.
    var lifetime: Duration? { get }
}

extension CacheableValue {
    public var lifetime: Duration? { nil }
}

/// A key that a cache can write down.
public protocol CacheableKey: Hashable, Sendable {
    /// Bytes that differ for every two keys that differ, and are the same in every process.
    ///
    /// Keys that are equal have equal bytes: a string's are those of its canonical composition, because Swift
    /// compares strings by canonical equivalence.
    var bytes: Data { get }
}

extension Data: CacheableValue {
    public init(encoded: Data) { self = encoded }

    public func encoded() -> Data { self }

    public var cost: Int { count }
}

extension Int: CacheableKey {
    /// Eight bytes, the least significant first.
    public var bytes: Data { withUnsafeBytes(of: Int64(self).littleEndian) { Data($0) } }
}

extension String: CacheableKey {
    /// UTF-8 of the canonical composition; ASCII is composed already, and composing is dear.
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
