/// LFU as an order of objects that another policy evicts from.
extension LFUPolicy {
    /// Adds an object that has no entry, with one use and without evicting, and returns its entry.
    @inlinable
    @inline(__always)
    mutating func append(_ object: ObjectID) -> UInt32 {
        let entry = table.add(object, charge: 1)
        enter(entry)
        budget.add(1)
        return entry
    }

    /// The number of uses of an entry.
    @inlinable
    @inline(__always)
    func uses(_ entry: UInt32) -> UInt32 { table.notes[Int(table.notes[Int(entry)].higher)].uses }

    /// Adds an object that has no entry, with a number of uses and without evicting, and returns its entry.
    /// O(different frequencies below that number).
    @inlinable
    mutating func append(_ object: ObjectID, uses: UInt32) -> UInt32 {
        if uses == 1 { return append(object) }
        var (lower, frequency): (UInt32, UInt32) = (0, table.notes[0].higher)
        while frequency != 0, table.notes[Int(frequency)].uses < uses {
            (lower, frequency) = (frequency, table.notes[Int(frequency)].higher)
        }
        if frequency == 0 || table.notes[Int(frequency)].uses != uses {
            frequency = addFrequency(uses, after: lower)
        }
        let entry = table.add(object, charge: 1)
        table.notes[Int(entry)].higher = frequency
        table.link(entry, before: frequency)
        budget.add(1)
        return entry
    }
}
