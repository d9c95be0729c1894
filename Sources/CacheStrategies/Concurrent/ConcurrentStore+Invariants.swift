import EvictionPolicies

extension ConcurrentStore {
    /// Faults of the data structure, one line each with the values; empty when there are none. O(n).
    ///
    /// - Parameter tag: returns a key's tag, as the store's user computes it.
    func checkInvariants(tag: (Key) -> UInt32) -> [String] {
        var faults = checkEntries(tag: tag) + checkChains() + checkLists()
        do {
            try order.checkInvariants()
        } catch {
            faults.append("\(error)")
        }
        if let limit = scale.entryLimit, count > limit { faults.append("\(count) entries are over the limit \(limit)") }
        if scale.costLimit < .max, totalCost.total > UInt128(scale.costLimit) {
            faults.append("the total cost \(totalCost.total) is over the limit \(scale.costLimit)")
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
