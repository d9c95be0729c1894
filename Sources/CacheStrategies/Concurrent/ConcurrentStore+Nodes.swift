public import EvictionPolicies
public import Synchronization

/// Allocating and freeing nodes.
extension ConcurrentStore {
    /// A node for a new entry. O(1), amortised; waits for readers when all nodes are held or retired.
    @inlinable
    mutating func take(_ dropped: inout Dropped) -> UInt32 {
        if firstFree == 0, used == table.pointee.capacity { makeRoom(&dropped) }
        let node = firstFree
        if node == 0 {
            used &+= 1
            return UInt32(truncatingIfNeeded: used)
        }
        firstFree = UInt32(truncatingIfNeeded: table.pointee.entry(node).pointee.cost)
        return node
    }

    @inlinable
    @inline(never)
    mutating func makeRoom(_ dropped: inout Dropped) {
        collect(&dropped, isUrgent: true)
        if firstFree != 0 { return }
        let most = Self.mostNodes(of: scale)
        if table.pointee.capacity < most { return grow(to: min(table.pointee.capacity * 2, most)) }
        // Everything that is not held is retired. A reader leaves without waiting for any other thread.
        while firstFree == 0 {
            Memory.wait()
            collect(&dropped, isUrgent: true)
        }
    }

    /// Replaces the table by a larger one. O(n).
    @inlinable
    mutating func grow(to capacity: Int) {
        let older = table
        let larger = Table(capacity: capacity, after: older.pointee)
        for place in 0..<used {
            let node = UInt32(truncatingIfNeeded: place &+ 1)
            let entry = larger.entry(node)
            if entry.pointee.state != .held { continue }
            // Relaxed: no other thread knows these links before the table is published.
            let head = larger.head(entry.pointee.tag)
            larger.next(node).pointee.store(head.pointee.load(ordering: .relaxed), ordering: .relaxed)
            head.pointee.store(node, ordering: .relaxed)
        }
        table = .allocate(capacity: 1)
        table.initialize(to: larger)
        publish()
        open.tables.append(older)
        order.reserve(capacity)
    }

    /// Frees what no reader can see any more.
    ///
    /// - Parameter isUrgent: whether a writer needs nodes, even if few are retired.
    @inlinable
    @inline(__always)
    mutating func collect(_ dropped: inout Dropped, isUrgent: Bool = false) {
        if !open.isEmpty || !closed.isEmpty { collectRetired(&dropped, isUrgent) }
    }

    @inlinable
    mutating func collectRetired(_ dropped: inout Dropped, _ isUrgent: Bool) {
        if !closed.isEmpty {
            guard awaited.haveLeft(Memory.self) else { return }
            free(closed, &dropped)
            closed = RetiredEntries()
        }
        let isDue =
            isUrgent || open.count > Self.mostRetired(of: scale)
            || open.cost > UInt64(truncatingIfNeeded: scale.costLimit / 64) || !open.tables.isEmpty
        guard isDue, !open.isEmpty else { return }
        awaited.look(at: number, Memory.self)
        if awaited.isEmpty {
            free(open, &dropped)
        } else {
            closed = open
        }
        open = RetiredEntries()
        closings &+= 1
    }

    /// The number of the list in which the last retired entries are or were.
    var newestList: UInt64 { open.isEmpty ? closings : closings &+ 1 }

    /// Whether all retired entries up to a list are freed.
    func hasFreed(_ list: UInt64) -> Bool { closings > list || closings == list && closed.isEmpty }

    /// Empties entries, and frees tables.
    @inlinable
    mutating func free(_ retired: RetiredEntries<Key, Value>, _ dropped: inout Dropped) {
        if retired.count > 1 { dropped.others.reserveCapacity(dropped.others.count + retired.count) }
        var node = retired.newest
        while node != 0 {
            let entry = table.pointee.entry(node)
            let next = UInt32(truncatingIfNeeded: entry.pointee.cost)
            Memory.willChange(entry)
            dropped.add(key: Entry.keyPlace(entry).move(), value: Entry.valuePlace(entry).move())
            entry.pointee.state = .free
            entry.pointee.cost = Int(firstFree)
            firstFree = node
            node = next
        }
        for older in retired.tables { Self.destroy(older) }
    }
}
