/// A load under way in an ``ActorCache``.
@usableFromInline
struct ActorLoad<Key: Hashable & Sendable, Value: Sendable> {
    @usableFromInline
    let key: Key
    /// Fetches, decodes and reports to the actor.
    @usableFromInline
    var task: Task<Void, Never>?
    /// The callers that wait, by number.
    @usableFromInline
    var waiters: [UInt64: CheckedContinuation<Value, any Error>] = [:]

    @usableFromInline
    init(key: Key) {
        self.key = key
    }
}
