public import CacheStrategies
public import EvictionPolicies

/// A value in memory.
@usableFromInline
final class HeldValue<Key: CacheableKey, Value: CacheableValue>: Sendable {
    let key: Key
    @usableFromInline
    let value: Value
    let cost: Int
    /// The slot of the key's entry.
    @usableFromInline
    let slot: Int

    init(_ value: Value, forKey key: Key, cost: Int, slot: Int) {
        self.key = key
        self.value = value
        self.cost = cost
        self.slot = slot
    }
}

/// The decoded level in front of the files: values in memory, by key and by the slot of their entry. Plain state,
/// without a lock.
///
/// A lookup by key is inlined into the module that names the types of keys and values, so that it is compiled for them.
/// Everything else is compiled once for all types, which takes fewer instructions with objects than with values.
@usableFromInline
struct DiskMemory<Key: CacheableKey, Value: CacheableValue>: ~Copyable {
    @usableFromInline
    var table: [Key: HeldValue<Key, Value>] = [:]
    /// The objects of `table` by slot.
    private var held: [AnyObject?] = []
    /// The slots in the order of their last use.
    @usableFromInline
    var order = LiveLRU(capacity: .entries(.max))
    private(set) var cost = 0

    var count: Int { table.count }

    /// Whether there is a value under a slot.
    func holds(slot: Int) -> Bool { slot < held.count && held[slot] != nil }

    /// The value under a slot. Doesn't count as a use.
    subscript(slot: Int) -> HeldValue<Key, Value>? {
        guard slot < held.count, let object = held[slot] else { return nil }
        return unsafeDowncast(object, to: HeldValue<Key, Value>.self)
    }

    /// Holds a value, and drops the least recently used ones beyond the limits.
    ///
    /// A value that alone exceeds the memory limit stays on disk only.
    ///
    /// - Parameter released: gets what was dropped, so that the caller releases it outside the lock.
    mutating func keep(
        _ value: Value, forKey key: Key, cost: Int, slot: Int, within limits: DiskLimits, _ released: inout [AnyObject]
    ) {
        drop(slot: slot, &released)
        guard cost <= limits.memoryCost, limits.memoryEntries > 0 else { return }
        while count >= limits.memoryEntries || self.cost > limits.memoryCost - cost { dropOldest(&released) }
        if slot >= held.count { held.append(contentsOf: repeatElement(nil, count: slot + 1 - held.count)) }
        let new = HeldValue(value, forKey: key, cost: cost, slot: slot)
        held[slot] = new
        table[key] = new
        _ = order.insert(ObjectID(slot), weight: 1)
        self.cost += cost
    }

    /// Drops the value under a slot, if there is one.
    mutating func drop(slot: Int, _ released: inout [AnyObject]) {
        guard let old = self[slot] else { return }
        held[slot] = nil
        table[old.key] = nil
        order.remove(ObjectID(slot))
        cost -= old.cost
        released.append(old)
    }

    /// Drops the least recently used value, if there is one.
    mutating func dropOldest(_ released: inout [AnyObject]) {
        if let oldest = order.oldest { drop(slot: Int(oldest), &released) }
    }

    /// Faults, one line each; empty when there are none. O(n).
    func checkInvariants(_ limits: DiskLimits, _ index: borrowing DiskEntryIndex) -> [String] {
        var broken: [String] = []
        func check(_ isTrue: Bool, _ message: @autoclosure () -> String) {
            if !isTrue { broken.append(message()) }
        }
        let inMemory = Set(table.values.map(\.slot))
        check(Set(order.objectsByRecency.map { Int($0) }) == inMemory, "memory's order holds other slots")
        check(Set(held.indices.filter { held[$0] != nil }) == inMemory, "memory's table holds other slots")
        check(table.allSatisfy { self[$1.slot] === $1 && $1.key == $0 }, "a value in memory is under another slot")
        check(table.values.reduce(0) { $0 + $1.cost } == cost, "memory's cost \(cost) isn't the sum")
        check(count <= limits.memoryEntries, "\(count) in memory, limit \(limits.memoryEntries)")
        check(cost <= limits.memoryCost, "memory's cost \(cost), limit \(limits.memoryCost)")
        let entries = inMemory.map { index[$0] }
        check(!entries.contains { $0?.isHidden != false }, "a value in memory has no entry, or a hidden one")
        return broken
    }
}
