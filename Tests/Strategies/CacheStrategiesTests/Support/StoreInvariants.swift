import Locks

@testable import CacheStrategies
@testable import EvictionPolicies
@testable import EvictionPoliciesTests

/// A store whose state can be checked.
protocol CheckedStore<Key, Value>: ShardStore, ~Copyable {
    /// Faults of the data structure, one line each with the values; empty when there are none. O(n).
    ///
    /// - Parameter tag: returns a key's tag, as the store's user computes it.
    func checkInvariants(tag: (Key) -> UInt32) -> [String]
}

extension ShardStore where Self: ~Copyable {
    /// Checks that the limits hold.
    func checkLimits() -> [String] {
        var faults: [String] = []
        if let limit = scale.entryLimit, count > limit { faults.append("\(count) entries are over the limit \(limit)") }
        if scale.costLimit < .max, totalCost.total > UInt128(scale.costLimit) {
            faults.append("the total cost \(totalCost.total) is over the limit \(scale.costLimit)")
        }
        return faults
    }
}

extension PolicyStore: CheckedStore where Policy: CheckedPolicy & ~Copyable {
    func checkInvariants(tag: (Key) -> UInt32) -> [String] {
        var faults = checkSlots(tag: tag) + checkFreeNumbers() + checkIndex() + checkLimits()
        do {
            try policy.checkInvariants()
        } catch {
            faults.append("\(error)")
        }
        if policy.count != count {
            faults.append("the policy holds \(policy.count) entries, the store \(count)")
        }
        return faults
    }

    /// Checks that the policy and the index agree with every slot, and that the counts are right.
    private func checkSlots(tag: (Key) -> UInt32) -> [String] {
        var faults: [String] = []
        var (held, cost) = (0, UInt128(0))
        for number in 0..<entries.used {
            let slot = entries.slots + number
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
            let node = entries.node(of: key, tag: slot.pointee.tag)
            if Int(node) != number + 1 { faults.append("key \(key) is found at \(node), not \(number + 1)") }
        }
        if (held, cost) != (entries.count, entries.totalCost.total) {
            faults.append("\(held) values of cost \(cost) are there, but not counted so")
        }
        return faults
    }

    /// The number of keys with a number, held or only remembered.
    private var keyCount: Int { (0..<entries.used).count { entries.slots[$0].state != .free } }

    /// Checks that every number is either taken or free, never both.
    private func checkFreeNumbers() -> [String] {
        var faults: [String] = []
        var free = 0
        var node = entries.firstFree
        while node != 0, free <= entries.used {
            let slot = entries.slot(of: node)
            if slot.pointee.state != .free { faults.append("number \(node - 1) is free and \(slot.pointee.state)") }
            free += 1
            node = slot.pointee.tag
        }
        if free + keyCount != entries.used {
            faults.append("\(free) free and \(keyCount) taken are not \(entries.used)")
        }
        if entries.used > entries.capacity {
            faults.append("\(entries.used) numbers are too many for \(entries.capacity) slots")
        }
        return faults
    }

    /// Checks that the index holds exactly the keys, and has room for them.
    private func checkIndex() -> [String] {
        let index = entries.index
        var faults: [String] = []
        let taken = (0...index.mask).count { index.slots[$0] != 0 }
        if taken != keyCount { faults.append("\(taken) slots are taken for \(keyCount) keys") }
        if !HashIndex.fits(keyCount, in: index.mask + 1) {
            faults.append("\(keyCount) keys are too many for \(index.mask + 1) slots")
        }
        return faults
    }
}

extension ConcurrentStore: CheckedStore {
    func checkInvariants(tag: (Key) -> UInt32) -> [String] {
        var faults = checkEntries(tag: tag) + checkChains() + checkLists() + checkLimits()
        do {
            try order.checkInvariants()
        } catch {
            faults.append("\(error)")
        }
        return faults
    }

    private var nodes: [UInt32] { (0..<used).map { UInt32($0 + 1) } }

