extension ExpiryTable {
    /// Throws where dictionary, list and sum disagree. O(n).
    func checkInvariants() throws {
        var costs = 0
        var seen = 0
        var previousIndex: Int?
        var previousExpiry: Duration?
        var index = firstIndex
        while let current = index {
            guard nodes.indices.contains(current), let node = nodes[current] else {
                throw InvariantViolation("the list leads to index \(current), which has no entry")
            }
            guard indices[node.key] == current else {
                throw InvariantViolation("key \(node.key) is at \(current) in the list, not in the dictionary")
            }
            guard node.previous == previousIndex else {
                throw InvariantViolation("\(current) follows \(previousIndex ?? -1) and says \(node.previous ?? -1)")
            }
            if let previousExpiry, node.expiry < previousExpiry {
                throw InvariantViolation("\(node.key) expires at \(node.expiry), after one of \(previousExpiry)")
            }
            seen += 1
            guard seen <= indices.count else { throw InvariantViolation("the list is longer than \(indices.count)") }
            costs &+= node.cost
            previousIndex = current
            previousExpiry = node.expiry
            index = node.next
        }
        guard seen == indices.count, lastIndex == previousIndex else {
            throw InvariantViolation("\(seen) entries in the list, \(indices.count) in the dictionary")
        }
        guard costs == totalCost else { throw InvariantViolation("costs add up to \(costs), not \(totalCost)") }
        guard nodes.count == seen + freeIndices.count, freeIndices.allSatisfy({ nodes[$0] == nil }) else {
            throw InvariantViolation("\(nodes.count) nodes, \(seen) used and \(freeIndices.count) free")
        }
    }
}

extension ExpiringStore {
    /// Throws where the entries contradict each other or a limit. O(n).
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
