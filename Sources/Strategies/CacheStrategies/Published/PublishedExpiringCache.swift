public import Foundation

/// An `NSCache` of entries with an expiry date, and a set of keys beside it, as it was published.
///
/// By its design it is the cache of John Sundell, "Caching in Swift" (2019).
///
/// - An entry expires at the date of its insert plus the lifetime: `configuration.timeToLive`, or 12 hours. Dates come
///   from `configuration.clock.date`, so the wall clock decides. A lookup after the expiry removes the entry in a
///   separate step, which may remove what another caller has inserted in between.
/// - At most 50 entries, as the `NSCache`'s count limit; the configuration's limits and costs are ignored. On Linux a
///   full `NSCache` evicts the entry that is being inserted.
/// - Callers and the `NSCache`'s delegate change the set of keys without a lock: a data race.
/// - Keys stay in the set after a removal, because the delegate isn't called for it on Linux. They also stay after an
///   insert that evicts its own entry, because the delegate is called before the key is added. So the set grows without
///   bound.
/// - Loads are not shared. Nothing is cleaned up: on Linux, deinitialising an `NSCache` leaks its entries.
///
/// The adapter adds ``removeAll()``, which empties the `NSCache` and leaves the set unchanged, as a removal does.
/// Unless stated otherwise, everything is O(1). `ExpiringCache` is the sound version.
public final class PublishedExpiringCache<Key: Hashable & Sendable, Value: CacheableValue>: SynchronousCacheStrategy,
    @unchecked Sendable
{
    // Not sound, on purpose: `tracker.keys` is read and changed by every thread, and by the delegate, without a lock.
    // The rest is sound: `NSCache` locks itself and its limit is set before any other thread has it.
    @usableFromInline
    let cache = NSCache<WrappedKey<Key>, PublishedExpiringEntry<Key, Value>>()
    @usableFromInline
    let tracker = PublishedKeyTracker<Key, Value>()
    @usableFromInline
    let date: @Sendable () -> Date
    /// How long an entry lives, in seconds.
    public let lifetime: TimeInterval

    /// How long an entry lives without a configured lifetime, in seconds.
    public static var defaultLifetime: TimeInterval { 12 * 60 * 60 }
    /// The most entries that are held.
    public static var defaultEntryLimit: Int { 50 }

    /// The strategy's name, `published-expiring`, its limits and its promises.
    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "published-expiring",
            summary: "as published: NSCache of expiring entries, and an unlocked set of its keys; 50 entries",
            role: .reference,
            promises: Promises(limit: Promises.limitOfNSCache, timeToLive: true, admission: .notWhenFull))
    }

    /// An empty cache with the configuration's clock and lifetime, and 50 entries at most.
    @inlinable
    public convenience init(configuration: StrategyConfiguration) {
        let lifetime = configuration.timeToLive.map { $0 / .seconds(1) }
        self.init(date: configuration.clock.date, lifetime: lifetime ?? Self.defaultLifetime)
    }

    /// An empty cache with its own clock, lifetime and limit, which are parameters of the design.
    @usableFromInline
    init(
        date: @escaping @Sendable () -> Date = { Date() }, lifetime: TimeInterval = defaultLifetime,
        entryLimit: Int = defaultEntryLimit
    ) {
        self.date = date
        self.lifetime = lifetime
        cache.countLimit = entryLimit
        cache.delegate = tracker
    }

    /// The value of a key, unless it has expired.
    @inlinable
    public func value(forKey key: Key) -> Value? {
        entry(forKey: key)?.value
    }

    /// Inserts or replaces; the entry's lifetime begins now.
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) {
        insert(PublishedExpiringEntry(key: key, value: value, expiry: date().addingTimeInterval(lifetime)))
    }

    /// Removes a key's entry. Its key stays in the tracker unless the delegate is called.
    @inlinable
    public func removeValue(forKey key: Key) {
        cache.removeObject(forKey: WrappedKey(key))
    }

    /// Removes all entries. Their keys stay in the tracker unless the delegate is called. O(n).
    @inlinable
    public func removeAll() {
        cache.removeAllObjects()
    }

    /// A lookup, and on a miss a fetch and an insert; callers share nothing.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    @inlinable
    public func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadUnshared(key, fetch: fetch)
    }

    /// The value of a key; assigning inserts it, assigning `nil` removes it.
    @inlinable
    public subscript(key: Key) -> Value? {
        get { value(forKey: key) }
        set {
            guard let newValue else { return removeValue(forKey: key) }
            insert(newValue, forKey: key, cost: newValue.cost)
        }
    }

    /// The entry of a key; an expired entry is removed, and the result is `nil`.
    @inlinable
    func entry(forKey key: Key) -> PublishedExpiringEntry<Key, Value>? {
        guard let entry = cache.object(forKey: WrappedKey(key)) else { return nil }
        guard date() < entry.expiry else {
            removeValue(forKey: key)
            return nil
        }
        return entry
    }

    /// Inserts an entry, and only then adds its key to the tracker.
    @inlinable
    func insert(_ entry: PublishedExpiringEntry<Key, Value>) {
        cache.setObject(entry, forKey: WrappedKey(entry.key))
        tracker.keys.insert(entry.key)
    }
}

