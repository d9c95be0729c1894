import Locks

extension LRUCache {
    /// What is wrong inside, one line for each fault, naming the values; empty when all is well. O(n).
    package func checkInvariants() -> [String] {
        guardian.lock()
        defer { guardian.unlock() }
        var faults = store.pointee.checkInvariants()
        for node in store.pointee.live {
            let entry = store.pointee.entries[node]
            let tag = hasher.tag(of: entry.key)
            if tag != entry.tag { faults.append("key \(entry.key) has tag \(tag), but its entry says \(entry.tag)") }
        }
        return faults
    }

    /// All keys, the one used last first. Looking is not using. O(n).
    package func keysByRecency() -> [Key] {
        guardian.lock()
        defer { guardian.unlock() }
        return store.pointee.live.map { store.pointee.entries[$0].key }
    }
}

extension LRUStore {
    /// The nodes in the ring, newest first; cut off after more steps than there can be nodes.
    fileprivate var live: [Int] {
        var nodes: [Int] = []
        var node = Int(order.newest)
        while node != 0, node <= order.capacity, nodes.count <= order.capacity {
            nodes.append(node)
            node = Int(order.links[node].next)
        }
        return nodes
    }

    fileprivate func checkInvariants() -> [String] {
        checkRing() + checkFreeNodes() + checkIndex() + checkLimits()
    }

    /// The ring holds as many nodes as are counted, each once, and reads the same backwards.
    private func checkRing() -> [String] {
        var faults: [String] = []
        let nodes = live
        if nodes.count != count { faults.append("\(nodes.count) nodes are in the ring, but the count is \(count)") }
        if Set(nodes).count != nodes.count { faults.append("a node is in the ring twice: \(nodes)") }
        for (node, next) in zip([0] + nodes, nodes + [0]) where Int(order.links[next].previous) != node {
            faults.append("node \(next) follows \(node), but names \(order.links[next].previous) as the one before")
        }
        return faults
    }

    /// Every node is in the ring or free, and none is both.
    private func checkFreeNodes() -> [String] {
        var free: [Int] = []
        var node = Int(order.firstFree)
        while node != 0 {
            guard node <= order.capacity, free.count < order.capacity else {
                return ["the chain of free nodes has no end, or leaves the \(order.capacity) nodes at \(node)"]
            }
            free.append(node)
            node = Int(order.links[node].next)
        }
        let both = Set(free).intersection(live)
        var faults = both.isEmpty ? [] : ["nodes \(both.sorted()) are both free and in the ring"]
        if free.count + count != order.capacity {
            faults.append("\(free.count) free nodes and \(count) entries are not \(order.capacity) nodes")
        }
        return faults
    }

    /// The table finds every node in the ring by its tag, and holds nothing else.
    private func checkIndex() -> [String] {
        var faults: [String] = []
        for node in live {
            let tag = entries[node].tag
            let found = index.node(tag: tag) { Int($0) == node }
            if found == 0 { faults.append("the table doesn't find node \(node) by its tag \(tag)") }
            let holder = self.node(of: entries[node].key, tag: tag)
            if Int(holder) != node { faults.append("key \(entries[node].key) is found at \(holder), not \(node)") }
        }
        let taken = (0...index.mask).count { index.slots[$0] != 0 }
        if taken != count { faults.append("\(taken) slots are taken for \(count) entries") }
        if !HashIndex.fits(count, in: index.mask + 1) {
            faults.append("\(count) entries are too many for \(index.mask + 1) slots")
        }
        return faults
    }

    /// Costs add up, none is negative, and both limits hold.
    private func checkLimits() -> [String] {
        var faults: [String] = []
        let costs = live.map { entries[$0].cost }
        let sum = costs.reduce(0, &+)
        if sum != totalCost { faults.append("the costs add up to \(sum), but the total says \(totalCost)") }
        if let least = costs.min(), least < 0 { faults.append("an entry costs \(least)") }
        if totalCost > costLimit { faults.append("the total cost \(totalCost) is over the limit \(costLimit)") }
        if count > entryLimit { faults.append("\(count) entries are over the limit \(entryLimit)") }
        return faults
    }
}
