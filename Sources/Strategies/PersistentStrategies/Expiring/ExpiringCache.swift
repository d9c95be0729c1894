public import CacheStrategies
public import Foundation
public import Locks

/// Entries with a lifetime, a list of the keys, and saving to and restoring from a file.
///
/// ```swift
/// let cache = ExpiringCache<Int, Article>(configuration: StrategyConfiguration(timeToLive: .seconds(3600)))
/// try cache.restore(from: file)
/// …
/// try cache.save(to: file)
/// ```
///
/// - An entry inserted at time t is found before t + lifetime, and not from then on; a lookup that finds it expired
///   removes it. Time comes from `configuration.clock.now`, and so does not follow the wall clock.
/// - The lifetime is the value's; if it has none, `configuration.timeToLive`, or 12 hours.
/// - The limits are the configuration's. When it has none, at most 50 entries are held; when it limits only costs, at
///   most as many entries as it allows cost, and no more than 1,000,000, so that entries without cost are limited too.
/// - Each insert removes up to two entries that have expired, whether or not there is room.
/// - When there is no room, expired entries are evicted first, then those that expire soonest. A value whose cost alone
///   is over the limit is not inserted; the key's older entry is still removed.
/// - Loads are not shared: callers that miss a key together fetch it together. A load inserts nothing when its key was
///   written or removed while it was in flight, or when another load of the key has inserted meanwhile.
/// - ``keys`` lists exactly the keys that would be found.
///
/// The store is a dictionary and not an `NSCache`, which can't list its keys. A key list beside an `NSCache` could only
/// follow evictions through the delegate. On Linux the delegate isn't called for removals. It is called inside the
/// `NSCache`'s lock, and before an insert that evicts its own key has returned, so that the key is listed after it is
/// gone. Here the dictionary is the list, and one lock guards it. Lookups cost O(1). Inserts cost O(1), amortised,
/// while all entries live equally long and none is evicted; otherwise inserts, like removals, cost O(log n).
public final class ExpiringCache<Key: Hashable & Sendable, Value: CacheableValue>: SynchronousCacheStrategy,
    @unchecked Sendable
{
    // Sound although unchecked: `store` is touched only while `guardian` is held; the rest never changes.
    @usableFromInline
    let guardian = Lock()
    @usableFromInline
    var store: ExpiringStore<Key, Value>
    @usableFromInline
    let clock: CacheClock
    /// How long an entry lives whose value has no lifetime: the configuration's time, at least 0 and at most a hundred
    /// years.
    public let lifetime: Duration

    /// How long an entry lives when neither its value nor the configuration has a lifetime.
    public static var defaultLifetime: Duration { .seconds(12 * 60 * 60) }
    /// How many entries are held when the configuration has no limit.
    public static var defaultEntryLimit: Int { 50 }

    /// How many entries are held at most when the configuration has only a cost limit.
    @usableFromInline
    static var largestEntryLimit: Int { 1_000_000 }

    @usableFromInline
    typealias Node = ExpiryNode<Key, Value>

    /// The strategy's name, `expiring`, its limits and its promises.
    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "expiring", summary: "entries with a lifetime, a list of keys, saving to and restoring from a file",
            bounds: [.entries, .cost],
            promises: Promises(
                timeToLive: .fixed(perEntry: true), keepsNewerWrites: true,
                limitRules: LimitRules(zero: .holdsNothing)))
    }

    /// An empty cache with the configuration's lifetime, limits and clock.
    @inlinable
    public init(configuration: StrategyConfiguration) {
        store = ExpiringStore(
            entryLimit: configuration.entryLimit ?? configuration.costLimit.map { min($0, Self.largestEntryLimit) }
                ?? Self.defaultEntryLimit,
            costLimit: configuration.costLimit)
        clock = configuration.clock
        lifetime = min(max(configuration.timeToLive ?? Self.defaultLifetime, .zero), .longestLifetime)
    }

    @inlinable
    deinit { guardian.destroy() }

    /// The value of a key, unless it has expired.
    @inlinable
    public func value(forKey key: Key) -> Value? {
        let now = clock.now()
        return exclusively { store, dropped in
            store.value(forKey: key, now: now, dropped: &dropped)
        }
    }

    /// Inserts or replaces; the entry's lifetime begins now.
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) {
        let now = clock.now()
        let expiry = now + lifetime(of: value)
        exclusively { store, dropped in
            store.loads.noteWrite(to: key)
            store.insert(value, forKey: key, cost: max(cost, 0), expiry: expiry, now: now, dropped: &dropped)
        }
    }

    @inlinable
    func lifetime(of value: Value) -> Duration {
        value.lifetime.map { min(max($0, .zero), .longestLifetime) } ?? lifetime
    }

    /// Removes a key's entry, if there is one.
    @inlinable
    public func removeValue(forKey key: Key) {
        exclusively { store, dropped in
            store.loads.noteWrite(to: key)
            if let node = store.table.remove(key) { dropped.append(node) }
        }
    }

    /// Removes all entries. O(n).
    @inlinable
    public func removeAll() {
        let old = exclusively { store, _ in
            store.loads.noteRemovalOfAll()
            let old = store.table
            store.table = ExpiryTable()
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// The value of a key; assigning inserts it with its own cost, assigning `nil` removes it.
    @inlinable
    public subscript(key: Key) -> Value? {
        get { value(forKey: key) }
        set {
            if let newValue {
                insert(newValue, forKey: key, cost: newValue.cost)
            } else {
                removeValue(forKey: key)
            }
        }
    }

    /// The keys of all live entries, the one that expires first in front. O(n).
    public var keys: [Key] { liveEntries(at: clock.now()).map(\.key) }

    /// What is held, after removing expired entries. O(expired entries).
    public func statistics() -> CacheStatistics {
        let now = clock.now()
        return exclusively { store, dropped in
            store.dropExpired(now: now, into: &dropped)
            return CacheStatistics(
                entryCount: store.table.count, totalCost: store.table.totalCost, evictions: store.evictions,
                expirations: store.expirations, loadsInFlight: store.loads.count)
        }
    }
}

extension ExpiringCache {
    /// A lookup, and on a miss a fetch and an insert; callers share nothing.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    @inlinable
    public func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        return try await LoadRegister.load(key, fetch, begin: beginLoad(of:), keep: { value, _ in value }, end: endLoad)
    }

    /// ``load(_:fetch:)`` for a caller that may block its thread.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    @inlinable
    public func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        return try LoadRegister.loadBlocking(
            key, fetch, begin: beginLoad(of:), keep: { value, _ in value }, end: endLoad)
    }

    /// A load begins to fetch.
    @inlinable
    func beginLoad(of key: Key) -> LoadRegister<Key>.Ticket {
        exclusively { store, _ in store.loads.begin(key) }
    }

    /// A load ends: its value is inserted unless its key was written, removed or loaded meanwhile.
    @inlinable
    func endLoad(_ ticket: LoadRegister<Key>.Ticket, _ fetched: Value?) {
        let now = clock.now()
        let cost = max(fetched?.cost ?? 0, 0)
        let expiry = now + (fetched.map(lifetime(of:)) ?? .zero)
        exclusively { store, dropped in
            guard store.loads.end(ticket, inserts: fetched != nil), let fetched else { return }
            store.insert(fetched, forKey: ticket.key, cost: cost, expiry: expiry, now: now, dropped: &dropped)
        }
    }

    /// Runs `body` with the store under the lock. The entries that it drops are released after the lock.
    @inlinable
    func exclusively<Result>(_ body: (inout ExpiringStore<Key, Value>, inout [Node]) -> Result) -> Result {
        var dropped: [Node] = []
        guardian.lock()
        let result = body(&store, &dropped)
        guardian.unlock()
        // Not before this line: otherwise the compiler may release at the last use, inside the lock.
        withExtendedLifetime(dropped) {}
        return result
    }
}

