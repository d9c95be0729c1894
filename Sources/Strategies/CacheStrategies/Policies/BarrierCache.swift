public import Dispatch
import EvictionPolicies
public import Synchronization

/// An eviction policy behind a concurrent dispatch queue: readers run in parallel, a writer runs alone.
///
/// - A read is a synchronous block, a write an asynchronous barrier block, as in ``BarrierNSCache``. The queue is first
///   in, first out: a read that starts after a write has returned sees it.
/// - A hit whose use changes the policy's order, which is every hit of LRU but that of the newest entry, reads together
///   with others and queues its promotion as a barrier. Promotions of two hits may take effect in another order than
///   the hits, so the order is not quite that of `lru`. A hit of FIFO changes nothing: that is the fair pair.
/// - Loads are not shared. A load is a lookup and, later, an insert: it replaces what others inserted while it was
///   fetching.
/// - Both limits hold at every moment. What a write drops is released in the queue.
@usableFromInline
package final class BarrierCache<Key: Hashable & Sendable, Value: CacheableValue, Policy: LivePolicy & ~Copyable>:
    SynchronousCacheStrategy, @unchecked Sendable
{
    // Sound although unchecked: the memory behind `store` is changed only in barrier blocks and read only in blocks of
    // the queue, or by the only owner in `deinit`, when no block is left that refers to it.
    @usableFromInline
    typealias Store = PolicyStore<Key, Value, Policy>

    @usableFromInline
    let queue = BarrierQueue(label: "barrier-\(Policy.declaration.name)")
    @usableFromInline
    let store: UnsafeMutablePointer<Store>
    @usableFromInline
    let hasher = KeyHasher()

    @usableFromInline
    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "barrier-\(Policy.declaration.name)",
            summary:
                "\(Policy.declaration.summary); behind a concurrent queue: synchronous reads, asynchronous barrier "
                + "writes",
            bounds: [.entries, .cost],
            promises: Promises(
                admission: Policy.admission, limitRules: LimitRules(zero: .holdsNothing), evictsOnlyWhenFull: true),
            worksInBackground: true, usesAtomics: true)
    }

    /// An empty cache with the configuration's limits.
    @inlinable
    package init(configuration: StrategyConfiguration) {
        store = .allocate(capacity: 1)
        store.initialize(to: Store(entryLimit: configuration.entryLimit, costLimit: configuration.costLimit))
    }

    @inlinable
    deinit {
        // Not `deinitialize(count:)`, as in ``StoreShard/destroy()``.
        _ = store.move()
        store.deallocate()
    }

    @inlinable
    package func value(forKey key: Key) -> Value? {
        let tag = hasher.tag(of: key)
        let (value, isSettled): (Value?, Bool) = queue.read {
            let node = store.pointee.entries.node(of: key, tag: tag)
            if node == 0 { return (nil, true) }
            let slot = store.pointee.entries.slot(of: node)
            return (slot.pointee.value, store.pointee.policy.isUnchangedByUse(node &- 1))
        }
        if !isSettled { queue.write { [self] in _ = store.pointee.value(forKey: key, tag: tag) } }
        return value
    }

    @inlinable
    package func insert(_ value: Value, forKey key: Key, cost: Int) {
        let tag = hasher.tag(of: key)
        queue.write { [self] in
            var dropped = Store.Dropped()
            store.pointee.insert(value, forKey: key, tag: tag, cost: max(cost, 0), dropping: &dropped)
        }
    }

    @inlinable
    package func removeValue(forKey key: Key) {
        let tag = hasher.tag(of: key)
        queue.write { [self] in
            var dropped = Store.Dropped()
            store.pointee.removeValue(forKey: key, tag: tag, dropping: &dropped)
        }
    }

    @inlinable
    package func removeAll() {
        queue.write { [self] in
            var empty = Store(scale: store.pointee.scale)
            store.pointee.exchangeContents(with: &empty, areEvicted: false)
        }
    }

    @inlinable
    package func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadUnshared(key, fetch: fetch)
    }

    /// Waits for pending writes, then reports what is held.
    @usableFromInline
    package func statistics() -> CacheStatistics { queue.readAlone { store.pointee.statistics } }

    /// Waits for pending writes.
    @usableFromInline
    package func close() { queue.readAlone {} }
}

extension BarrierCache: RespondsToMemoryPressure, ReleasesInsideLock where Policy: ~Copyable {
    /// A warning evicts half, in the policy's order; background evicts three quarters, critical pressure all: in one
    /// barrier block that the caller waits for. O(n).
    @usableFromInline
    package func respond(to pressure: MemoryPressure) { queue.readAlone { store.pointee.respond(to: pressure) } }
}

/// A concurrent dispatch queue: reads run in parallel, a write runs alone.
@usableFromInline
package final class BarrierQueue: Sendable {
    @usableFromInline
    let queue: DispatchQueue
    @usableFromInline
    let pendingWrites = Atomic<Int>(0)

    /// The most writes that wait in the queue before a writer waits too. Otherwise writers that outrun the queue would
    /// pile up values without bound. Small enough that pending values take little memory beside the cache, large enough
    /// that bursts don't wait.
    @inlinable
    static var pendingWritesMax: Int { 64 }

    @inlinable
    init(label: String) { queue = DispatchQueue(label: label, attributes: .concurrent) }

    /// Waits for the blocks before it, and runs together with other reads.
    @inlinable
    @inline(__always)
    func read<Answer>(_ body: () -> Answer) -> Answer { queue.sync(execute: body) }

    /// Waits for the blocks before it, and runs alone.
    @inlinable
    func readAlone<Answer>(_ body: () -> Answer) -> Answer { queue.sync(flags: .barrier, execute: body) }

    /// Submits a block that runs alone, and waits for it when too many are pending.
    @inlinable
    func write(_ body: @escaping @Sendable () -> Void) {
        let pending = pendingWrites.wrappingAdd(1, ordering: .relaxed).newValue
        guard pending <= Self.pendingWritesMax else {
            queue.sync(flags: .barrier, execute: body)
            pendingWrites.wrappingSubtract(1, ordering: .relaxed)
            return
        }
        queue.async(flags: .barrier) { [self] in
            body()
            pendingWrites.wrappingSubtract(1, ordering: .relaxed)
        }
    }
}

/// LRU behind a concurrent queue.
package typealias BarrierLRUCache<Key: Hashable & Sendable, Value: CacheableValue> =
    BarrierCache<Key, Value, LiveLRU>
/// FIFO behind a concurrent queue.
package typealias BarrierFIFOCache<Key: Hashable & Sendable, Value: CacheableValue> =
    BarrierCache<Key, Value, LiveFIFO>
