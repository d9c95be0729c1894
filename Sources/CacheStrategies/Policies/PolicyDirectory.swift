public import EvictionPolicies

/// What stands behind a number that a policy knows: a key, and while the entry is held its value.
@usableFromInline
struct PolicySlot<Key, Value> {
    /// `nil` while the number is free.
    @usableFromInline
    var key: Key?
    /// `nil` while the key is only remembered.
    @usableFromInline
    var value: Value?
    @usableFromInline
    var cost = 0
    @usableFromInline
    var tag: UInt32 = 0
    /// The next free number, while this one is free.
    @usableFromInline
    var nextFree: UInt32 = 0

    @inlinable
    init() {}
}

/// Keys and values that an operation let go, for the caller to release once it holds the lock no more.
@usableFromInline
struct PolicyDropped<Key, Value> {
    /// The value that was replaced, removed or evicted first. Mostly the only one: then nothing is allocated.
    @usableFromInline
    var value: Value?
    @usableFromInline
    var key: Key?
    @usableFromInline
    var values: ContiguousArray<Value> = []
    @usableFromInline
    var keys: ContiguousArray<Key> = []

    @inlinable
    init() {}
}

/// Keys and values by number, for one thread at a time, and what a policy's decisions do to them.
///
/// A number is the place in one flat array and is found by a ``HashIndex``, where it is one higher, as that knows no 0.
/// Numbers that the policy forgot are given to the next keys, the last one first.
@usableFromInline
struct PolicyDirectory<Key: Hashable, Value>: EvictionSink {
    @usableFromInline
    var index: HashIndex
    @usableFromInline
    var slots: UnsafeMutablePointer<PolicySlot<Key, Value>>
    @usableFromInline
    var capacity: Int
    /// Numbers that were ever given; slots above are not initialised.
    @usableFromInline
    var used = 0
    /// One more than the first free number; 0 when none is free.
    @usableFromInline
    var firstFree: UInt32 = 0
    /// Keys that have a number, held or only remembered.
    @usableFromInline
    var keyCount = 0
    /// Entries that are held.
    @usableFromInline
    var count = 0
    /// The sum of the costs of the entries held. Without a cost limit it may be more than 64 bits hold.
    @usableFromInline
    var totalCost: UInt128 = 0
    @usableFromInline
    var evictions: UInt64 = 0
    @usableFromInline
    var dropped = PolicyDropped<Key, Value>()

    /// An empty directory. ``destroy()`` must follow, once.
    @inlinable
    init() {
        capacity = 8
        index = HashIndex(capacity: capacity)
        slots = .allocate(capacity: capacity)
    }

    /// Releases everything. O(n).
    @inlinable
    func destroy() {
        slots.deinitialize(count: used)
        slots.deallocate()
        index.destroy()
    }

    /// One more than the number of a key; 0 when it has none.
    @inlinable
    @inline(__always)
    func node(of key: Key, tag: UInt32) -> UInt32 {
        let slots = slots
        return index.node(tag: tag) { slots[Int($0) &- 1].key == key }
    }

    /// Gives a number to a key that has none. O(1), amortised.
    @inlinable
    mutating func add(_ key: Key, tag: UInt32) -> UInt32 {
        let node: UInt32
        if firstFree != 0 {
            node = firstFree
            firstFree = slots[Int(node) &- 1].nextFree
        } else {
            if used == capacity { grow() }
            (slots + used).initialize(to: PolicySlot())
            used &+= 1
            node = UInt32(truncatingIfNeeded: used)
        }
        slots[Int(node) &- 1].key = key
        slots[Int(node) &- 1].tag = tag
        index.insert(tag: tag, node: node)
        keyCount &+= 1
        return node
    }

    /// Gives a node a value; the older one is dropped.
    @inlinable
    @inline(__always)
    mutating func setValue(_ value: Value, cost: Int, of node: UInt32) {
        dropValue(of: node)
        slots[Int(node) &- 1].value = value
        slots[Int(node) &- 1].cost = cost
        count &+= 1
        totalCost &+= UInt128(truncatingIfNeeded: cost)
    }

    /// Drops the value of a node, if it has one.
    @inlinable
    @inline(__always)
    mutating func dropValue(of node: UInt32) {
        var value: Value?
        swap(&slots[Int(node) &- 1].value, &value)
        guard let value else { return }
        count &-= 1
        totalCost &-= UInt128(truncatingIfNeeded: slots[Int(node) &- 1].cost)
        if dropped.value == nil { dropped.value = value } else { dropped.values.append(value) }
    }

    /// Takes everything of a node out; its number is free.
    @inlinable
    mutating func release(_ node: UInt32) {
        dropValue(of: node)
        index.remove(tag: slots[Int(node) &- 1].tag, node: node)
        var key: Key?
        swap(&slots[Int(node) &- 1].key, &key)
        slots[Int(node) &- 1].nextFree = firstFree
        firstFree = node
        keyCount &-= 1
        guard let key else { return }
        if dropped.key == nil { dropped.key = key } else { dropped.keys.append(key) }
    }

    @inlinable
    package mutating func evicted(_ object: ObjectID) {
        dropValue(of: object &+ 1)
        evictions &+= 1
    }

    @inlinable
    package mutating func forgotten(_ object: ObjectID) {
        release(object &+ 1)
    }

    /// What was dropped since this was last asked.
    @inlinable
    @inline(__always)
    mutating func takeDropped() -> PolicyDropped<Key, Value> {
        var taken = PolicyDropped<Key, Value>()
        swap(&taken, &dropped)
        return taken
    }

    /// Doubles the room. O(n).
    @inlinable
    @inline(never)
    mutating func grow() {
        let larger = capacity * 2
        let moved = UnsafeMutablePointer<PolicySlot<Key, Value>>.allocate(capacity: larger)
        moved.moveInitialize(from: slots, count: used)
        slots.deallocate()
        slots = moved
        capacity = larger
        index.reserve(larger)
    }
}
