public import EvictionPolicies

/// Keys and values by number, for one thread at a time.
///
/// A number is a place in one flat array. A ``HashIndex`` finds it; there the number is one higher, because the index
/// has no 0: that is the key's node. Numbers that the policy forgot are reused for the next keys, the last one first.
@usableFromInline
struct PolicyDirectory<Key: Hashable, Value> {
    @usableFromInline
    typealias Slot = PolicySlot<Key, Value>
    @usableFromInline
    typealias Dropped = PolicyDropped<Key, Value>

    @usableFromInline
    var index: HashIndex
    @usableFromInline
    var slots: UnsafeMutablePointer<Slot>
    @usableFromInline
    var capacity: Int
    /// Numbers that were ever assigned; slots above are not initialised.
    @usableFromInline
    var used = 0
    /// One more than the first free number; 0 when none is free.
    @usableFromInline
    var firstFree: UInt32 = 0
    /// Entries that are held.
    @usableFromInline
    var count = 0
    /// The sum of the costs of the entries held.
    @usableFromInline
    var totalCost = CostSum()
    @usableFromInline
    var evictions: UInt64 = 0

    /// An empty directory. ``destroy()`` must follow, once.
    @inlinable
    init(capacity: Int) {
        self.capacity = capacity
        index = HashIndex(capacity: capacity)
        slots = .allocate(capacity: capacity)
    }

    /// Releases everything. O(n).
    @inlinable
    func destroy() {
        for number in 0..<used {
            let slot = slots + number
            if slot.pointee.state == .free { continue }
            Self.keyPlace(slot).deinitialize(count: 1)
            if slot.pointee.state == .held { Self.valuePlace(slot).deinitialize(count: 1) }
        }
        slots.deallocate()
        index.destroy()
    }

    /// The address of a slot's key, initialised or not.
    @inlinable
    @inline(__always)
    static func keyPlace(_ slot: UnsafeMutablePointer<Slot>) -> UnsafeMutablePointer<Key> {
        withUnsafeMutablePointer(to: &slot.pointee.key) { $0 }
    }

    /// The address of a slot's value, initialised or not.
    @inlinable
    @inline(__always)
    static func valuePlace(_ slot: UnsafeMutablePointer<Slot>) -> UnsafeMutablePointer<Value> {
        withUnsafeMutablePointer(to: &slot.pointee.value) { $0 }
    }

    /// The slot of a node.
    @inlinable
    @inline(__always)
    func slot(of node: UInt32) -> UnsafeMutablePointer<Slot> { slots + (Int(node) &- 1) }

    /// One more than the number of a key; 0 when it has none.
    @inlinable
    @inline(__always)
    func node(of key: Key, tag: UInt32) -> UInt32 {
        let slots = slots
        return index.node(tag: tag) { slots[Int($0) &- 1].key == key }
    }

    /// Whether the next ``add(_:tag:)`` needs more room.
    @inlinable
    @inline(__always)
    var isFull: Bool { firstFree == 0 && used == capacity }

    /// Assigns a number to a key that has none; there must be room. The key is only remembered, without a value. O(1).
    @inlinable
    @inline(__always)
    mutating func add(_ key: Key, tag: UInt32) -> UInt32 {
        let node: UInt32
        if firstFree != 0 {
            node = firstFree
            firstFree = slot(of: node).pointee.tag
        } else {
            used &+= 1
            node = UInt32(truncatingIfNeeded: used)
        }
        let slot = slot(of: node)
        Self.keyPlace(slot).initialize(to: key)
        slot.pointee.tag = tag
        slot.pointee.state = .remembered
        index.insert(tag: tag, node: node)
        return node
    }

    /// Sets the value of a node that has none.
    @inlinable
    @inline(__always)
    mutating func hold(_ value: consuming Value, cost: Int, in node: UInt32) {
        let slot = slot(of: node)
        Self.valuePlace(slot).initialize(to: value)
        slot.pointee.cost = cost
        slot.pointee.state = .held
        count &+= 1
        totalCost.add(cost)
    }

    /// Replaces the value of a node; the older one is dropped.
    @inlinable
    @inline(__always)
    mutating func exchange(_ value: consuming Value, cost: Int, in node: UInt32, _ dropped: inout Dropped) {
        let slot = slot(of: node)
        totalCost.subtract(slot.pointee.cost)
        totalCost.add(cost)
        slot.pointee.cost = cost
        swap(&slot.pointee.value, &value)
        dropped.add(value: value)
    }

