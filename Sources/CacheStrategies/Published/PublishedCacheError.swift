/// What a loader of a published cache fails with, where the published one has no error of the origin to hand on.
public enum PublishedCacheError: Error, Sendable, CustomStringConvertible {
    /// The origin sent bytes that are no value.
    case undecodable(any Error)
    /// The design answers with nothing instead of an error; the cause is lost.
    case nothing

    public var description: String {
        switch self {
        case .undecodable(let error): "what the origin sent does not decode: \(error)"
        case .nothing: "the cache answered a load with nothing, and does not say why"
        }
    }
}