extension ExpiringCache {
    /// The live entries at a time, the one that expires first in front. O(n).
    func liveEntries(at now: Duration) -> [Node] {
        exclusively { store, _ in
            store.table.inOrder.filter { now < $0.expiry }
        }
    }

    /// Throws when the entries contradict each other or a limit. O(n).
    package func checkInvariants() throws {
        try guardian.withLock { try store.checkInvariants() }
    }
}

extension ExpiringCache: RespondsToMemoryPressure {
    /// A warning evicts the half that expires first, background evicts three quarters, critical pressure all. O(n log
    /// n).
    public func respond(to pressure: MemoryPressure) {
        guard let divisor = pressure.divisor else { return }
        let now = clock.now()
        if divisor == 0 {
            let old = exclusively { store, _ in
                let old = store.table
                store.evictions &+= UInt64(old.count)
                store.table = ExpiryTable()
                return old
            }
            return withExtendedLifetime(old) {}
        }
        let (entries, cost) = exclusively { store, _ in
            (store.table.count / divisor, store.table.totalCost / divisor)
        }
        // Other callers can take the lock between two rounds.
        var isDone = false
        while !isDone {
            isDone = exclusively { store, dropped in
                for _ in 0..<256 {
                    guard store.table.count > entries || store.table.totalCost > cost,
                        store.dropFirst(now: now, into: &dropped)
                    else { return true }
                }
                return false
            }
        }
    }
}

