public import EvictionPolicies

/// The entries of a cache with an eviction policy, for one caller at a time: the policy decides, and knows the entries by
/// their numbers.
@usableFromInline
struct PolicyStore<Key: Hashable & Sendable, Value: Sendable, Policy: LivePolicy & ~Copyable>: ShardStore, ~Copyable {
    @usableFromInline
    typealias Dropped = DroppedEntries<Key, Value>

    @usableFromInline
    var entries: StoredEntries<Key, Value>
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
        entries = StoredEntries(capacity: Policy.dividesCapacity ? 8 : min(8, scale.mostEntries))
        policy = Policy.live(capacity: scale.capacity)
        policy.reserve(entries.capacity)
    }

    @inlinable
    init(entryLimit: Int?, costLimit: Int?, head: UnsafeMutableRawPointer) {
        self.init(entryLimit: entryLimit, costLimit: costLimit)
    }

    @inlinable
    init(scale: PolicyScale, head: UnsafeMutableRawPointer) { self.init(scale: scale) }

    @inlinable
    @inline(never)
    static func end(_ store: consuming Self) { _ = consume store }

    @inlinable
    deinit { entries.destroy() }

    /// Evicts at once as much as a level of pressure requires. O(n).
    mutating func respond(to pressure: MemoryPressure) {
        guard let divisor = pressure.divisor else { return }
        if divisor == 0 {
            var empty = PolicyStore(scale: scale)
            return exchangeContents(with: &empty, areEvicted: true)
        }
        var dropped = Dropped()
        let (left, cost) = (count / divisor, totalCost.total / UInt128(divisor))
        while !shrink(to: left, cost, &dropped) {}
    }

    @inlinable
    var count: Int { entries.count }

    @inlinable
    var totalCost: CostSum { entries.totalCost }

    @inlinable
    var evictions: UInt64 { entries.evictions }

    @inlinable
    @inline(__always)
    func valueWithoutChange(forKey key: Key, tag: UInt32) -> Value?? {
        let node = entries.node(of: key, tag: tag)
        if node == 0 { return .some(nil) }
        guard policy.isUnchangedByUse(node &- 1) else { return nil }
        return .some(entries.slot(of: node).pointee.value)
    }

    @inlinable
    @inline(__always)
    mutating func value(forKey key: Key, tag: UInt32) -> Value? {
        let node = entries.node(of: key, tag: tag)
        if node == 0 { return nil }
        if Policy.dividesCapacity {
            // A key that is only remembered is found as well; the policy then says that it isn't held.
            if !policy.lookup(node &- 1) { return nil }
        } else {
            policy.useResident(node &- 1)
        }
        return entries.slots[Int(node) &- 1].value
    }

    @inlinable
    @inline(__always)
    mutating func insert(
        _ value: consuming Value, forKey key: Key, tag: UInt32, cost: Int,
        dropping dropped: inout Dropped
    ) {
        let node = entries.node(of: key, tag: tag)
        if Policy.dividesCapacity {
            insertByWeight(value, forKey: key, node, tag, cost, &dropped)
        } else if cost > scale.costLimit || scale.mostEntries == 0 {
            if node != 0 { remove(node, &dropped) }
        } else if node != 0 {
            entries.exchange(value, cost: cost, in: node, &dropped)
            policy.useResident(node &- 1)
            // Both were within the limit, so their sum is within 64 bits.
            while entries.totalCost.low > UInt64(truncatingIfNeeded: scale.costLimit) { evictNext(&dropped) }
        } else {
            let room = UInt64(truncatingIfNeeded: scale.costLimit &- cost)
            while entries.count >= scale.mostEntries || entries.totalCost.low > room { evictNext(&dropped) }
            let added = add(key, tag: tag)
            entries.hold(value, cost: cost, in: added)
            var sink = NoEvictionSink()
            _ = policy.admit(added &- 1, charge: 1, &sink)
        }
    }

    /// Inserts with a policy that keeps the limits itself, by weights.
    @inlinable
    mutating func insertByWeight(
        _ value: consuming Value, forKey key: Key, _ present: UInt32, _ tag: UInt32, _ cost: Int,
        _ dropped: inout Dropped
    ) {
        var node = present
        guard let weight = scale.weight(of: cost) else {
            if node != 0 { remove(node, &dropped) }
            return
        }
        if node == 0 {
            node = add(key, tag: tag)
            if Policy.needsFingerprints { policy.identify(node &- 1, by: tag) }
        }
        if entries.slot(of: node).pointee.state == .held {
            entries.exchange(value, cost: cost, in: node, &dropped)
        } else {
            entries.hold(value, cost: cost, in: node)
        }
        var departures = Departures()
        let isHeld = policy.insert(node &- 1, weight: UInt64(weight), &departures)
        entries.apply(departures, &dropped)
        // Whether or not the policy reported that it refused the new entry.
        if !isHeld { entries.dropValue(of: node, &dropped) }
    }

    /// Assigns a number to a key that has none. O(1), amortised.
    @inlinable
    @inline(__always)
    mutating func add(_ key: Key, tag: UInt32) -> UInt32 {
        if entries.isFull { grow() }
        return entries.add(key, tag: tag)
    }

    /// Doubles the capacity, up to the limit if the policy remembers nothing of evicted entries. O(n).
    @inlinable
    @inline(never)
    mutating func grow() {
        let larger = entries.capacity * 2
        entries.grow(to: Policy.dividesCapacity ? larger : min(larger, scale.mostEntries))
        policy.reserve(entries.capacity)
    }

    /// Evicts the next entry in the order of a policy that remembers nothing.
    @inlinable
    @inline(__always)
    mutating func evictNext(_ dropped: inout Dropped) {
        var victim = Victim()
        policy.evictNext(&victim)
        entries.releaseHeld(victim.node, &dropped)
        entries.evictions &+= 1
    }

    @inlinable
    mutating func removeValue(forKey key: Key, tag: UInt32, dropping dropped: inout Dropped) {
        let node = entries.node(of: key, tag: tag)
        if node != 0 { remove(node, &dropped) }
    }

    /// Removes a node and everything that the policy knows of it.
    @inlinable
    mutating func remove(_ node: UInt32, _ dropped: inout Dropped) {
        var departures = Departures()
        policy.remove(node &- 1, &departures)
        entries.apply(departures, &dropped)
        entries.release(node, &dropped)
    }

    @inlinable
    mutating func exchangeContents(with empty: inout Self, areEvicted: Bool = false) {
        swap(&entries, &empty.entries)
        swap(&policy, &empty.policy)
        entries.evictions = empty.evictions &+ (areEvicted ? UInt64(empty.count) : 0)
        if !areEvicted { loads.noteRemovalOfAll() }
    }

    @usableFromInline
    mutating func giveBackNext(_ dropped: inout Dropped) {
        var departures = Departures()
        policy.giveBackNext(&departures)
        entries.apply(departures, &dropped)
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
