extension ExpiryTable {
    /// Throws when dictionary, heap and sum disagree. O(n).
    func checkInvariants() throws {
        guard heap.count == indices.count else {
            throw InvariantViolation("\(heap.count) entries in the heap, \(indices.count) in the dictionary")
        }
        var sum = CostSum()
        for (place, turn) in heap.enumerated() {
            guard nodes.indices.contains(turn.index), let node = nodes[turn.index] else {
                throw InvariantViolation("the heap leads to index \(turn.index), which has no entry")
            }
            guard indices[node.key] == turn.index, node.place == place, node.expiry == turn.expiry else {
                throw InvariantViolation("key \(node.key) at \(place) in the heap: \(node.place), \(node.expiry)")
            }
            if place > 0, turn.isBefore(heap[(place - 1) / 2]) {
                throw InvariantViolation("key \(node.key) at \(place) expires before its parent")
            }
            sum.add(node.cost)
        }
        guard sum.total == costs.total else {
            throw InvariantViolation("costs add up to \(sum.total), not \(costs.total)")
        }
        guard nodes.count == heap.count + freeIndices.count, freeIndices.allSatisfy({ nodes[$0] == nil }) else {
            throw InvariantViolation("\(nodes.count) nodes, \(heap.count) used and \(freeIndices.count) free")
        }
    }
}

extension ExpiringStore {
    /// Throws when the entries contradict each other or a limit. O(n).
    func checkInvariants() throws {
        try table.checkInvariants()
        guard table.count <= entryLimit else {
            throw InvariantViolation("\(table.count) entries, limit \(entryLimit)")
        }
        guard !limitsCost || table.totalCost <= costLimit else {
            throw InvariantViolation("\(table.totalCost) bytes, limit \(costLimit)")
        }
    }
}
