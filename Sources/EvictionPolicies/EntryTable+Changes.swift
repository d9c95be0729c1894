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
    mutating func add(_ object: ObjectID, charge: UInt32) -> UInt32 {
        let entry: UInt32
        if Entry.isPlacedByNumber {
            let place = place(of: object)
            if place >= entryCount { makeFree(upTo: place) }
            entry = UInt32(truncatingIfNeeded: place)
        } else {
            entry = takeEntry()
            setEntry(entry, of: object)
        }
        entries[Int(entry)].charge = charge
        notes[Int(entry)] = Note()
        return entry
    }

    /// Gives an entry, in its present place, to another object, which has none. The note stays.
    ///
    /// Not for tables whose entries are placed by number.
    @inlinable
    @inline(__always)
    mutating func give(_ entry: UInt32, to object: ObjectID, charge: UInt32) {
        entryOfObject[Int(entries[Int(entry)].object)] = 0
        setEntry(entry, of: object)
        entries[Int(entry)].charge = charge
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
