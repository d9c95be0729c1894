public import Locks
public import Synchronization

/// Loads that callers share (single-flight): callers that miss a key together make one fetch.
///
/// It holds no values and works in front of any cache; closures look up and insert:
///
/// ```swift
/// let cache = LRUCache<URL, Picture>(entryLimit: 1000)
/// let loads = SharedLoads<URL, Picture>()
///
/// let picture = try await loads.load(url) {
///     cache.value(forKey: url)
/// } insert: {
///     cache.insert($0, forKey: url, cost: $0.byteCount)
/// } fetch: {
///     try await download(url)
/// }.value
///
/// await loads.write(url) { cache.removeValue(forKey: url) }
/// ```
///
/// ``SharingLoads`` adds this to a ``CacheStrategy``.
///
/// - The first caller gets ``LoadOutcome/loaded``, the others ``LoadOutcome/joined``; if the fetch fails, all get its
///   error. A failed load is not inserted.
/// - A caller that is cancelled leaves at once with `CancellationError`, and the load continues for the others. When
///   the last caller leaves, the load is cancelled; a later caller starts a new load and does not wait for the
///   cancelled one. A load that already inserts its value goes on, and later callers join it.
/// - A write or removal of a key takes precedence over a load of it in flight: the callers that wait get the value that
///   was fetched for them, but it is not inserted, and later callers do not join that load. A removal of all entries
///   affects all loads in flight. For this, every write goes through `write` and `removeAll`.
/// - A fetch that loads its own key, directly or through the fetch of another key, gets a ``SelfLoadError``: it would
///   wait for itself. The tasks that a fetch starts count as part of it. Two fetches that load each other's keys, each
///   begun by a caller of its own, are not detected.
/// - Threads and tasks may share a load. A thread fetches itself. When its fetch ends with `CancellationError`, because
///   the thread has given up, the callers that waited for it start again and share the fetch of one of them.
///
/// **Why no caller gets a value that was fetched before its own write.** A write is registered before the cache changes
/// and until after it has changed. Both moments overtake the loads that have begun by then: the first those that
/// fetched before the write, the second those that began while it was in flight and may have fetched before it took
/// effect. An overtaken load is not joined. So a caller that loads after its write has returned can only join a load
/// that began after that write.
///
/// **Why no load undoes a write.** A load inserts only if its key was not written since it began and no write of the
/// key is in flight. It checks this and registers its insert in one step. A write that finds a load inserting waits for
/// it, so that the write comes later. So the inserts of loads and the writes of a key never overlap, even in a cache
/// that suspends. Writes of a key may overlap each other, and reads never wait.
///
/// **Why there is no gap between the lookup and joining.** A load leaves the register after its value was inserted. A
/// caller that missed and then finds no load to join compares a count to see whether any load has inserted since its
/// lookup. If so, it registers its own load, so that others can join, and looks up once more before it fetches.
///
/// Its lock is held for O(1) at a time, and never while the cache is called. A hit takes no lock. A write costs two
/// changes of a hash table. The callers that wait for a load are answered in O(n log n) time, in the order in which
/// they came. A value's `deinit` may look up, but must not write, remove or clear through the same loads: it may run
/// inside a load's insert, and the write would wait for that load, or for one whose insert waits for this one.
public final class SharedLoads<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The function with which a load fetches.
    public typealias Fetch = @Sendable () async throws -> Value

    @usableFromInline
    let table = Locked(SharedLoadTable<Key, Value>())
    /// How many loads have inserted their values. Changed under the table's lock.
    @usableFromInline
    let landings = Atomic<UInt64>(0)

    /// A register without loads.
    @inlinable
    public init() {}

    /// The value of a key: from the cache, or from one fetch that all callers of the key share meanwhile.
    ///
    /// The fetch runs in a task of its own, with the first caller's priority.
    ///
    /// - Parameters:
    ///   - key: the key to load.
    ///   - find: looks the key up in the cache; a result is a hit. Called a second time in rare cases.
    ///   - insert: inserts the fetched value into the cache. Kept until the fetch has ended; capture the cache weakly
    ///     if the load should not keep it alive.
    ///   - fetch: fetches the value.
    /// - Throws: the error of `fetch`, or `CancellationError`.
    @inlinable
    public func load(
        _ key: Key, find: () async -> Value?, insert: @escaping @Sendable (Value) async -> Void, fetch: @escaping Fetch
    ) async throws -> Loaded<Value> {
        let mark = mark
        if let value = await find() { return Loaded(value, .hit) }
        return try await loadMissed(key, since: mark, find: find, insert: insert, fetch: fetch)
    }

    /// The same for a caller that owns its thread and may block it. It fetches on its thread.
    ///
    /// - Throws: the error of `fetch`, its own or the one it joined.
    @inlinable
    public func loadBlocking(
        _ key: Key, find: () -> Value?, insert: (Value) -> Void, fetch: () throws -> Value
    ) throws -> Loaded<Value> {
        let mark = mark
        if let value = find() { return Loaded(value, .hit) }
        return try loadMissedBlocking(key, since: mark, find: find, insert: insert, fetch: fetch)
    }

    /// Changes a key's entry in the cache: every insert, replacement and removal, except those of loads.
    ///
    /// - Throws: the error of `body`.
    @inlinable
    public func write<Answer>(_ key: Key, _ body: () async throws -> Answer) async rethrows -> Answer {
        if !beginWrite(to: key) { await letLandSuspending(key) }
        defer { endWrite(to: key) }
        return try await body()
    }

    /// The same, blocking.
    ///
    /// - Throws: the error of `body`.
    @inlinable
    public func write<Answer>(_ key: Key, _ body: () throws -> Answer) rethrows -> Answer {
        if !beginWrite(to: key) { letLand(key) }
        defer { endWrite(to: key) }
        return try body()
    }

    /// Empties the cache.
    ///
    /// - Throws: the error of `body`.
    @inlinable
    public func removeAll<Answer>(_ body: () async throws -> Answer) async rethrows -> Answer {
        if !beginRemovalOfAll() { await letLandSuspending(nil) }
        defer { endRemovalOfAll() }
        return try await body()
    }

    /// The same, blocking.
    ///
    /// - Throws: the error of `body`.
    @inlinable
    public func removeAll<Answer>(_ body: () throws -> Answer) rethrows -> Answer {
        if !beginRemovalOfAll() { letLand(nil) }
        defer { endRemovalOfAll() }
        return try body()
    }

    /// The number of loads in flight, including cancelled ones that have not ended.
    public var count: Int { table.withLock { $0.register.count } }

    /// Waits until the loads in flight whose fetches are tasks have ended.
    public func waitUntilIdle() async {
        for task in table.withLock({ $0.flights.values.compactMap(\.task) }) { await task.value }
    }
}

