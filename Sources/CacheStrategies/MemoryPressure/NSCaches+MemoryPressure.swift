import Dispatch
import Foundation

// An `NSCache` can't list what it holds, so that it is emptied or left alone. It lets go of values inside its own lock.

extension BarrierNSCache: RespondsToMemoryPressure, ReleasesInsideLock {
    /// Every level but the normal one takes all entries, in a barrier block that the caller waits for. O(n).
    public func respond(to pressure: MemoryPressure) {
        guard pressure != .normal else { return }
        queue.sync(flags: .barrier) { cache.giveBackAll() }
    }
}

extension ActorCache: RespondsToMemoryPressure, ReleasesInsideLock {
    /// Every level but the normal one takes all entries. Loads in flight stay in their table, and are joined. O(n).
    public func respond(to pressure: MemoryPressure) {
        guard pressure != .normal else { return }
        store.giveBackAll()
    }
}

extension DualCache: RespondsToMemoryPressure, ReleasesInsideLock {
    /// A warning and the background take the decoded level, which can be made again from the encoded one; critical pressure
    /// takes both. O(n).
    public func respond(to pressure: MemoryPressure) {
        guard pressure != .normal else { return }
        guardian.withLock {
            levels.decoded.giveBackAll()
            if pressure == .critical { levels.encoded.giveBackAll() }
        }
    }
}

// What the published designs do about memory pressure is to keep their values in an `NSCache`, which is told by Apple's
// systems. Foundation for Linux tells it nothing, so that nothing is given back here.

extension PublishedBarrierNSCache: RespondsToMemoryPressure {
    /// Nothing: the design leaves it to its `NSCache`, which Foundation for Linux tells nothing.
    public func respond(to pressure: MemoryPressure) {}
}

extension PublishedExpiringCache: RespondsToMemoryPressure {
    /// Nothing: the design leaves it to its `NSCache`, which Foundation for Linux tells nothing.
    public func respond(to pressure: MemoryPressure) {}
}

extension PublishedActorCache: RespondsToMemoryPressure {
    /// Nothing: the design leaves it to its `NSCache`, which Foundation for Linux tells nothing.
    public nonisolated func respond(to pressure: MemoryPressure) {}
}

extension PublishedDualCache: RespondsToMemoryPressure {
    /// Nothing: the design leaves it to its two `NSCache`s, which Foundation for Linux tells nothing.
    public func respond(to pressure: MemoryPressure) {}
}

// Shared loads.

extension SharingLoads: RespondsToMemoryPressure where Base: RespondsToMemoryPressure {
    /// That of the strategy it wraps. Loads in flight go on and are joined.
    public func respond(to pressure: MemoryPressure) async { await base.respond(to: pressure) }
}

extension SharingLoads: ReleasesInsideLock where Base: ReleasesInsideLock {}

extension RecordingStrategy: RespondsToMemoryPressure where Wrapped: RespondsToMemoryPressure {
    /// That of the strategy it wraps.
    public func respond(to pressure: MemoryPressure) async { await wrapped.respond(to: pressure) }
}
