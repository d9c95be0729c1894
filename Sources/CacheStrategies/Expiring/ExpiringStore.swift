/// The state that an ``ExpiringCache`` guards with its lock: the entries, the limits and the counters.
@usableFromInline
struct ExpiringStore<Key: Hashable & Sendable, Value: Sendable> {
    @usableFromInline
    typealias Node = ExpiryNode<Key, Value>

    @usableFromInline
    var table = ExpiryTable<Key, Value>()
    @usableFromInline
    var loads = LoadRegister<Key>()
    /// The most entries.
    @usableFromInline
    let entryLimit: Int
    /// The most bytes.
    @usableFromInline
    let costLimit: Int
    @usableFromInline
    var evictions: UInt64 = 0
    @usableFromInline
    var expirations: UInt64 = 0
    /// Whether costs are limited at all.
    @usableFromInline
    let limitsCost: Bool

    /// An empty store. Negative limits count as 0; `nil` means no limit.
    @inlinable
    init(entryLimit: Int?, costLimit: Int?) {
        self.entryLimit = entryLimit.map { max($0, 0) } ?? .max
        self.costLimit = costLimit.map { max($0, 0) } ?? .max
        limitsCost = costLimit != nil
    }

    /// The live value of a key. An expired entry is removed and added to `dropped`.
    @inlinable
    mutating func value(forKey key: Key, now: Duration, dropped: inout [Node]) -> Value? {
        // The node is not copied, which would retain and release its key as well.
        guard let index = table.indices[key], let expiry = table.nodes[index]?.expiry else { return nil }
        if now < expiry { return table.nodes[index]?.value }
        expirations &+= 1
        if let node = table.remove(key) { dropped.append(node) }
        return nil
    }

    /// Inserts or replaces. Evicted entries, the expired ones first, are added to `dropped`.
    @inlinable
    mutating func insert(
        _ value: Value, forKey key: Key, cost: Int, expiry: Duration, now: Duration, dropped: inout [Node]
    ) {
        if let replaced = table.remove(key) {
            if replaced.expiry <= now { expirations &+= 1 }
            dropped.append(replaced)
        }
        guard entryLimit > 0, cost <= costLimit else { return }
        while table.count >= entryLimit || (limitsCost && table.totalCost > costLimit - cost) {
            guard dropFirst(now: now, into: &dropped) else { break }
        }
        table.add(key, value, cost: cost, expiry: expiry)
    }

    /// Removes the entry that expires first, and counts it as expired or as evicted.
    @inlinable
    mutating func dropFirst(now: Duration, into dropped: inout [Node]) -> Bool {
        guard let first = table.first else { return false }
        if first.expiry <= now { expirations &+= 1 } else { evictions &+= 1 }
        if let node = table.remove(first.key) { dropped.append(node) }
        return true
    }

    /// Removes all expired entries. O(expired entries).
    @usableFromInline
    mutating func dropExpired(now: Duration, into dropped: inout [Node]) {
        while let first = table.first, first.expiry <= now {
            guard dropFirst(now: now, into: &dropped) else { return }
        }
    }

    /// Replaces all entries by these, as far as the limits allow. O(n log n).
    @inlinable
    mutating func rebuild(with entries: [Node], now: Duration, dropped: inout [Node]) {
        table = ExpiryTable()
        for node in entries.sorted(by: { $0.expiry < $1.expiry }) {
            insert(
                node.value, forKey: node.key, cost: node.cost, expiry: node.expiry, now: now, dropped: &dropped)
        }
        // Otherwise the entries without room would be released inside the lock.
        dropped.append(contentsOf: entries)
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
