public import Foundation

// The operations of the design on objects; each function takes the lock itself.

extension PublishedDualCache {
    /// The object of a key; decoded inside the lock when it comes from the level meant for encoded values.
    @inlinable
    func object(forKey key: WrappedKey<Key>) -> Object? {
        guardian.withLock {
            if let object = decodedLevel.object(forKey: key) { return object }
            guard let object = encodedLevel.object(forKey: key) else { return nil }
            let decoded = object.decoding()
            decodedLevel.setObject(object, forKey: key, cost: decoded.cost)
            return decoded
        }
    }

    /// Puts an object and its decoded form into the levels, the wrong way round. `nil` removes.
    @inlinable
    func insert(_ object: Object?, forKey key: WrappedKey<Key>) {
        guard let object else { return removeObject(forKey: key) }
        let decoded = object.decoding()
        guardian.withLock {
            encodedLevel.setObject(decoded, forKey: key)
            decodedLevel.setObject(object, forKey: key, cost: decoded.cost)
        }
    }

    /// Removes a key from both levels.
    @inlinable
    func removeObject(forKey key: WrappedKey<Key>) {
        guardian.withLock {
            encodedLevel.removeObject(forKey: key)
            decodedLevel.removeObject(forKey: key)
        }
    }

    /// Stores fetched bytes; throws ``PublishedCacheError/nothing`` if they don't decode. They are decoded for the
    /// caller, and a second time by the insert.
    @inlinable
    func store(_ bytes: Data, forKey key: Key) throws -> Loaded<Value> {
        guard let value = try? Value(encoded: bytes) else { throw PublishedCacheError.nothing }
        insert(Object(bytes), forKey: WrappedKey(key))
        return Loaded(value, .loaded)
    }

    /// The error of a caller whose fetch failed: its own cancellation, otherwise ``PublishedCacheError/nothing``.
    @inlinable
    func nothing(insteadOf error: any Error) -> any Error {
        error is CancellationError ? error : PublishedCacheError.nothing
    }
}
