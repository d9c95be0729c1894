public import EvictionPolicies

/// The state of a cache with an eviction policy, for one thread at a time: the policy decides, the directory stores.
@usableFromInline
struct PolicyStore<Key: Hashable & Sendable, Value: Sendable, Policy: LivePolicy & ~Copyable>: ~Copyable {
    @usableFromInline
    typealias Dropped = PolicyDropped<Key, Value>

    @usableFromInline
    var directory: PolicyDirectory<Key, Value>
    @usableFromInline
    var policy: Policy
    @usableFromInline
    var loads = LoadRegister<Key>()
    @usableFromInline
    let scale: PolicyScale

    /// An empty store; `nil` means no limit, and a negative limit counts as 0.
    @inlinable
    init(entryLimit: Int?, costLimit: Int?) {
        self.init(
            scale: PolicyScale(
                entryLimit: entryLimit, costLimit: costLimit, dividesCapacity: Policy.dividesCapacity))
    }

    @inlinable
    init(scale: PolicyScale) {
        self.scale = scale
        directory = PolicyDirectory(capacity: Policy.dividesCapacity ? 8 : min(8, scale.mostEntries))
        policy = Policy.live(capacity: scale.capacity)
        policy.reserve(directory.capacity)
    }

    @inlinable
    deinit { directory.destroy() }

    /// The value of a key; counts as a use. O(1).
    @inlinable
    @inline(__always)
    mutating func value(forKey key: Key, tag: UInt32) -> Value? {
        let node = directory.node(of: key, tag: tag)
        if node == 0 { return nil }
        if Policy.dividesCapacity {
            // A key that is only remembered is found as well; the policy then says that it isn't held.
            if !policy.lookup(node &- 1) { return nil }
        } else {
            policy.useResident(node &- 1)
        }
        return directory.slots[Int(node) &- 1].value
    }

    /// Inserts or replaces. O(1), amortised.
    ///
    /// - Parameter cost: not negative.
    @inlinable
    @inline(__always)
    mutating func insert(
        _ value: consuming Value, forKey key: Key, tag: UInt32, fingerprint: UInt64, cost: Int,
        dropping dropped: inout Dropped
    ) {
        let node = directory.node(of: key, tag: tag)
        if Policy.dividesCapacity {
            insertByWeight(value, forKey: key, node, tag, fingerprint, cost, &dropped)
        } else if cost > scale.costLimit || scale.mostEntries == 0 {
            if node != 0 { remove(node, &dropped) }
        } else if node != 0 {
            directory.exchange(value, cost: cost, in: node, &dropped)
            policy.useResident(node &- 1)
            // Both were within the limit, so their sum is within 64 bits.
            while directory.totalCost.low > UInt64(truncatingIfNeeded: scale.costLimit) { evictNext(&dropped) }
        } else {
            let room = UInt64(truncatingIfNeeded: scale.costLimit &- cost)
            while directory.count >= scale.mostEntries || directory.totalCost.low > room { evictNext(&dropped) }
            let added = add(key, tag: tag)
            directory.hold(value, cost: cost, in: added)
            var sink = NoEvictionSink()
            _ = policy.admit(added &- 1, charge: 1, &sink)
        }
    }

    /// Inserts with a policy that keeps the limits itself, by weights.
    @inlinable
    mutating func insertByWeight(
        _ value: consuming Value, forKey key: Key, _ present: UInt32, _ tag: UInt32, _ fingerprint: UInt64,
        _ cost: Int, _ dropped: inout Dropped
    ) {
        var node = present
        guard let weight = scale.weight(of: cost) else {
            if node != 0 { remove(node, &dropped) }
            return
        }
        if node == 0 {
            node = add(key, tag: tag)
            if Policy.needsFingerprints { policy.identify(node &- 1, by: fingerprint) }
        }
        if directory.slot(of: node).pointee.state == .held {
            directory.exchange(value, cost: cost, in: node, &dropped)
        } else {
            directory.hold(value, cost: cost, in: node)
        }
        var departures = Departures()
        let isHeld = policy.insert(node &- 1, weight: weight, &departures)
        directory.apply(departures, &dropped)
        // Whether or not the policy reported that it refused the new entry.
        if !isHeld { directory.dropValue(of: node, &dropped) }
    }

    /// Assigns a number to a key that has none. O(1), amortised.
    @inlinable
    @inline(__always)
    mutating func add(_ key: Key, tag: UInt32) -> UInt32 {
        if directory.isFull { grow() }
        return directory.add(key, tag: tag)
    }

    /// Doubles the capacity, up to the limit if the policy remembers nothing of evicted entries. O(n).
    @inlinable
    @inline(never)
    mutating func grow() {
        let larger = directory.capacity * 2
        directory.grow(to: Policy.dividesCapacity ? larger : min(larger, scale.mostEntries))
        policy.reserve(directory.capacity)
    }

    /// Evicts the next entry in the order of a policy that remembers nothing.
    @inlinable
    @inline(__always)
    mutating func evictNext(_ dropped: inout Dropped) {
        var victim = Victim()
        policy.evictNext(&victim)
        directory.releaseHeld(victim.node, &dropped)
        directory.evictions &+= 1
    }

    @inlinable
    mutating func removeValue(forKey key: Key, tag: UInt32, dropping dropped: inout Dropped) {
        let node = directory.node(of: key, tag: tag)
        if node != 0 { remove(node, &dropped) }
    }

    /// Removes a node and everything that the policy knows of it.
    @inlinable
    mutating func remove(_ node: UInt32, _ dropped: inout Dropped) {
        var departures = Departures()
        policy.remove(node &- 1, &departures)
        directory.apply(departures, &dropped)
        directory.release(node, &dropped)
    }

    /// Exchanges all entries for those of an empty store.
    @inlinable
    mutating func exchangeContents(with empty: inout PolicyStore) {
        swap(&directory, &empty.directory)
        swap(&policy, &empty.policy)
        directory.evictions = empty.directory.evictions
        loads.noteRemovalOfAll()
    }

    /// What is held, and the evictions so far.
    var statistics: CacheStatistics {
        CacheStatistics(
            entryCount: directory.count, totalCost: Int(clamping: directory.totalCost.total),
            evictions: directory.evictions, loadsInFlight: loads.count)
    }
}

/// Receives the one entry that a policy evicts at once.
@usableFromInline
struct Victim: EvictionSink {
    @usableFromInline
    var node: UInt32 = 0

    @inlinable
    init() {}

    @inlinable
    @inline(__always)
    package mutating func evicted(_ object: ObjectID) { node = object &+ 1 }

    @inlinable
    @inline(__always)
    package mutating func forgotten(_ object: ObjectID) {}
}
