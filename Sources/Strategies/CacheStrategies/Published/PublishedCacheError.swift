/// The error of a published cache's loader, if the published version doesn't pass the origin's error on.
public enum PublishedCacheError: Error, Sendable, CustomStringConvertible {
    /// The origin sent bytes that are not an encoded value.
    case undecodable(any Error)
    /// The design returns nothing instead of an error; the cause is lost.
    case nothing

    /// What happened, in one sentence.
    public var description: String {
        switch self {
        case .undecodable(let error): "the bytes from the origin do not decode: \(error)"
        case .nothing: "the cache returned nothing for a load, and no reason"
        }
    }
}

/// A value as the object that a published cache puts into its `NSCache`.
@usableFromInline
final class PublishedValue<Value: Sendable>: Sendable {
    @usableFromInline
    let value: Value

    @inlinable
    init(_ value: Value) {
        self.value = value
    }
}
