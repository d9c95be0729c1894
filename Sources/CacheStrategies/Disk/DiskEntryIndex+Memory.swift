import EvictionPolicies

/// The values in memory: the decoded level in front of the files, and the values that wait to be written.
extension DiskEntryIndex {
    /// Entries held decoded in memory.
    var memoryCount: Int { slotOfKey.count }

    /// The value a key has in memory; counts as a use.
    mutating func useValue(forKey key: Key) -> Value? {
        guard let slot = slotOfKey[key] else { return nil }
        use(slot: slot)
        return entries[slot]?.value
    }

    /// Holds an entry's value in memory, and drops the least recently used ones beyond the limits.
    ///
    /// A value that alone exceeds the memory limit stays on disk only.
    ///
    /// - Returns: the dropped values, so that the caller releases them outside the lock.
    mutating func keepInMemory(_ value: Value, _ digest: KeyDigest, forKey key: Key) -> [Value] {
        guard let slot = slotOfDigest[digest], let cost = entries[slot]?.cost else { return [] }
        var released: [Value] = []
        if let old = dropFromMemory(slot: slot) { released.append(old) }
        guard cost <= limits.memoryCost, limits.memoryEntries > 0 else { return released }
        while memoryCount >= limits.memoryEntries || memoryCost > limits.memoryCost - cost,
            let oldest = memoryOrder.oldest
        {
            if let old = dropFromMemory(slot: Int(oldest)) { released.append(old) }
        }
        entries[slot]?.key = key
        entries[slot]?.value = value
        slotOfKey[key] = slot
        _ = memoryOrder.insert(ObjectID(slot), weight: 1)
        memoryCost += cost
        return released
    }

    /// Drops a value from memory; the entry stays.
    mutating func dropFromMemory(slot: Int) -> Value? {
        guard let entry = entries[slot], let key = entry.key else { return nil }
        slotOfKey[key] = nil
        memoryOrder.remove(ObjectID(slot))
        memoryCost -= entry.cost
        entries[slot]?.key = nil
        entries[slot]?.value = nil
        return entry.value
    }

    /// Drops the value that waited to be written; the entry stays.
    mutating func unstage(_ digest: KeyDigest) {
        guard let slot = slotOfDigest[digest], let entry = entries[slot], entry.staged != nil else { return }
        entries[slot]?.staged = nil
        stagedCount -= 1
        stagedCost -= entry.cost
    }
}

extension DiskEntryIndex {
    /// Faults of the index, one line each; empty when there are none. O(n).
    ///
    /// Checks that lists and tables agree, that sums are those of the entries, that limits are kept, and that every
    /// value can be found in memory or in a file.
    func checkInvariants() -> [String] {
        var broken: [String] = []
        func check(_ isTrue: Bool, _ message: @autoclosure () -> String) {
            if !isTrue { broken.append(message()) }
        }
        let all = slotOfDigest.values.compactMap { entries[$0] }
        let inMemory = all.filter { $0.key != nil }
        let staged = all.filter { $0.staged != nil }
        check(all.count == count, "\(count) digests, \(all.count) entries")
        func slots(_ objects: [ObjectID]) -> Set<Int> { Set(objects.map { Int($0) }) }
        check(slots(order.objectsByRecency) == Set(slotOfDigest.values), "the order holds other slots than the table")
        check(order.count == count, "\(order.count) slots in order, \(count) entries")
        let inMemoryOrder = slots(memoryOrder.objectsByRecency)
        check(inMemoryOrder == Set(slotOfKey.values), "memory's order holds other slots than its table")
        check(inMemory.count == memoryCount, "\(inMemory.count) entries with a key, \(memoryCount) in memory's table")
        check(all.reduce(0) { $0 + $1.cost } == totalCost, "total cost \(totalCost) isn't the sum")
        check(all.reduce(0) { $0 + $1.fileBytes } == totalFileBytes, "file bytes \(totalFileBytes) aren't the sum")
        check(inMemory.reduce(0) { $0 + $1.cost } == memoryCost, "memory's cost \(memoryCost) isn't the sum")
        check(staged.count == stagedCount, "\(staged.count) entries staged, \(stagedCount) counted")
        check(staged.reduce(0) { $0 + $1.cost } == stagedCost, "staged cost \(stagedCost) isn't the sum")
        check(count <= limits.entries, "\(count) entries, limit \(limits.entries)")
        check(totalCost <= limits.cost, "cost \(totalCost), limit \(limits.cost)")
        check(totalFileBytes <= limits.fileBytes, "file bytes \(totalFileBytes), limit \(limits.fileBytes)")
        check(memoryCount <= limits.memoryEntries, "\(memoryCount) in memory, limit \(limits.memoryEntries)")
        check(memoryCost <= limits.memoryCost, "memory's cost \(memoryCost), limit \(limits.memoryCost)")
        check(!all.contains { $0.isHidden && ($0.key != nil || $0.staged != nil) }, "a hidden entry can be found")
        check(all.allSatisfy { $0.mayHaveFile || $0.staged != nil }, "an entry has neither a file nor a staged value")
        return broken
    }
}
