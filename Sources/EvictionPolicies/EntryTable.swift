/// A policy's note about an entry, besides its place in a queue. It consists of plain numbers.
@usableFromInline
package protocol EntryNote: BitwiseCopyable {
    init()
}

/// No note.
@usableFromInline
package struct NoNote: EntryNote {
    @inlinable
    package init() {}
}

/// Whether an object was used since the hand last passed it.
@usableFromInline
package struct UsedBit: EntryNote {
    /// 1 or 0.
    @usableFromInline
    var value: UInt8 = 0

    @inlinable
    package init() {}
}

/// A note with the number of an entry's queue. The note of a queue's own entry stays 0.
@usableFromInline
package protocol QueueNote: EntryNote {
    /// The queue's number.
    var queue: UInt8 { get set }
}

/// Only the number of an entry's queue.
@usableFromInline
package struct QueueNumber: QueueNote {
    @usableFromInline
    package var queue: UInt8 = 0

    @inlinable
    package init() {}
}

/// The entries of a policy, found by object, and linked into queues.
///
/// In a replay, one array of 32-bit numbers maps an object's number to its entry, a ``TraceEntry``. In a live cache
/// the number is the place of the entry, a ``LiveEntry`` or a ``UnitEntry``. A queue is a ring through an entry of
/// its own that has no object: queue 0 has entry 0, and so on. So linking needs no special case at the ends, and 0
/// can mean "no entry".
///
/// All operations cost O(1); arrays grow by doubling.
@usableFromInline
package struct EntryTable<Note: EntryNote, Entry: TableEntry>: ~Copyable {
    /// The entry of each object, 0 when there is none. Empty where entries are placed by number.
    @usableFromInline
    var entryOfObject: UnsafeMutablePointer<UInt32>
    @usableFromInline
    var objectCapacity: Int
    @usableFromInline
    var entries: UnsafeMutablePointer<Entry>
    @usableFromInline
    var notes: UnsafeMutablePointer<Note>
    @usableFromInline
    var entryCapacity: Int
    /// The number of entries that were ever used or freed; the entries after them were never touched.
    @usableFromInline
    var entryCount: Int
    /// The first of the free entries, chained through `older`; 0 where entries are placed by number, because the
    /// caller chooses the numbers.
    @usableFromInline
    var firstFree: UInt32
    @usableFromInline
    let queueCount: Int

    /// An empty table.
    @inlinable
    init(queueCount: Int) {
        self.queueCount = queueCount
        objectCapacity = Entry.isPlacedByNumber ? 0 : 64
        entryOfObject = .allocate(capacity: objectCapacity)
        entryOfObject.initialize(repeating: 0, count: objectCapacity)
        entryCapacity = Entry.isPlacedByNumber ? queueCount : 64
        entries = .allocate(capacity: entryCapacity)
        notes = Self.allocateNotes(entryCapacity)
        entryCount = 0
        firstFree = 0
        makeQueues()
    }

    @inlinable
    deinit {
        entryOfObject.deallocate()
        entries.deallocate()
        notes.deallocate()
    }

    /// Memory for notes. Empty notes get no memory, because each would take a byte.
    @inlinable
    static func allocateNotes(_ count: Int) -> UnsafeMutablePointer<Note> {
        .allocate(capacity: MemoryLayout<Note>.size == 0 ? 0 : count)
    }

    @inlinable
    mutating func makeQueues() {
        for queue in 0..<queueCount {
            let number = UInt32(truncatingIfNeeded: queue)
            entries[queue] = Entry(newer: number, older: number)
            notes[queue] = Note()
        }
        entryCount = queueCount
        firstFree = 0
    }

    /// Removes everything, but keeps the memory.
    @inlinable
    mutating func removeAll() {
        entryOfObject.update(repeating: 0, count: objectCapacity)
        makeQueues()
    }

    /// The entry of an object, 0 when there is none.
    @inlinable
    @inline(__always)
    func entry(of object: ObjectID) -> UInt32 {
        if Entry.isPlacedByNumber {
            let place = place(of: object)
            return place < entryCount && entries[place].charge != 0 ? UInt32(truncatingIfNeeded: place) : 0
        }
        return Int(object) < objectCapacity ? entryOfObject[Int(object)] : 0
    }

    /// The entry of an object that has one.
    @inlinable
    @inline(__always)
    func knownEntry(of object: ObjectID) -> UInt32 {
        Entry.isPlacedByNumber ? UInt32(truncatingIfNeeded: place(of: object)) : entryOfObject[Int(object)]
    }

    /// The place of an object's entry, if it has one; only where entries are placed by number.
    @inlinable
    @inline(__always)
    func place(of object: ObjectID) -> Int { Int(object) &+ queueCount }

    /// A queue's oldest entry; the queue itself when it is empty.
    @inlinable
    @inline(__always)
    func oldest(_ queue: UInt32) -> UInt32 { entries[Int(queue)].newer }

    /// A queue's newest entry; the queue itself when it is empty.
    @inlinable
    @inline(__always)
    func newest(_ queue: UInt32) -> UInt32 { entries[Int(queue)].older }

    @inlinable
    @inline(__always)
    func isEmpty(_ queue: UInt32) -> Bool { entries[Int(queue)].newer == queue }

    /// The next newer entry; for a queue's newest entry, the queue.
    @inlinable
    @inline(__always)
    func newer(_ entry: UInt32) -> UInt32 { entries[Int(entry)].newer }

    /// The next older entry; for a queue's oldest entry, the queue.
    @inlinable
    @inline(__always)
    func older(_ entry: UInt32) -> UInt32 { entries[Int(entry)].older }

    @inlinable
    @inline(__always)
    func object(_ entry: UInt32) -> ObjectID {
        if Entry.isPlacedByNumber { return entry &- UInt32(truncatingIfNeeded: queueCount) }
        return entries[Int(entry)].object
    }

    /// The amount of the capacity that the entry's object takes.
    @inlinable
    @inline(__always)
    func charge(_ entry: UInt32) -> UInt32 { Entry.countsAsOne ? 1 : entries[Int(entry)].charge }

    @inlinable
    @inline(__always)
    func setCharge(_ entry: UInt32, _ charge: UInt32) { entries[Int(entry)].charge = charge }
}