/// Encodes the live entries that the tracker knows, each with its expiry date.
///
/// Decoding inserts them into a cache with the default clock, lifetime and limit, not with those of the saved cache.
extension PublishedExpiringCache: Codable where Key: Codable, Value: Codable {
    /// A cache with the default clock, lifetime and limit, and the encoded entries.
    ///
    /// - Throws: `DecodingError` when the input isn't what ``encode(to:)`` wrote.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.singleValueContainer()
        for entry in try container.decode([PublishedExpiringEntry<Key, Value>].self) { insert(entry) }
    }

    /// Encodes the live entries that the tracker knows, each with its expiry date.
    ///
    /// - Throws: the error of encoding a key or a value, or of `encoder`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        // Iterates over the set while other threads may change it.
        try container.encode(tracker.keys.compactMap { entry(forKey: $0) })
    }
}

extension PublishedExpiringCache where Key: Codable, Value: Codable {
    /// Writes the cache as JSON to a file with a name, by default in the caches folder.
    ///
    /// The file is overwritten in place: a crash meanwhile leaves neither the old nor the new one.
    ///
    /// - Returns: the file.
    /// - Throws: the error of encoding or of writing the file.
    @discardableResult
    public func save(named name: String, in folder: URL? = nil) throws -> URL {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        guard let folder = folder ?? caches else { throw CocoaError(.fileNoSuchFile) }
        let file = folder.appendingPathComponent(name + ".cache")
        try JSONEncoder().encode(self).write(to: file)
        return file
    }
}

/// An entry of a ``PublishedExpiringCache``, with its key and its expiry date, from which on it isn't found.
@usableFromInline
final class PublishedExpiringEntry<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline
    let key: Key
    @usableFromInline
    let value: Value
    @usableFromInline
    let expiry: Date

    @inlinable
    init(key: Key, value: Value, expiry: Date) {
        self.key = key
        self.value = value
        self.expiry = expiry
    }
}

extension PublishedExpiringEntry: Codable where Key: Codable, Value: Codable {}

/// The set of keys that a ``PublishedExpiringCache`` takes for the content of its `NSCache`: inserts add keys, and the
/// delegate removes a key when its entry is evicted.
@usableFromInline
final class PublishedKeyTracker<Key: Hashable & Sendable, Value: Sendable>: NSObject, NSCacheDelegate {
    /// Changed by every caller and by the delegate, without a lock.
    @usableFromInline
    var keys: Set<Key> = []

    /// An entry is about to be evicted. On Linux this isn't called for removals, and the `NSCache` is locked during the
    /// call.
    @usableFromInline
    func cache(_ cache: NSCache<AnyObject, AnyObject>, willEvictObject object: Any) {
        guard let entry = object as? PublishedExpiringEntry<Key, Value> else { return }
        keys.remove(entry.key)
    }
}
