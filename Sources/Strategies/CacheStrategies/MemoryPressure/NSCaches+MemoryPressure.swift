import Dispatch
import Foundation
import Locks

// An `NSCache` can't list its entries, so it is either emptied or left alone. It releases values inside its own lock.

extension BarrierNSCache: RespondsToMemoryPressure, ReleasesInsideLock {
    /// Every level except `normal` removes all entries, in a barrier block that the caller waits for. O(n).
    public func respond(to pressure: MemoryPressure) {
        guard pressure != .normal else { return }
        queue.readAlone { cache.giveBackAll() }
    }
}

extension ActorCache: RespondsToMemoryPressure, ReleasesInsideLock {
    /// Every level except `normal` removes all entries. Loads in flight stay in their table, and callers join them.
    /// O(n).
    public func respond(to pressure: MemoryPressure) {
        guard pressure != .normal else { return }
        store.giveBackAll()
    }
}

extension DualCache: RespondsToMemoryPressure, ReleasesInsideLock {
    /// A warning and background empty the decoded level, which can be filled again from the encoded one; critical
    /// pressure empties both. O(n).
    public func respond(to pressure: MemoryPressure) {
        guard pressure != .normal else { return }
        guardian.withLock {
            levels.decoded.giveBackAll()
            if pressure == .critical { levels.encoded.giveBackAll() }
        }
    }
}

// The published designs leave memory pressure to their `NSCache`, which Apple's systems notify. Foundation for Linux
// doesn't notify it, so nothing is released here.

extension PublishedBarrierNSCache: RespondsToMemoryPressure {
    /// Does nothing: the design leaves it to its `NSCache`, which Foundation for Linux doesn't notify.
    public func respond(to pressure: MemoryPressure) {}
}

extension PublishedExpiringCache: RespondsToMemoryPressure {
    /// Does nothing: the design leaves it to its `NSCache`, which Foundation for Linux doesn't notify.
    public func respond(to pressure: MemoryPressure) {}
}

extension PublishedActorCache: RespondsToMemoryPressure {
    /// Does nothing: the design leaves it to its `NSCache`, which Foundation for Linux doesn't notify.
    public nonisolated func respond(to pressure: MemoryPressure) {}
}

extension PublishedDualCache: RespondsToMemoryPressure {
    /// Does nothing: the design leaves it to its two `NSCache`s, which Foundation for Linux doesn't notify.
    public func respond(to pressure: MemoryPressure) {}
}

// Shared loads.

extension SharingLoads: RespondsToMemoryPressure where Base: RespondsToMemoryPressure {
    /// The response of the wrapped strategy. Loads in flight continue and callers join them.
    public func respond(to pressure: MemoryPressure) async { await base.respond(to: pressure) }
}

extension SharingLoads: ReleasesInsideLock where Base: ReleasesInsideLock {}
