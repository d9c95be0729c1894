public import EvictionPolicies

/// Keys and values by number, for one thread at a time.
///
/// A number selects a slot of one flat array. A ``HashIndex`` finds the key's node, which is one higher than the number,
/// because the index has no 0. Numbers that the policy forgot are reused for the next keys, the last one first.
@usableFromInline
struct StoredEntries<Key: Hashable, Value> {
    @usableFromInline
    typealias Dropped = DroppedEntries<Key, Value>

    /// What belongs to a number: a key, and while the entry is held its value.
    ///
    /// Nothing here is optional, which would cost a word for each number or integer kept: `state` says what is
    /// initialised.
    @usableFromInline
    struct Slot {
        /// Initialised unless the number is free.
        @usableFromInline
        var key: Key
        /// Initialised while the entry is held.
        @usableFromInline
        var value: Value
        /// Counts while the entry is held.
        @usableFromInline
        var cost: Int
        /// The key's tag; while the number is free, the next free node, or 0.
        @usableFromInline
        var tag: UInt32
        @usableFromInline
        var state: State
    }

    /// What a slot holds.
    @frozen
    @usableFromInline
    enum State {
        /// Nothing: the number may be given to a key.
        case free
        /// A key whose entry has gone, but which the policy remembers.
        case remembered
        /// A key and a value.
        case held
    }

    @usableFromInline
    var index: HashIndex
    @usableFromInline
    var slots: UnsafeMutablePointer<Slot>
    @usableFromInline
    var capacity: Int
    /// Numbers that were ever assigned; slots above are not initialised.
    @usableFromInline
    var used = 0
    /// The first free node; 0 when none is free.
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

    /// An empty table. ``destroy()`` must follow, once.
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
            Self.keyAddress(slot).deinitialize(count: 1)
            if slot.pointee.state == .held { Self.valueAddress(slot).deinitialize(count: 1) }
        }
        slots.deallocate()
        index.destroy()
    }

    /// The address of a slot's key, initialised or not.
    @inlinable
    @inline(__always)
    static func keyAddress(_ slot: UnsafeMutablePointer<Slot>) -> UnsafeMutablePointer<Key> {
        withUnsafeMutablePointer(to: &slot.pointee.key) { $0 }
    }

    /// The address of a slot's value, initialised or not.
    @inlinable
    @inline(__always)
    static func valueAddress(_ slot: UnsafeMutablePointer<Slot>) -> UnsafeMutablePointer<Value> {
        withUnsafeMutablePointer(to: &slot.pointee.value) { $0 }
    }

    /// The slot of a node.
    @inlinable
    @inline(__always)
    func slot(of node: UInt32) -> UnsafeMutablePointer<Slot> { slots + (Int(node) &- 1) }

    /// The node of a key; 0 when it has none.
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
        Self.keyAddress(slot).initialize(to: key)
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
        Self.valueAddress(slot).initialize(to: value)
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
        dropped.add(value: Self.valueAddress(slot).move())
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
        dropped.add(key: Self.keyAddress(slot).move())
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
            Self.keyAddress(new).moveInitialize(from: Self.keyAddress(old), count: 1)
            if old.pointee.state == .held {
                Self.valueAddress(new).moveInitialize(from: Self.valueAddress(old), count: 1)
            }
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

/// Keys and values that an operation dropped; the caller releases them after the lock.
///
/// Releasing a value runs its `deinit`, which may take long and may even use the cache.
@usableFromInline
package struct DroppedEntries<Key, Value> {
    /// The value that was replaced, removed or evicted first. Usually the only one: then nothing is allocated.
    @usableFromInline
    var value: Value?
    @usableFromInline
    var key: Key?
    /// The other dropped keys and values.
    @usableFromInline
    var others: ContiguousArray<(key: Key?, value: Value?)> = []

    @inlinable
    init() {}

    @inlinable
    @inline(__always)
    mutating func add(value dropped: consuming Value) {
        if value == nil { value = consume dropped } else { Self.append(nil, dropped, to: &others) }
    }

    @inlinable
    @inline(__always)
    mutating func add(key dropped: consuming Key) {
        if key == nil { key = consume dropped } else { Self.append(dropped, nil, to: &others) }
    }

    /// Adds a key with its value.
    @inlinable
    @inline(__always)
    mutating func add(key dropped: consuming Key, value droppedValue: consuming Value) {
        if key == nil, value == nil {
            (key, value) = (consume dropped, consume droppedValue)
        } else {
            others.append((consume dropped, consume droppedValue))
        }
    }

    @inlinable
    @inline(never)
    static func append(_ key: Key?, _ value: Value?, to others: inout ContiguousArray<(key: Key?, value: Value?)>) {
        others.append((key, value))
    }
}

/// A sum of costs, which may exceed 64 bits when there is no limit.
@usableFromInline
package struct CostSum: Sendable {
    /// The whole sum, if a limit keeps it within 63 bits.
    @usableFromInline
    var low: UInt64 = 0
    @usableFromInline
    var carries: UInt64 = 0

    @inlinable
    package init() {}

    /// The sum, or `Int.max` if it is larger.
    @inlinable
    package var clamped: Int { carries == 0 ? Int(clamping: low) : .max }

    /// The sum.
    package var total: UInt128 { UInt128(carries) << 64 | UInt128(low) }

    /// - Parameter cost: not negative.
    @inlinable
    @inline(__always)
    package mutating func add(_ cost: Int) {
        let (sum, isOver) = low.addingReportingOverflow(UInt64(truncatingIfNeeded: cost))
        low = sum
        if isOver { carries &+= 1 }
    }

    /// - Parameter cost: not negative.
    @inlinable
    @inline(__always)
    package mutating func subtract(_ cost: Int) {
        let (difference, isUnder) = low.subtractingReportingOverflow(UInt64(truncatingIfNeeded: cost))
        low = difference
        if isUnder { carries &-= 1 }
    }
}
