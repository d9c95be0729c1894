import EvictionPolicies

extension PolicyStore where Policy: ~Copyable {
    /// Faults of the data structure, one line each with the values; empty when there are none. O(n).
    ///
    /// - Parameter tag: returns a key's tag, as the store's user computes it.
    func checkInvariants(tag: (Key) -> UInt32) -> [String] {
        var faults = checkSlots(tag: tag) + checkFreeNumbers() + checkIndex()
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
        if scale.costLimit < .max, directory.totalCost.total > UInt128(scale.costLimit) {
            faults.append("the total cost \(directory.totalCost.total) is over the limit \(scale.costLimit)")
        }
        return faults
    }

    /// Checks that the policy and the index agree with every slot, and that the counts are right.
    private func checkSlots(tag: (Key) -> UInt32) -> [String] {
        var faults: [String] = []
        var (held, cost) = (0, UInt128(0))
        for number in 0..<directory.used {
            let slot = directory.slots + number
            let isHeld = slot.pointee.state == .held
            if policy.contains(UInt32(number)) != isHeld {
                faults.append("number \(number) is \(slot.pointee.state), and the policy disagrees")
            }
            if slot.pointee.state == .free { continue }
            if isHeld {
                held += 1
                cost += UInt128(slot.pointee.cost)
            }
            let key = slot.pointee.key
            if tag(key) != slot.pointee.tag {
                faults.append("key \(key) has tag \(tag(key)), but its slot says \(slot.pointee.tag)")
            }
            let node = directory.node(of: key, tag: slot.pointee.tag)
            if Int(node) != number + 1 { faults.append("key \(key) is found at \(node), not \(number + 1)") }
        }
        if (held, cost) != (directory.count, directory.totalCost.total) {
            faults.append("\(held) values of cost \(cost) are there, but not counted so")
        }
        return faults
    }

    /// The number of keys with a number, held or only remembered.
    private var keyCount: Int { (0..<directory.used).count { directory.slots[$0].state != .free } }

    /// Checks that every number is either taken or free, never both.
    private func checkFreeNumbers() -> [String] {
        var faults: [String] = []
        var free = 0
        var node = directory.firstFree
        while node != 0, free <= directory.used {
            let slot = directory.slot(of: node)
            if slot.pointee.state != .free { faults.append("number \(node - 1) is free and \(slot.pointee.state)") }
            free += 1
            node = slot.pointee.tag
        }
        if free + keyCount != directory.used {
            faults.append("\(free) free and \(keyCount) taken are not \(directory.used)")
        }
        if directory.used > directory.capacity {
            faults.append("\(directory.used) numbers are too many for \(directory.capacity) slots")
        }
        return faults
    }

    /// Checks that the index holds exactly the keys, and has room for them.
    private func checkIndex() -> [String] {
        let index = directory.index
        var faults: [String] = []
        let taken = (0...index.mask).count { index.slots[$0] != 0 }
        if taken != keyCount { faults.append("\(taken) slots are taken for \(keyCount) keys") }
        if !HashIndex.fits(keyCount, in: index.mask + 1) {
            faults.append("\(keyCount) keys are too many for \(index.mask + 1) slots")
        }
        return faults
    }
}

extension PolicyStore where Policy == LiveLRU {
    /// All keys, the most recently used first. Doesn't count as a use. O(n).
    var keysByRecency: [Key] {
        policy.objectsByRecency.map { directory.slots[Int($0)].key }
    }
}
