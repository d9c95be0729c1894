public import Foundation

/// An entry of a ``PublishedDualCache``: a picture in the published version, which keeps its encoded bytes and may also
/// be decoded.
///
/// Every use of an object that was not decoded decodes it again.
@usableFromInline
final class PublishedDualObject<Value: CacheableValue>: Sendable {
    @usableFromInline
    let bytes: Data
    /// The decoded value; `nil` when it has not been decoded.
    @usableFromInline
    let decoded: Value?

    @inlinable
    init(_ bytes: Data, decoded: Value? = nil) {
        self.bytes = bytes
        self.decoded = decoded
    }

    /// A decoded object of the same bytes. Decodes even if this one is decoded; an object that does not decode is
    /// returned unchanged.
    @inlinable
    func decoding() -> PublishedDualObject {
        guard let value = try? Value(encoded: bytes) else { return self }
        return PublishedDualObject(bytes, decoded: value)
    }

    /// The value; decodes the bytes unless the object is decoded.
    @inlinable
    func value() -> Value? {
        decoded ?? (try? Value(encoded: bytes))
    }

    /// The cost of the object: the decoded size, or that of the bytes if they don't decode.
    @inlinable
    var cost: Int { decoded?.cost ?? bytes.count }
}
