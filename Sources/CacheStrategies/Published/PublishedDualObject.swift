public import Foundation

/// What a ``PublishedDualCache`` holds: a picture in the published one, which keeps its encoded bytes and may have been
/// decoded as well.
///
/// Whoever uses one that was not decoded decodes it, every time.
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

    /// A decoded one of the same bytes. Decodes whether it was decoded or not; what does not decode stays as it is.
    @inlinable
    func decoding() -> PublishedDualObject {
        guard let value = try? Value(encoded: bytes) else { return self }
        return PublishedDualObject(bytes, decoded: value)
    }

    /// The value, for whoever uses it; decodes unless that was done before.
    @inlinable
    func value() -> Value? {
        decoded ?? (try? Value(encoded: bytes))
    }

    /// What the object is charged with: the decoded size, or that of the bytes when they don't decode.
    @inlinable
    var cost: Int { decoded?.cost ?? bytes.count }
}