    /// Drops the value of a node, if it has one; the key stays.
    @inlinable
    @inline(__always)
    mutating func dropValue(of node: UInt32, _ dropped: inout Dropped) {
        if slot(of: node).pointee.state == .held { dropHeldValue(of: node, &dropped) }
    }

    @inlinable
    @inline(__always)
    mutating func dropHeldValue(of node: UInt32, _ dropped: inout Dropped) {
        let slot = slot(of: node)
        slot.pointee.state = .remembered
        count &-= 1
        totalCost.subtract(slot.pointee.cost)
        dropped.add(value: Self.valuePlace(slot).move())
    }

    /// Removes a node's key and value; its number is free afterwards.
    @inlinable
    @inline(__always)
    mutating func release(_ node: UInt32, _ dropped: inout Dropped) {
        dropValue(of: node, &dropped)
        releaseKey(of: node, &dropped)
    }

    /// The same for a node that is known to be held.
    @inlinable
    @inline(__always)
    mutating func releaseHeld(_ node: UInt32, _ dropped: inout Dropped) {
        dropHeldValue(of: node, &dropped)
        releaseKey(of: node, &dropped)
    }

    @inlinable
    @inline(__always)
    mutating func releaseKey(of node: UInt32, _ dropped: inout Dropped) {
        let slot = slot(of: node)
        index.remove(tag: slot.pointee.tag, node: node)
        slot.pointee.tag = firstFree
        slot.pointee.state = .free
        firstFree = node
        dropped.add(key: Self.keyPlace(slot).move())
    }

    /// Carries out the decisions of a policy.
    @inlinable
    @inline(__always)
    mutating func apply(_ departures: Departures, _ dropped: inout Dropped) {
        if departures.evicted != 0 { evict(departures.evicted, &dropped) }
        if departures.forgotten != 0 { release(departures.forgotten, &dropped) }
        for node in departures.alsoEvicted { evict(node, &dropped) }
        for node in departures.alsoForgotten { release(node, &dropped) }
    }

    @inlinable
    @inline(__always)
    mutating func evict(_ node: UInt32, _ dropped: inout Dropped) {
        dropValue(of: node, &dropped)
        evictions &+= 1
    }

    /// Makes room for `larger` numbers. O(n).
    @inlinable
    @inline(never)
    mutating func grow(to larger: Int) {
        let moved = UnsafeMutablePointer<Slot>.allocate(capacity: larger)
        for number in 0..<used {
            let (old, new) = (slots + number, moved + number)
            (new.pointee.cost, new.pointee.tag, new.pointee.state) =
                (old.pointee.cost, old.pointee.tag, old.pointee.state)
            if old.pointee.state == .free { continue }
            Self.keyPlace(new).moveInitialize(from: Self.keyPlace(old), count: 1)
            if old.pointee.state == .held { Self.valuePlace(new).moveInitialize(from: Self.valuePlace(old), count: 1) }
        }
        slots.deallocate()
        slots = moved
        capacity = larger
        index.reserve(larger)
    }
}

/// Nodes that a policy released in one operation, to be removed when it has finished.
@usableFromInline
struct Departures: EvictionSink {
    /// The first one that was evicted; 0 when there is none. Usually the only one: then nothing is allocated.
    @usableFromInline
    var evicted: UInt32 = 0
    /// The first one that was forgotten; 0 when there is none.
    @usableFromInline
    var forgotten: UInt32 = 0
    @usableFromInline
    var alsoEvicted: ContiguousArray<UInt32> = []
    @usableFromInline
    var alsoForgotten: ContiguousArray<UInt32> = []

    @inlinable
    init() {}

    @inlinable
    @inline(__always)
    package mutating func evicted(_ object: ObjectID) {
        if evicted == 0 { evicted = object &+ 1 } else { alsoEvicted.append(object &+ 1) }
    }

    @inlinable
    @inline(__always)
    package mutating func forgotten(_ object: ObjectID) {
        if forgotten == 0 { forgotten = object &+ 1 } else { alsoForgotten.append(object &+ 1) }
    }
}
