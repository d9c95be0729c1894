/// The lower bound: nothing is ever held, and every request misses.
@usableFromInline
package struct NothingPolicy: EvictionPolicy, ~Copyable {
    @inlinable
    package init(capacity: PolicyCapacity) {}

    @inlinable
    @inline(__always)
    package mutating func lookup(_ object: ObjectID) -> Bool { false }

    @inlinable
    @inline(__always)
    package mutating func insert<Sink: EvictionSink>(_ object: ObjectID, weight: UInt32, _ sink: inout Sink) -> Bool {
        sink.forgotten(object)
        return false
    }

    @inlinable
    package mutating func remove<Sink: EvictionSink>(_ object: ObjectID, _ sink: inout Sink) {}

    @inlinable
    package mutating func removeAll() {}

    @inlinable
    package func contains(_ object: ObjectID) -> Bool { false }

    @inlinable
    package var count: Int { 0 }

    @inlinable
    package var weight: UInt64 { 0 }

    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) {}
}

/// The upper bound: everything is held, independent of the capacity, and only first requests miss.
@usableFromInline
package struct UnboundedPolicy: OneQueuePolicy, ~Copyable {
    /// Queue 0 holds all objects.
    @usableFromInline
    package var table = EntryTable<NoNote, TraceEntry>(queueCount: 1)
    @usableFromInline
    package var budget: Budget

    @inlinable
    package init(capacity: PolicyCapacity) {
        switch capacity {
        case .entries: budget = Budget(.entries(.max))
        case .weight: budget = Budget(.weight(.max))
        }
    }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) {}
}

extension NothingPolicy {
    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "none", summary: "bound: never caches", source: "a bound", agreement: "no hit at all",
            advice: "What every request costs without a cache.")
    }
}

extension UnboundedPolicy {
    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "unbounded", summary: "bound: never evicts", source: "a bound",
            agreement: "one miss for each different key", advice: "What a cache of any size could reach.")
    }
}
