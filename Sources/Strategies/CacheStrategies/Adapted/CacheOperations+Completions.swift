public import Foundation

extension CacheOperations {
    /// Hands a result over, once.
    public typealias Completion<Answer> = @Sendable (Answer) -> Void
    /// A fetch that hands its encoded bytes over.
    public typealias FetchWithCompletion = @Sendable (@escaping Completion<Result<Data, any Error>>) -> Void

    /// The calls of a cache with completion handlers. A handler that is never called is a caller that waits for ever.
    ///
    /// - Parameters:
    ///   - get: Looks a key up.
    ///   - set: Inserts or replaces, with the cost.
    ///   - remove: `nil` for a cache that removes no single entry.
    ///   - load: `nil` for a cache that does not load. It gets a fetch, and a handler for the value.
    ///   - removeAll: `nil` for a cache that can't remove everything at once.
    ///   - close: `nil` for a cache that is dropped.
    public static func withCompletions(
        get: @escaping @Sendable (Key, @escaping Completion<Value?>) -> Void,
        set: @escaping @Sendable (Value, Key, Int, @escaping Completion<Void>) -> Void,
        remove: (@Sendable (Key, @escaping Completion<Void>) -> Void)? = nil,
        load: (
            @Sendable (Key, @escaping FetchWithCompletion, @escaping Completion<Result<Value, any Error>>) -> Void
        )? =
            nil,
        removeAll: (@Sendable (@escaping Completion<Void>) -> Void)? = nil,
        close: (@Sendable (@escaping Completion<Void>) -> Void)? = nil
    ) -> CacheOperations {
        var operations = CacheOperations(
            get: { key in await answer { get(key, $0) } },
            set: { value, key, cost in await answer { set(value, key, cost, $0) } })
        // Completion handlers have no task, so that nothing tells the cache.
        operations.passesCancellation = load == nil
        if let remove { operations.remove = { key in await answer { remove(key, $0) } } }
        if let removeAll { operations.removeAll = { await answer { removeAll($0) } } }
        if let close { operations.close = { await answer { close($0) } } }
        if let load {
            operations.load = { key, fetch in
                let fetch: FetchWithCompletion = { done in
                    Task { do { done(.success(try await fetch())) } catch { done(.failure(error)) } }
                }
                return try await answer { load(key, fetch, $0) }.get()
            }
        }
        return operations
    }

    /// The answer of a call with a completion handler.
    private static func answer<Answer: Sendable>(_ call: (@escaping Completion<Answer>) -> Void) async -> Answer {
        await withCheckedContinuation { continuation in call { continuation.resume(returning: $0) } }
    }
}