    /// Checks that every held entry is found, is in the order and is counted.
    private func checkEntries(tag: (Key) -> UInt32) -> [String] {
        var faults: [String] = []
        var (held, cost) = (0, UInt128(0))
        for node in nodes {
            let entry = table.pointee.entry(node)
            let isHeld = entry.pointee.state == .held
            if order.contains(node - 1) != isHeld {
                faults.append("node \(node) is \(entry.pointee.state), and the order disagrees")
            }
            guard isHeld else { continue }
            held += 1
            cost += UInt128(entry.pointee.cost)
            let key = entry.pointee.key
            if tag(key) != entry.pointee.tag {
                faults.append("key \(key) has tag \(tag(key)), but its entry says \(entry.pointee.tag)")
            }
            let found = self.node(of: key, tag: entry.pointee.tag)
            if found != node { faults.append("key \(key) is found at \(found), not \(node)") }
        }
        if (held, cost) != (count, totalCost.total) {
            faults.append("\(held) entries of cost \(cost) are there, but not counted so")
        }
        return faults
    }

    /// Checks that the chains hold as many entries as are held, and that they end.
    private func checkChains() -> [String] {
        var linked = 0
        for head in 0...table.pointee.mask {
            var node = Memory.link(table.pointee.heads + head)
            while node != 0, linked <= used {
                linked += 1
                node = Memory.link(table.pointee.next(node))
            }
        }
        return linked == count ? [] : ["\(linked) entries are in chains, and \(count) are held"]
    }

    /// Checks that every node that is not held is either free or waits for readers, never both.
    private func checkLists() -> [String] {
        func length(_ first: UInt32, _ state: Entry.State) -> Int {
            var (length, node) = (0, first)
            while node != 0, length <= used, table.pointee.entry(node).pointee.state == state {
                length += 1
                node = UInt32(truncatingIfNeeded: table.pointee.entry(node).pointee.cost)
            }
            return length
        }
        var faults: [String] = []
        for (name, list) in [("open", open), ("closed", closed)] {
            let found = length(list.newest, .retired)
            if found != list.count { faults.append("\(found) entries are \(name), but \(list.count) counted") }
        }
        let free = length(firstFree, .free)
        if free + open.count + closed.count + count != used {
            faults.append("\(free) free, \(open.count + closed.count) retired and \(count) held are not \(used)")
        }
        if used > table.pointee.capacity || table.pointee.capacity > Self.mostNodes(of: scale) {
            faults.append("\(used) nodes of \(table.pointee.capacity), at most \(Self.mostNodes(of: scale))")
        }
        if closed.isEmpty, !awaited.isEmpty { faults.append("readers are awaited, but no entry waits for them") }
        return faults
    }
}

extension StoreShards where Store: CheckedStore & ~Copyable {
    /// Faults of the data structure, one line each; empty when there are none. O(n).
    func checkInvariants() -> [String] {
        all.enumerated().flatMap { number, shard in
            shard.locked { store, _ in store.checkInvariants { hasher.tag(of: $0) } }
                .map { Guarding.isSharded ? "shard \(number): \($0)" : $0 }
        }
    }
}

extension StoreCache where Policy: CheckedPolicy & ~Copyable {
    func checkInvariants() -> [String] { shards.checkInvariants() }
}

extension ConcurrentSIEVECache {
    func checkInvariants() -> [String] { shards.checkInvariants() }
}

extension LRUCache {
    func checkInvariants() -> [String] { shards.checkInvariants() }

    /// All keys, the most recently used first. Doesn't count as a use. O(n).
    func keysByRecency() -> [Key] {
        shards.first.locked { store, _ in store.policy.objectsByRecency.map { store.entries.slots[Int($0)].key } }
    }
}

extension SharedLoads {
    /// The number of callers that wait for a load.
    var waiterCount: Int { table.withLock { $0.flights.values.reduce(0) { $0 + $1.waiters.count } } }

    /// Throws when the tables contradict each other. O(loads in flight).
    func checkInvariants() throws {
        try table.withLock { table in
            guard table.register.count == table.flights.count else {
                throw InvariantViolation(
                    "\(table.register.count) loads are registered, and \(table.flights.count) are in flight")
            }
            for key in table.register.loads.keys {
                guard let ticket = table.register.joinable(key) else { continue }
                guard let flight = table.flights[ticket.number], flight.key == key else {
                    throw InvariantViolation("load \(ticket.number) of \(key) may be joined but is not in flight")
                }
                guard flight.isOnThread || !flight.waiters.isEmpty || table.register.isLanding(key) else {
                    throw InvariantViolation("load \(ticket.number) of \(key) may be joined but no caller waits for it")
                }
            }
        }
    }
}

extension ActorCache {
    /// The number of callers that wait for a load.
    var waiterCount: Int { loads.waiterCount }

    func checkInvariants() throws { try loads.checkInvariants() }
}
