public import EvictionPolicies

/// The state of a cache with an eviction policy, for one thread at a time: the policy decides, the directory holds.
@usableFromInline
struct PolicyStore<Key: Hashable & Sendable, Value: Sendable, Policy: LivePolicy & ~Copyable>: ~Copyable {
    @usableFromInline
    var directory = PolicyDirectory<Key, Value>()
    @usableFromInline
    var policy: Policy
    @usableFromInline
    var loads = LoadRegister<Key>()
    @usableFromInline
    let scale: PolicyScale

    @inlinable
    init(scale: PolicyScale) {
        self.scale = scale
        policy = Policy.live(capacity: scale.capacity)
    }

    @inlinable
    deinit { directory.destroy() }

    /// The value of a key, whose use is noted.
    @inlinable
    @inline(__always)
    mutating func value(forKey key: Key, tag: UInt32) -> Value? {
        let node = directory.node(of: key, tag: tag)
        // A key that is only remembered is found as well, and the policy says that it isn't held.
        guard node != 0, policy.lookup(node &- 1) else { return nil }
        return directory.slots[Int(node) &- 1].value
    }

    /// Inserts or replaces.
    ///
    /// - Parameter cost: not negative.
    @inlinable
    mutating func insert(_ value: Value, forKey key: Key, tag: UInt32, fingerprint: UInt64, cost: Int) {
        var node = directory.node(of: key, tag: tag)
        guard let weight = scale.weight(of: cost) else {
            if node != 0 { remove(node) }
            return
        }
        if node == 0 {
            node = directory.add(key, tag: tag)
            if Policy.needsFingerprints { policy.identify(node &- 1, by: fingerprint) }
        }
        directory.setValue(value, cost: cost, of: node)
        let isHeld = policy.insert(node &- 1, weight: weight, &directory)
        // Whether or not the policy told that it refused a new entry.
        if !isHeld { directory.dropValue(of: node) }
    }

    @inlinable
    mutating func removeValue(forKey key: Key, tag: UInt32) {
        let node = directory.node(of: key, tag: tag)
        if node != 0 { remove(node) }
    }

    /// Takes out a node and everything that the policy knows of it.
    @inlinable
    mutating func remove(_ node: UInt32) {
        policy.remove(node &- 1, &directory)
        directory.release(node)
    }

    /// Exchanges everything that is held for what an empty store holds.
    @inlinable
    mutating func exchangeContents(with empty: inout PolicyStore) {
        swap(&directory, &empty.directory)
        swap(&policy, &empty.policy)
        directory.evictions = empty.directory.evictions
        loads.noteRemovalOfAll()
    }

    /// What is held, and what was evicted.
    var statistics: CacheStatistics {
        CacheStatistics(
            entryCount: directory.count, totalCost: Int(clamping: directory.totalCost),
            evictions: directory.evictions, loadsUnderWay: loads.count)
    }
}

extension PolicyStore where Policy: ~Copyable {
    /// What is wrong inside, one line for each fault, naming the values; empty when all is well. O(n).
    func checkInvariants() -> [String] {
        var faults = checkSlots()
        do {
            try policy.checkInvariants()
        } catch {
            faults.append("\(error)")
        }
        if policy.count != directory.count {
            faults.append("the policy holds \(policy.count) entries, the directory \(directory.count)")
        }
        if let limit = scale.entryLimit, directory.count > limit {
            faults.append("\(directory.count) entries are over the limit \(limit)")
        }
        if scale.costLimit < .max, directory.totalCost > UInt128(scale.costLimit) {
            faults.append("the total cost \(directory.totalCost) is over the limit \(scale.costLimit)")
        }
        let dropped = directory.dropped
        if dropped.value != nil || dropped.key != nil || !dropped.values.isEmpty || !dropped.keys.isEmpty {
            faults.append("something dropped was not taken away")
        }
        return faults
    }

    private func checkSlots() -> [String] {
        var faults: [String] = []
        var (keys, held, cost) = (0, 0, UInt128(0))
        for number in 0..<directory.used {
            let slot = directory.slots[number]
            let isHeld = slot.value != nil
            if policy.contains(UInt32(number)) != isHeld {
                faults.append("number \(number) \(isHeld ? "has a value" : "has none"), and the policy disagrees")
            }
            guard let key = slot.key else { continue }
            keys += 1
            if isHeld {
                held += 1
                cost += UInt128(slot.cost)
            }
            let node = directory.node(of: key, tag: slot.tag)
            if Int(node) != number + 1 { faults.append("key \(key) is found at \(node), not \(number + 1)") }
        }
        if (keys, held, cost) != (directory.keyCount, directory.count, directory.totalCost) {
            faults.append("\(keys) keys, \(held) values, cost \(cost) are there, but not counted so")
        }
        var free = 0
        var node = directory.firstFree
        while node != 0, free <= directory.used {
            free += 1
            node = directory.slots[Int(node) - 1].nextFree
        }
        if free + keys != directory.used { faults.append("\(free) free and \(keys) taken are not \(directory.used)") }
        return faults
    }
}
