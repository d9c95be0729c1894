import Dispatch
import Foundation
import Locks
import Platform
public import Synchronization

/// Measures beside an app's cache what a larger one, or another policy, would be worth on the app's own traffic.
///
/// ```swift
/// let meter = CacheMeter<URL>(capacity: .bytes(64 << 20))
/// meter.noteLookup(url, cost: image.byteCount)
/// print(meter.report())
/// ```
///
/// It samples keys by their hash, and runs miniature caches of five policies and eight sizes over the requests for the
/// sampled keys (Waldspurger et al., ATC 2017). The sample is so small that the cache of the given capacity has at most
/// 512 entries in it; a smaller cache is metered exactly. The report has the error of every number.
///
/// - A lookup of a key that is not sampled hashes the key, compares, and adds 1 to a count of the thread. It takes no lock
///   and allocates nothing. A sampled one, and any one of 256, goes into a ring of the thread, also without a lock.
/// - A queue of low priority digests the rings, and takes at most a tenth of one core. When rings are full meanwhile, the
///   requests until the next time are not metered; ``MeterReport/seenShare`` says how many were.
/// - It takes about 3 MB, however many keys there are, and 10 KiB for each thread that uses it.
/// - It does not know of removals, lifetimes and failed loads. A miniature drops entries only to make room.
public final class CacheMeter<Key: Hashable & Sendable>: Sendable {
    @usableFromInline
    let digester: MeterDigester
    /// What every lookup reads. It is copied from the digester, because a lookup that followed a reference would count it, and
    /// threads would wait for that count.
    @usableFromInline
    let shared: MeterShared

    /// Begins to meter.
    ///
    /// - Parameter capacity: that of the app's cache. Values below 1 count as 1.
    public convenience init(capacity: MeterCapacity) { self.init(capacity: capacity, costShare: 0.1) }

    /// - Parameter costShare: the share of a core that digesting takes at most; 1 for no limit.
    package init(capacity: MeterCapacity, costShare: Double) {
        digester = MeterDigester(capacity: capacity, costShare: costShare)
        shared = digester.cells.shared
    }

    /// Notes a lookup after which the cache holds the value: a hit, or a miss that was loaded and inserted.
    ///
    /// `cost` is what the value counts towards a capacity in bytes; a capacity in entries ignores it.
    @inlinable
    public func noteLookup(_ key: Key, cost: Int = 1) {
        note(key, cost: cost, .lookup)
    }

    /// Notes a lookup that missed and inserted nothing. An insert that follows fills the cache.
    @inlinable
    public func noteMiss(_ key: Key) {
        note(key, cost: 0, .miss)
    }

    /// Notes an insert that belongs to no lookup, or to a lookup that missed.
    @inlinable
    public func noteInsert(_ key: Key, cost: Int = 1) {
        let hash = StableHash.word(StableHash.of(key))
        guard hash <= shared.lastHash, let cell = shared.ownCell else { return }
        digester.add(hash, cost, .insert, to: cell)
    }

    @inlinable
    @inline(__always)
    func note(_ key: Key, cost: Int, _ kind: MeterEvent.Kind) {
        let hash = StableHash.word(StableHash.of(key))
        guard let cell = shared.ownCell else { return }
        if hash <= shared.lastHash { digester.add(hash, cost, kind, to: cell) }
        let count = cell.pointee.lookups.load(ordering: .relaxed)
        if count % MeterProbes.interval == 0 { digester.add(hash, 0, .probe, to: cell) }
        cell.pointee.lookups.store(count &+ 1, ordering: .releasing)
    }

    /// What was metered until now. Digests what is in the rings; the calling thread blocks meanwhile, for a millisecond
    /// or so.
    public func report() -> MeterReport { digester.report() }

    /// Digests what is in the rings, so that tests lose nothing.
    package func digest() { digester.digest() }
}

/// A cache whose requests are metered.
public typealias Metered<Wrapped: CacheStrategy> = ObservedCache<Wrapped, CacheMeter<Wrapped.Key>>

extension CacheMeter: CacheObserver {
    /// `metered`.
    public static var namePrefix: String { "metered" }
    /// Meters what other sizes and policies would be worth.
    public static var purpose: String { "meters what other sizes and policies would be worth" }

    /// A meter of the cost limit, or of the entry limit where there is none. Without a limit it is that of 1,000 entries.
    public static func make(for configuration: inout StrategyConfiguration) -> CacheMeter {
        if let cost = configuration.costLimit { return CacheMeter(capacity: .bytes(cost)) }
        return CacheMeter(capacity: .entries(configuration.entryLimit ?? 1000))
    }

    /// Does nothing: a meter does not know of removals.
    @inlinable
    public func noteRemoval(_ key: Key) {}

    /// Does nothing; ``report()`` still works.
    public func close() {}
}

/// The part of a meter that is the same for all keys.
@usableFromInline
final class MeterDigester: Sendable {
    @usableFromInline
    let cells = MeterCells()
    private let isAsked = Atomic<Bool>(false)
    private let state: Locked<MeterState>
    private let queue = DispatchQueue(label: "cache-trials.meter", qos: .utility)
    private let costShare: Double
    private let started = Nanoclock.now()

    init(capacity: MeterCapacity, costShare: Double) {
        let state = MeterState(capacity: capacity)
        cells.shared.setLastHash(state.lastHash)
        self.state = Locked(state)
        self.costShare = costShare
    }

    /// Adds a request to the calling thread's ring. When that is half full, the queue is asked to digest.
    @usableFromInline
    @inline(never)
    func add(_ hash: UInt64, _ cost: Int, _ kind: MeterEvent.Kind, to cell: UnsafeMutablePointer<MeterCell>) {
        let isHalfFull = cell.pointee.add(hash: hash, nanoseconds: Nanoclock.now(), cost: cost, kind: kind)
        guard isHalfFull, !isAsked.exchange(true, ordering: .relaxed) else { return }
        queue.async { [weak self] in self?.digestAndPause() }
    }

    /// Digests, and is not asked again before it has paused for so long that it takes its share of a core.
    private func digestAndPause() {
        let start = ProcessClock.ofThread()
        digest()
        let cost = Double(ProcessClock.ofThread() &- start)
        let pause = Int(cost * (1 / costShare - 1))
        queue.asyncAfter(deadline: .now() + .nanoseconds(pause)) { [weak self] in
            guard let self else { return }
            isAsked.store(false, ordering: .relaxed)
            // A ring that was filled meanwhile asks no more.
            if cells.areHalfFull, !isAsked.exchange(true, ordering: .relaxed) { digestAndPause() }
        }
    }

    func digest() {
        state.withLock { state in
            state.digest(cells)
            cells.shared.setLastHash(state.lastHash)
        }
    }

    func report() -> MeterReport {
        digest()
        let now = Nanoclock.now()
        let all = cells.lookupCount
        return state.withLock { state in
            state.addToHistory()
            return MeterReport(state, lookups: all, from: started, to: now)
        }
    }
}
