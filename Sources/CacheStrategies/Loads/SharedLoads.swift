public import Locks
public import Synchronization

/// Loads that callers share: those who miss a key together make one fetch.
///
/// It holds no values and stands in front of any cache, which it is told how to ask and how to fill:
///
/// ```swift
/// let cache = LRUCache<URL, Picture>(entryLimit: 1000)
/// let loads = SharedLoads<URL, Picture>()
///
/// let picture = try await loads.load(url) {
///     cache.value(forKey: url)
/// } insert: {
///     cache.insert($0, forKey: url)
/// } fetch: {
///     try await download(url)
/// }.value
///
/// await loads.write(url) { cache.removeValue(forKey: url) }
/// ```
///
/// ``SharingLoads`` does this to a ``CacheStrategy``.
///
/// - The first caller gets ``LoadOutcome/loaded``, the others ``LoadOutcome/joined``, and all get its error when it fails.
///   A failed load is not inserted.
/// - A caller that is cancelled leaves at once with `CancellationError`, and the load goes on for the others. When the last
///   one leaves, the load is cancelled; who asks then starts a new one and does not wait for the cancelled one.
/// - A value written or a key removed while it is being loaded counts more than the load: those who wait get what was
///   fetched for them, but it is not inserted, and who asks from then on does not join that load. A removal of all
///   reaches all loads in flight. For this, every write goes through `write` and `removeAll`.
/// - Threads and tasks may share a load. A thread fetches itself. When its fetch ends with `CancellationError`, because the
///   thread has given up, those who waited for it begin anew and share a fetch of one of them.
///
/// **Why no caller gets what was fetched before its own write.** A write is entered before the cache is changed and until
/// after it. Both moments overtake the loads that have begun by then: the first those that fetched before the write, the
/// second those that began while it was in flight and may have fetched before it took effect. An overtaken load is not
/// joined. So whoever asks after its write has returned can only join a load that began after that write.
///
/// **Why no load undoes a write.** A load inserts only if its key was not written since it began and no write of the key
/// is in flight, and it says so, in one step, before it inserts. A write that finds a load inserting waits for it, so that
/// it comes later. So the inserts of loads and the writes of a key never overlap, also in a cache that suspends. Writes
/// of a key may overlap each other, and reads pass by.
///
/// **Why there is no gap between looking and joining.** A load leaves the register after its value was inserted. A caller
/// that missed and then finds no load to join knows by a count whether any load has inserted since it looked; if so it
/// enters a load of its own, so that others can join, and looks once more before it fetches.
///
/// Its lock is held for O(1) at a time, and never while the cache is called. A hit takes no lock. A write costs two changes
/// of a hash table. Those who wait for a load are answered in time O(n log n), in the order in which they came. A value's `deinit` may use the cache, but
/// must not write the key whose load has just evicted the value: the write would wait for that load.
public final class SharedLoads<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// What a load fetches with.
    public typealias Fetch = @Sendable () async throws -> Value

    @usableFromInline
    let table = Locked(SharedLoadTable<Key, Value>())
    /// How many loads have inserted their values. Changed under the table's lock.
    @usableFromInline
    let landings = Atomic<UInt64>(0)

    /// A register without loads.
    @inlinable
    public init() {}

    /// The value of a key, which the cache holds, or which one caller fetches for all that ask for it meanwhile.
    ///
    /// The fetch runs in a task of its own, with the first caller's priority.
    ///
    /// - Parameters:
    ///   - key: whose value it is.
    ///   - find: asks the cache; its answer is a hit. Called a second time in rare cases.
    ///   - insert: puts what was fetched into the cache. Kept until the fetch has ended; capture the cache weakly where it
    ///     should not outlive its last user.
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
    @inlinable
    public func loadBlocking(
        _ key: Key, find: () -> Value?, insert: (Value) -> Void, fetch: () throws -> Value
    ) throws -> Loaded<Value> {
        let mark = mark
        if let value = find() { return Loaded(value, .hit) }
        return try loadMissedBlocking(key, since: mark, find: find, insert: insert, fetch: fetch)
    }

    /// Changes what the cache holds of a key: every insert, replacement and removal by someone else than a load.
    @inlinable
    public func write<Answer>(_ key: Key, _ body: () async throws -> Answer) async rethrows -> Answer {
        if !beginWrite(to: key) { await letLandSuspending(key) }
        defer { endWrite(to: key) }
        return try await body()
    }

    /// The same, blocking.
    @inlinable
    public func write<Answer>(_ key: Key, _ body: () throws -> Answer) rethrows -> Answer {
        if !beginWrite(to: key) { letLand(key) }
        defer { endWrite(to: key) }
        return try body()
    }

    /// Empties the cache.
    @inlinable
    public func removeAll<Answer>(_ body: () async throws -> Answer) async rethrows -> Answer {
        if !beginRemovalOfAll() { await letLandSuspending(nil) }
        defer { endRemovalOfAll() }
        return try await body()
    }

    /// The same, blocking.
    @inlinable
    public func removeAll<Answer>(_ body: () throws -> Answer) rethrows -> Answer {
        if !beginRemovalOfAll() { letLand(nil) }
        defer { endRemovalOfAll() }
        return try body()
    }

    /// How many loads are in flight, those included that are cancelled and have not ended.
    public var count: Int { table.withLock { $0.register.count } }

    /// Waits until the loads in flight have ended whose fetches are tasks.
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

    /// A removal of all that took effect in one step with this call.
    @inlinable
    package func noteRemovalOfAll() { table.withLock { $0.register.noteRemovalOfAll() } }

    /// Blocks while the load of a key, or of any for `nil`, inserts its value. Since the write is entered, no other load of
    /// the key begins to.
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
