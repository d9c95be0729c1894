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
        let charge = UInt64(table.charge(entry))
        guard charge <= limit else {
            sink.forgotten(table.object(entry))
            table.drop(entry)
            return
        }
        while used &+ charge > limit {
            let oldest = table.oldest(queue)
            used &-= UInt64(table.charge(oldest))
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
        used &-= UInt64(table.charge(entry))
        table.drop(entry)
    }
}
