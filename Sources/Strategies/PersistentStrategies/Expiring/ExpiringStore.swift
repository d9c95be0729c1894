public import CacheStrategies

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
        // Two for each new one, so that entries that have expired don't pile up where there is room.
        for _ in 0..<2 {
            guard let expiry = table.heap.first?.expiry, expiry <= now, dropFirst(now: now, into: &dropped) else {
                break
            }
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

/// Entries in the order in which they expire: a dictionary into an array of nodes, and a binary heap of their places.
///
/// Among entries that expire at the same time, the one that was written first comes first. Adding costs O(1) when no
/// entry expires later, as when all live equally long, and O(log n) otherwise; removing costs O(log n). Removed entries
/// are returned, so that the caller can release them outside the lock. Not thread-safe: ``ExpiringCache``'s lock guards
/// it.
@usableFromInline
struct ExpiryTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline
    var indices: [Key: Int] = [:]
    /// A node for each entry, and `nil` where one was removed.
    @usableFromInline
    var nodes: [ExpiryNode<Key, Value>?] = []
    /// The places of ``nodes`` that are `nil`.
    @usableFromInline
    var freeIndices: [Int] = []
    /// The expiry of each entry and its place in ``nodes``. No entry expires before its parent, which is at half its
    /// place.
    @usableFromInline
    var heap: [ExpiryTurn] = []
    /// How many entries were ever added.
    @usableFromInline
    var additions: UInt64 = 0
    /// The sum of the entries' costs, however large.
    @usableFromInline
    var costs = CostSum()

    @inlinable
    init() {}

    @inlinable
    var count: Int { indices.count }

    /// The sum of the entries' costs, or `Int.max` if it is larger; a cost limit keeps it below.
    @inlinable
    var totalCost: Int { costs.clamped }

    /// The entry that expires first.
    @inlinable
    var first: ExpiryNode<Key, Value>? { heap.first.flatMap { nodes[$0.index] } }

    /// All entries, the one that expires first in front. O(n log n).
    @usableFromInline
    var inOrder: [ExpiryNode<Key, Value>] {
        heap.sorted { $0.isBefore($1) }.compactMap { nodes[$0.index] }
    }

    /// Adds an entry for a key that has none.
    @inlinable
    mutating func add(_ key: Key, _ value: Value, cost: Int, expiry: Duration) {
        let node = ExpiryNode(key: key, value: value, cost: cost, expiry: expiry)
        let index: Int
        if let free = freeIndices.popLast() {
            index = free
            nodes[free] = node
        } else {
            index = nodes.count
            nodes.append(node)
        }
        indices[key] = index
        costs.add(cost)
        additions &+= 1
        let turn = ExpiryTurn(expiry: expiry, addition: additions, index: index)
        heap.append(turn)
        raise(turn, from: heap.count - 1)
    }

    /// Removes the entry of a key and returns it.
    @inlinable
    mutating func remove(_ key: Key) -> ExpiryNode<Key, Value>? {
        guard let index = indices.removeValue(forKey: key), let node = nodes[index] else { return nil }
        nodes[index] = nil
        freeIndices.append(index)
        costs.subtract(node.cost)
        // The heap's last entry takes the free place, and moves up or down from there.
        if let last = heap.popLast(), node.place < heap.count {
            raise(last, from: sink(last, from: node.place))
        }
        return node
    }

    /// Puts a turn at a free place, or moves it up: turns that expire later move back.
    @inlinable
    mutating func raise(_ turn: ExpiryTurn, from place: Int) {
        var place = place
        while place > 0, turn.isBefore(heap[(place - 1) / 2]) {
            put(heap[(place - 1) / 2], at: place)
            place = (place - 1) / 2
        }
        put(turn, at: place)
    }

    /// Moves turns that expire before this one up, starting at a free place.
    ///
    /// - Returns: the place that is free afterwards.
    @inlinable
    mutating func sink(_ turn: ExpiryTurn, from place: Int) -> Int {
        var place = place
        while true {
            var child = 2 * place + 1
            guard child < heap.count else { return place }
            if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
            guard heap[child].isBefore(turn) else { return place }
            put(heap[child], at: place)
            place = child
        }
    }

    @inlinable
    mutating func put(_ turn: ExpiryTurn, at place: Int) {
        heap[place] = turn
        nodes[turn.index]?.place = place
    }
}

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

/// An entry's place in the order of expiry.
@usableFromInline
struct ExpiryTurn: Sendable {
    @usableFromInline
    let expiry: Duration
    /// Counts the added entries, so that of two with the same expiry the older comes first.
    @usableFromInline
    let addition: UInt64
    /// The entry's place in the table's nodes.
    @usableFromInline
    let index: Int

    @inlinable
    init(expiry: Duration, addition: UInt64, index: Int) {
        self.expiry = expiry
        self.addition = addition
        self.index = index
    }

    @inlinable
    func isBefore(_ other: ExpiryTurn) -> Bool { (expiry, addition) < (other.expiry, other.addition) }
}

/// An entry of an ``ExpiryTable``.
@usableFromInline
struct ExpiryNode<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline
    let key: Key
    @usableFromInline
    let value: Value
    @usableFromInline
    let cost: Int
    /// The time at which the entry expires.
    @usableFromInline
    let expiry: Duration
    /// The place of its turn in the table's heap.
    @usableFromInline
    var place = 0

    @inlinable
    init(key: Key, value: Value, cost: Int, expiry: Duration) {
        self.key = key
        self.value = value
        self.cost = cost
        self.expiry = expiry
    }
}
