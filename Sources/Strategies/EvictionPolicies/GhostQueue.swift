/// A queue of evicted objects that are remembered; the oldest is forgotten first.
@usableFromInline
package struct GhostQueue {
    /// Its number among the table's queues.
    @usableFromInline
    let queue: UInt32
    /// The limit of the ghosts' total weight.
    @usableFromInline
    let limit: UInt64
    /// The total weight that the ghosts had when they were resident.
    @usableFromInline
    var used: UInt64 = 0

    @inlinable
    init(queue: UInt32, limit: UInt64) {
        self.queue = queue
        self.limit = limit
    }

    /// Makes an evicted object a ghost, from any queue; older ghosts are forgotten for it.
    @inlinable
    @inline(__always)
    mutating func remember<Note: QueueNote, Entry: TableEntry, Sink: EvictionSink>(
        _ entry: UInt32, in table: inout EntryTable<Note, Entry>, _ sink: inout Sink
    ) {
        let charge = table.charge(entry)
        guard charge <= limit else {
            sink.forgotten(table.object(entry))
            table.drop(entry)
            return
        }
        while used &+ charge > limit {
            let oldest = table.oldest(queue)
            used &-= table.charge(oldest)
            sink.forgotten(table.object(oldest))
            table.drop(oldest)
        }
        used &+= charge
        table.notes[Int(entry)].queue = UInt8(truncatingIfNeeded: queue)
        table.move(entry, toNewestOf: queue)
    }

    /// Removes a ghost.
    @inlinable
    @inline(__always)
    mutating func takeOut<Note: QueueNote, Entry: TableEntry>(_ entry: UInt32, of table: inout EntryTable<Note, Entry>)
    {
        used &-= table.charge(entry)
        table.drop(entry)
    }
}

/// A policy with ghosts: its queues 0 and 1 hold resident objects, those from 2 on ghosts.
@usableFromInline
package protocol RememberingPolicy: TablePolicy, ~Copyable where Note: QueueNote {}

extension RememberingPolicy where Self: ~Copyable {
    @inlinable
    @inline(__always)
    package func residentEntry(of object: ObjectID) -> UInt32 {
        let entry = table.entry(of: object)
        // Entry 0 belongs to queue 0, whose note is 0.
        return table.notes[Int(entry)].queue >= 2 ? 0 : entry
    }
}

/// A policy with one queue of ghosts.
@usableFromInline
package protocol OneGhostQueuePolicy: RememberingPolicy, ~Copyable {
    var ghosts: GhostQueue { get set }

    /// A resident object is about to leave its queue: takes it out of what the policy counts besides the budget.
    mutating func leave(_ entry: UInt32)
}

extension OneGhostQueuePolicy where Self: ~Copyable {
    /// Evicts an object and keeps its ghost.
    @inlinable
    @inline(__always)
    mutating func retire<Sink: EvictionSink>(_ entry: UInt32, _ sink: inout Sink) {
        leave(entry)
        budget.subtract(table.charge(entry))
        sink.evicted(table.object(entry))
        // In a copy, because the table changes as well.
        var ghosts = ghosts
        ghosts.remember(entry, in: &table, &sink)
        self.ghosts = ghosts
    }

    @inlinable
    package mutating func takeOut(_ entry: UInt32) {
        guard UInt32(table.notes[Int(entry)].queue) != ghosts.queue else {
            ghosts.used &-= table.charge(entry)
            table.drop(entry)
            return
        }
        leave(entry)
        budget.subtract(table.charge(entry))
        table.drop(entry)
    }

    /// The entry of an object that is admitted, in no queue. A ghost is unlinked before room is made, so that forgetting
    /// ghosts can't reach it, and keeps its note.
    @inlinable
    @inline(__always)
    mutating func admitted<Sink: EvictionSink>(_ object: ObjectID, charge: UInt64, _ sink: inout Sink) -> UInt32 {
        var entry = table.entry(of: object)
        if entry != 0 {
            ghosts.used &-= table.charge(entry)
            table.unlink(entry)
        }
        while !budget.fits(charge) { evictNext(&sink) }
        if entry == 0 {
            entry = table.add(object, charge: charge)
        } else {
            table.setCharge(entry, charge)
        }
        budget.add(charge)
        return entry
    }
}