/// Writes.
extension SharedLoads {
    @inlinable
    func beginWrite(to key: Key) -> Bool { table.withLock { $0.register.beginWrite(to: key) } }

    @inlinable
    func endWrite(to key: Key) { table.withLock { $0.register.endWrite(to: key) } }

    @inlinable
    func beginRemovalOfAll() -> Bool { table.withLock { $0.register.beginRemovalOfAll() } }

    @inlinable
    func endRemovalOfAll() { table.withLock { $0.register.endRemovalOfAll() } }

    /// A write that took effect in one step with this call, as inside an actor.
    @inlinable
    package func noteWrite(to key: Key) { table.withLock { $0.register.noteWrite(to: key) } }

    /// A removal of all entries that took effect in one step with this call.
    @inlinable
    package func noteRemovalOfAll() { table.withLock { $0.register.noteRemovalOfAll() } }

    /// Blocks while the load of a key, or of any key for `nil`, inserts its value. The write is registered, so no other
    /// load of the key starts to insert.
    @usableFromInline
    func letLand(_ key: Key?) {
        while let landing = landing(key) { landing.wait() }
    }

    /// The same for a task.
    @usableFromInline
    func letLandSuspending(_ key: Key?) async {
        while let landing = landing(key) { await landing.suspendedResult() }
    }

    private func landing(_ key: Key?) -> Latch<Void>? {
        table.withLock { table in
            let isLanding = key.map { table.register.isLanding($0) } ?? (table.register.landingCount > 0)
            guard isLanding else { return nil }
            let latch = Latch<Void>()
            table.held.append(latch)
            return latch
        }
    }
}
