/// Entries in the order in which they expire: a dictionary into an array of nodes that are linked both ways.
///
/// All entries live equally long, so the order of expiry is the order of writing, and every operation costs O(1) but
/// where noted. What is removed is handed back, so that a lock need not be held while it is released. Not safe from
/// several threads: ``ExpiringCache``'s lock guards it.
@usableFromInline
struct ExpiryTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline
    var indices: [Key: Int] = [:]
    /// A node for each entry, and `nil` where one was removed.
    @usableFromInline
    var nodes: [ExpiryNode<Key, Value>?] = []
    /// Where ``nodes`` is `nil`.
    @usableFromInline
    var freeIndices: [Int] = []
    /// The entry that expires first; `nil` when there is none.
    @usableFromInline
    var firstIndex: Int?
    /// The entry that expires last; `nil` when there is none.
    @usableFromInline
    var lastIndex: Int?
    /// The sum of the entries' costs. It wraps around instead of trapping; with a cost limit it never gets that far.
    @usableFromInline
    var totalCost = 0

    @inlinable
    init() {}

    @inlinable
    var count: Int { indices.count }

    /// The entry that expires first.
    @inlinable
    var first: ExpiryNode<Key, Value>? { firstIndex.flatMap { nodes[$0] } }

    /// The entry that expires last.
    @inlinable
    var last: ExpiryNode<Key, Value>? { lastIndex.flatMap { nodes[$0] } }

    /// All entries, the one that expires first in front. O(n).
    @usableFromInline
    var inOrder: [ExpiryNode<Key, Value>] {
        var ordered: [ExpiryNode<Key, Value>] = []
        ordered.reserveCapacity(count)
        var index = firstIndex
        while let node = index.flatMap({ nodes[$0] }) {
            ordered.append(node)
            index = node.next
        }
        return ordered
    }

    /// Adds an entry for a key that has none; it expires no sooner than the others. Amortised.
    @inlinable
    mutating func append(_ key: Key, _ value: Value, cost: Int, expiry: Duration) {
        let node = ExpiryNode(key: key, value: value, cost: cost, expiry: expiry, previous: lastIndex)
        let index: Int
        if let free = freeIndices.popLast() {
            index = free
            nodes[free] = node
        } else {
            index = nodes.count
            nodes.append(node)
        }
        if let lastIndex { nodes[lastIndex]?.next = index } else { firstIndex = index }
        lastIndex = index
        indices[key] = index
        totalCost &+= cost
    }

    /// Removes the entry of a key and hands it back.
    @inlinable
    mutating func remove(_ key: Key) -> ExpiryNode<Key, Value>? {
        guard let index = indices.removeValue(forKey: key), let node = nodes[index] else { return nil }
        nodes[index] = nil
        freeIndices.append(index)
        if let previous = node.previous { nodes[previous]?.next = node.next } else { firstIndex = node.next }
        if let next = node.next { nodes[next]?.previous = node.previous } else { lastIndex = node.previous }
        totalCost &-= node.cost
        return node
    }
}

/// An entry of an ``ExpiryTable`` and its neighbours.
@usableFromInline
struct ExpiryNode<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline
    let key: Key
    @usableFromInline
    let value: Value
    @usableFromInline
    let cost: Int
    /// The time at which the entry is no longer valid.
    @usableFromInline
    let expiry: Duration
    @usableFromInline
    var previous: Int?
    @usableFromInline
    var next: Int?

    @inlinable
    init(key: Key, value: Value, cost: Int, expiry: Duration, previous: Int? = nil) {
        self.key = key
        self.value = value
        self.cost = cost
        self.expiry = expiry
        self.previous = previous
    }
}
