/// What belongs to a number of a policy: a key, and while the entry is held its value.
///
/// Nothing here is optional, which would cost a word for each number or integer kept: `state` says what is initialised.
@usableFromInline
struct PolicySlot<Key, Value> {
    /// Initialised unless the number is free.
    @usableFromInline
    var key: Key
    /// Initialised while the entry is held.
    @usableFromInline
    var value: Value
    /// Counts while the entry is held.
    @usableFromInline
    var cost: Int
    /// The key's tag; while the number is free, one more than the next free number, or 0.
    @usableFromInline
    var tag: UInt32
    @usableFromInline
    var state: PolicySlotState
}

/// What a ``PolicySlot`` holds.
@frozen
@usableFromInline
enum PolicySlotState {
    /// Nothing: the number may be given to a key.
    case free
    /// A key whose entry has gone, but which the policy remembers.
    case remembered
    /// A key and a value.
    case held
}

/// Keys and values that an operation dropped; the caller releases them after the lock.
///
/// Releasing a value runs its `deinit`, which may take long and may even use the cache.
@usableFromInline
struct PolicyDropped<Key, Value> {
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
struct CostSum: Sendable {
    /// The whole sum, if a limit keeps it within 63 bits.
    @usableFromInline
    var low: UInt64 = 0
    @usableFromInline
    var carries: UInt64 = 0

    @inlinable
    init() {}

    /// The sum, or `Int.max` if it is larger.
    @inlinable
    var clamped: Int { carries == 0 ? Int(clamping: low) : .max }

    /// The sum.
    var total: UInt128 { UInt128(carries) << 64 | UInt128(low) }

    /// - Parameter cost: not negative.
    @inlinable
    @inline(__always)
    mutating func add(_ cost: Int) {
        let (sum, isOver) = low.addingReportingOverflow(UInt64(truncatingIfNeeded: cost))
        low = sum
        if isOver { carries &+= 1 }
    }

    @inlinable
    @inline(__always)
    mutating func subtract(_ cost: Int) {
        let (difference, isUnder) = low.subtractingReportingOverflow(UInt64(truncatingIfNeeded: cost))
        low = difference
        if isUnder { carries &-= 1 }
    }
}
