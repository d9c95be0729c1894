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
        for queue in 0..<queueCount {
            let number = UInt32(truncatingIfNeeded: queue)
            entries[queue] = Entry(newer: number, older: number)
            notes[queue] = Note()
        }
        entryCount = queueCount
        firstFree = 0
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
    func charge(_ entry: UInt32) -> UInt64 { Entry.countsAsOne ? 1 : entries[Int(entry)].charge }

    @inlinable
    @inline(__always)
    func setCharge(_ entry: UInt32, _ charge: UInt64) { entries[Int(entry)].charge = charge }
}

extension EntryTable {
    /// Removes an entry from its queue, but leaves its own links unchanged.
    @inlinable
    @inline(__always)
    func unlink(_ entry: UInt32) {
        let newer = entries[Int(entry)].newer
        let older = entries[Int(entry)].older
        entries[Int(older)].newer = newer
        entries[Int(newer)].older = older
    }

    /// Links an entry that is in no queue between an entry (or a queue) and the one before it.
    ///
    /// The place before a queue is the queue's newest place.
    @inlinable
    @inline(__always)
    func link(_ entry: UInt32, before next: UInt32) {
        let previous = entries[Int(next)].older
        entries[Int(entry)].newer = next
        entries[Int(entry)].older = previous
        entries[Int(previous)].newer = entry
        entries[Int(next)].older = entry
    }

    /// Makes an entry a ring by itself.
    @inlinable
    @inline(__always)
    func linkAlone(_ entry: UInt32) {
        entries[Int(entry)].newer = entry
        entries[Int(entry)].older = entry
    }

    /// Makes an entry the newest of a queue, from any queue.
    @inlinable
    @inline(__always)
    func move(_ entry: UInt32, toNewestOf queue: UInt32) {
        unlink(entry)
        link(entry, before: queue)
    }

    /// Makes an entry the oldest of a queue, from any queue.
    @inlinable
    @inline(__always)
    func move(_ entry: UInt32, toOldestOf queue: UInt32) {
        unlink(entry)
        link(entry, before: entries[Int(queue)].newer)
    }

    /// Adds an entry for an object that has none. The entry is in no queue yet, and its note is new.
    @inlinable
    @inline(__always)
    mutating func add(_ object: ObjectID, charge: UInt64) -> UInt32 {
        let entry: UInt32
        if Entry.isPlacedByNumber {
            let place = place(of: object)
            if place >= entryCount { makeFree(upTo: place) }
            entry = UInt32(truncatingIfNeeded: place)
        } else {
            entry = takeEntry()
            setEntry(entry, of: object)
        }
        setCharge(entry, charge)
        notes[Int(entry)] = Note()
        return entry
    }

    /// Gives an entry, in its present place, to another object, which has none. The note stays.
    ///
    /// Not for tables whose entries are placed by number.
    @inlinable
    @inline(__always)
    mutating func give(_ entry: UInt32, to object: ObjectID, charge: UInt64) {
        entryOfObject[Int(entries[Int(entry)].object)] = 0
        setEntry(entry, of: object)
        setCharge(entry, charge)
    }

    @inlinable
    @inline(__always)
    mutating func setEntry(_ entry: UInt32, of object: ObjectID) {
        if Int(object) >= objectCapacity { growObjects(toHold: object) }
        entryOfObject[Int(object)] = entry
        entries[Int(entry)].object = object
    }

    /// Removes an entry from its queue and from the table.
    @inlinable
    @inline(__always)
    mutating func drop(_ entry: UInt32) {
        unlink(entry)
        if !Entry.isPlacedByNumber { entryOfObject[Int(entries[Int(entry)].object)] = 0 }
        free(entry)
    }

    /// Removes an entry from a table whose entries are not linked; the last entry moves into the gap. Not for tables
    /// whose entries are placed by number.
    @inlinable
    mutating func dropFillingGap(_ entry: UInt32) {
        entryCount &-= 1
        let last = entries[entryCount]
        entryOfObject[Int(entries[Int(entry)].object)] = 0
        guard Int(entry) != entryCount else { return }
        entries[Int(entry)] = last
        notes[Int(entry)] = notes[entryCount]
        entryOfObject[Int(last.object)] = entry
    }

    /// Takes an entry without an object. Not for tables whose entries are placed by number.
    @inlinable
    @inline(__always)
    mutating func takeEntry() -> UInt32 {
        if firstFree != 0 {
            let entry = firstFree
            firstFree = entries[Int(entry)].older
            return entry
        }
        if entryCount == entryCapacity { growEntries(to: entryCapacity * 2) }
        let entry = UInt32(truncatingIfNeeded: entryCount)
        entryCount &+= 1
        return entry
    }

    /// Frees an entry that is in no queue.
    @inlinable
    @inline(__always)
    mutating func free(_ entry: UInt32) {
        // Marks it as free.
        entries[Int(entry)].charge = 0
        if Entry.isPlacedByNumber { return }
        entries[Int(entry)].older = firstFree
        firstFree = entry
    }

    @inlinable
    @inline(never)
    mutating func growObjects(toHold object: ObjectID) {
        var larger = objectCapacity
        while larger <= Int(object) { larger *= 2 }
        let moved = UnsafeMutablePointer<UInt32>.allocate(capacity: larger)
        moved.update(from: entryOfObject, count: objectCapacity)
        (moved + objectCapacity).initialize(repeating: 0, count: larger - objectCapacity)
        entryOfObject.deallocate()
        entryOfObject = moved
        objectCapacity = larger
    }

    /// Marks untouched places as free, up to and including one of them. O(places), amortised.
    @inlinable
    @inline(never)
    mutating func makeFree(upTo place: Int) {
        if place >= entryCapacity { growEntries(to: max(entryCapacity * 2, place + 1)) }
        while entryCount <= place {
            var free = Entry(newer: 0, older: 0)
            free.charge = 0
            entries[entryCount] = free
            notes[entryCount] = Note()
            entryCount &+= 1
        }
    }

    /// Makes room for objects with numbers below `objectCount`, so that memory is not doubled beyond the need. Does
    /// nothing where entries are not placed by number. O(objects).
    @inlinable
    package mutating func reserve(_ objectCount: Int) {
        guard Entry.isPlacedByNumber else { return }
        let larger = objectCount + queueCount
        if larger > entryCapacity { growEntries(to: larger) }
    }

    @inlinable
    @inline(never)
    mutating func growEntries(to larger: Int) {
        // Entries have 32-bit numbers, the last of which means "no entry"; memory is exhausted before that limit.
        precondition(larger < 1 << 32)
        let movedEntries = UnsafeMutablePointer<Entry>.allocate(capacity: larger)
        movedEntries.update(from: entries, count: entryCount)
        entries.deallocate()
        entries = movedEntries
        let movedNotes = Self.allocateNotes(larger)
        if MemoryLayout<Note>.size > 0 { movedNotes.update(from: notes, count: entryCount) }
        notes.deallocate()
        notes = movedNotes
        entryCapacity = larger
    }
}