extension ExpiringCache where Key: Codable, Value: Codable {
    /// Writes the live entries to a file, behind a header with a checksum, and replaces the older file.
    ///
    /// The file is written beside the older one under a temporary name, which is its own name and `.saving`, then
    /// synchronised and renamed: after a crash at any moment the file is the old or the new one, whole; after a loss of
    /// power it may also be an older one or absent, because the folder's list isn't synchronised. The next
    /// ``save(to:)`` or ``restore(from:)`` removes a temporary file that a crash left. Cache writes that happen during a
    /// save may or may not be in the file. Saves of one process run one after the other; two processes must not save to
    /// one file.
    ///
    /// - Throws: the error of encoding or of writing the file; the old file is unchanged then.
    public func save(to file: URL) throws {
        try save(to: file, layer: POSIXFileLayer(directory: file.deletingLastPathComponent(), creating: false))
    }

    /// Adds the entries that ``save(to:)`` wrote and that still live.
    ///
    /// Each entry gets its remaining lifetime, from which the time since the saving is subtracted; a date that went back
    /// subtracts nothing. No entry gets more than its value's lifetime or this cache's. Entries that this cache already
    /// has are newer and stay. When there is no room for all, those that expire soonest are left out. O(n log n).
    ///
    /// - Throws: ``DiskCacheError/damaged(file:reason:)`` when the file's header, length or checksum is wrong; the
    ///   error of reading it; or the error of decoding, when it holds other types. Nothing is changed then.
    ///
    /// Inlinable, so that it is compiled for the cache's types: as generic code it takes ten times as long.
    @inlinable
    public func restore(from file: URL) throws {
        try restore(content: SavedContent(of: file))
    }

    /// Saves through a layer for the file's folder, such as one that injects failures.
    package func save(to file: URL, layer: any FileLayer) throws {
        try SavedFile(file, layer: layer).write(try SavedColumns.encode(saved()))
    }

    /// Restores through a layer for the file's folder.
    package func restore(from file: URL, layer: any FileLayer) throws {
        try restore(content: SavedContent(of: file, layer: layer))
    }

    private func saved() -> SavedEntries<Key, Value> {
        let now = clock.now()
        let savedAt = clock.date()
        let entries = liveEntries(at: now).map { SavedEntry($0, timeLeft: $0.expiry - now) }
        return SavedEntries(savedAt: savedAt, entries: entries)
    }

    @inlinable
    func restore(content: SavedContent) throws { restore(try SavedColumns(content).entries()) }

    @inlinable
    func restore(_ saved: SavedEntries<Key, Value>) {
        let elapsed = saved.elapsed(until: clock.date())
        let now = clock.now()
        exclusively { store, dropped in
            var merged = store.table.inOrder
            var known = Set(merged.map(\.key))
            for entry in saved.entries {
                let timeLeft = min(entry.timeLeft - elapsed, lifetime(of: entry.value))
                guard timeLeft > .zero, known.insert(entry.key).inserted else { continue }
                merged.append(
                    Node(key: entry.key, value: entry.value, cost: max(entry.cost, 0), expiry: now + timeLeft))
            }
            store.rebuild(with: merged, now: now, dropped: &dropped)
        }
    }
}
