public import EvictionPolicies

/// The decoded level in front of the files: values in memory, by key, each under the slot of its entry. Plain state,
/// without a lock.
///
/// A lookup is inlined into the module that names the types of keys and values, so that it is compiled for them.
/// Everything else is compiled once for all types.
@usableFromInline
struct DiskMemory<Key: CacheableKey, Value: CacheableValue>: ~Copyable {
    @usableFromInline
    struct Held {
        let key: Key
        @usableFromInline
        let value: Value
        let cost: Int
    }

    @usableFromInline
    var slots: [Key: Int] = [:]
    /// The values by slot.
    @usableFromInline
    var held: [Held?] = []
    /// The slots in the order of their last use.
    @usableFromInline
    var order = LiveLRU(capacity: .entries(.max))
    private(set) var cost = 0

    var count: Int { slots.count }

    /// The value under a slot. Doesn't count as a use.
    subscript(slot: Int) -> Held? { slot < held.count ? held[slot] : nil }

    /// Holds a value, and drops the least recently used ones beyond the limits.
    ///
    /// A value that alone exceeds the memory limit stays on disk only.
    ///
    /// - Returns: the dropped values, so that the caller releases them outside the lock.
    mutating func keep(_ value: Value, forKey key: Key, cost: Int, slot: Int, within limits: DiskLimits) -> [Value] {
        var released: [Value] = []
        if let old = drop(slot: slot) { released.append(old) }
        guard cost <= limits.memoryCost, limits.memoryEntries > 0 else { return released }
        while count >= limits.memoryEntries || self.cost > limits.memoryCost - cost, let old = dropOldest() {
            released.append(old)
        }
        if slot >= held.count { held.append(contentsOf: repeatElement(nil, count: slot + 1 - held.count)) }
        held[slot] = Held(key: key, value: value, cost: cost)
        slots[key] = slot
        _ = order.insert(ObjectID(slot), weight: 1)
        self.cost += cost
        return released
    }

    /// Drops the value under a slot, if there is one.
    mutating func drop(slot: Int) -> Value? {
        guard let old = self[slot] else { return nil }
        held[slot] = nil
        slots[old.key] = nil
        order.remove(ObjectID(slot))
        cost -= old.cost
        return old.value
    }

    /// Drops the least recently used value, if there is one.
    mutating func dropOldest() -> Value? { order.oldest.flatMap { drop(slot: Int($0)) } }

    /// Faults, one line each; empty when there are none. O(n).
    func checkInvariants(_ limits: DiskLimits, _ index: borrowing DiskEntryIndex) -> [String] {
        var broken: [String] = []
        func check(_ isTrue: Bool, _ message: @autoclosure () -> String) {
            if !isTrue { broken.append(message()) }
        }
        let inMemory = held.indices.filter { held[$0] != nil }
        check(Set(order.objectsByRecency.map { Int($0) }) == Set(inMemory), "memory's order holds other slots")
        check(Set(slots.values) == Set(inMemory), "memory's table holds other slots")
        check(held.reduce(0) { $0 + ($1?.cost ?? 0) } == cost, "memory's cost \(cost) isn't the sum")
        check(count <= limits.memoryEntries, "\(count) in memory, limit \(limits.memoryEntries)")
        check(cost <= limits.memoryCost, "memory's cost \(cost), limit \(limits.memoryCost)")
        let entries = inMemory.map { index.entries[$0] }
        check(!entries.contains { $0?.isHidden != false }, "a value in memory has no entry, or a hidden one")
        return broken
    }
}
