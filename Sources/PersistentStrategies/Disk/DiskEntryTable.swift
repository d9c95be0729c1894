/// What the cache knows about an entry, without its value. With its digest it takes 64 bytes and has no reference, so
/// that opening a folder touches little memory.
struct DiskEntry {
    let digest: KeyDigest
    let cost: Int
    /// The number of the insert that brought this value; a later insert has a greater one.
    let generation: UInt64
    /// Bytes of the file; 0 while they are unknown.
    var fileBytes: Int
    /// Whether the folder may hold a file with this digest, of this value or of an earlier one.
    var mayHaveFile = true
    /// Whether the entry comes from the folder's index and its file may hold another value: the file is right then.
    var isFound = false
    /// Whether the file couldn't be read, through no fault of its own. The entry is a miss as long as it has this
    /// value: otherwise a later lookup could find what was a miss before. It still counts, as its file does.
    var isHidden = false

    /// Whether a file's header has everything that is known about the entry. After two losses of power, another file
    /// may have the same sequence number.
    func matches(_ header: EntryHeader) -> Bool {
        header.sequence == generation && header.cost == cost && header.fileByteCount == fileBytes
    }
}

extension DiskEntry {
    /// An entry from the folder's index.
    init(_ record: IndexRecord) {
        self.init(
            digest: record.digest, cost: record.cost, generation: record.sequence, fileBytes: record.fileByteCount,
            isFound: true)
    }
}

extension IndexRecord {
    /// The record that an entry's file is written.
    init(_ entry: DiskEntry) {
        self.init(
            kind: .written, digest: entry.digest, sequence: entry.generation, cost: entry.cost,
            fileByteCount: entry.fileBytes)
    }
}

/// Entries, found by their digests or by their slots. A slot is a small number that an entry keeps until it is removed.
///
/// Lookup, insert and removal are O(1). An entry takes 64 bytes, and 11 to 21 bytes in a hash table with linear
/// probing. The time of opening a large folder is mostly the first touch of memory and cache misses, and a dictionary
/// with digests as keys has more of both. A digest is random, and the hash multiplies a word of it by a random number of
/// the table, so that a caller who chooses keys by their digests can't make them collide.
struct DiskEntryTable {
    private var entries: [DiskEntry?] = []
    private var freeSlots: [Int] = []
    /// The hash of a digest in the upper half and its slot, plus one, in the lower half; 0 in a free cell. The number
    /// of cells is a power of two, and at most three quarters of them are used.
    private var cells = [UInt64](repeating: 0, count: 64)
    private let multiplier = UInt64.random(in: .min ... .max) | 1
    private(set) var count = 0

    /// All slots, also the free ones.
    var slots: Range<Int> { entries.indices }

    /// The entry in a slot, or `nil` in a free one. Only the parts of an entry may be changed by it.
    subscript(slot: Int) -> DiskEntry? {
        get { entries[slot] }
        set { entries[slot] = newValue }
    }

    /// The slot of a digest.
    func slot(_ digest: KeyDigest) -> Int? {
        let cell = cells[cell(of: digest)]
        return cell == 0 ? nil : Self.slot(in: cell)
    }

    /// Makes room, so that a known number of entries need not be moved as the table grows.
    mutating func reserve(_ entryCount: Int) {
        entries.reserveCapacity(entryCount)
        var cellCount = cells.count
        while entryCount > cellCount / 4 * 3 { cellCount *= 2 }
        if cellCount > cells.count { rebuild(cellCount: cellCount) }
    }

    /// Adds an entry, or replaces the one with its digest in the same slot.
    @discardableResult
    mutating func set(_ entry: DiskEntry) -> Int {
        var cell = cell(of: entry.digest)
        if cells[cell] != 0 {
            let slot = Self.slot(in: cells[cell])
            entries[slot] = entry
            return slot
        }
        if count >= cells.count / 4 * 3 {
            rebuild(cellCount: cells.count * 2)
            cell = self.cell(of: entry.digest)
        }
        let slot = freeSlots.popLast() ?? entries.count
        if slot == entries.count { entries.append(entry) } else { entries[slot] = entry }
        cells[cell] = hash(entry.digest) << 32 | UInt64(slot + 1)
        count += 1
        return slot
    }

    /// Removes the entry with a digest, and returns it with the slot that it had.
    mutating func remove(_ digest: KeyDigest) -> (slot: Int, entry: DiskEntry)? {
        var hole = cell(of: digest)
        guard cells[hole] != 0 else { return nil }
        let slot = Self.slot(in: cells[hole])
        guard let entry = entries[slot] else { return nil }
        entries[slot] = nil
        freeSlots.append(slot)
        count -= 1
        // Each later cell of the row moves into the hole, unless its search begins after the hole.
        let mask = cells.count - 1
        var next = (hole + 1) & mask
        while cells[next] != 0 {
            let start = start(of: cells[next] >> 32)
            if (next - start) & mask >= (next - hole) & mask {
                cells[hole] = cells[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        cells[hole] = 0
        return (slot, entry)
    }

    /// The slots of all entries, in the order of their inserts. O(n log n), and O(n) if they are in order already.
    var slotsInOrder: [UInt32] {
        var slots: [UInt32] = []
        slots.reserveCapacity(count)
        var isInOrder = true
        func isBefore(_ first: UInt32, _ second: UInt32) -> Bool {
            guard let first = entries[Int(first)], let second = entries[Int(second)] else { return false }
            return first.generation == second.generation
                ? first.digest.isBefore(second.digest) : first.generation < second.generation
        }
        for slot in entries.indices where entries[slot] != nil {
            let slot = UInt32(slot)
            if let last = slots.last, isBefore(slot, last) { isInOrder = false }
            slots.append(slot)
        }
        if !isInOrder { slots.sort(by: isBefore) }
        return slots
    }

    /// A record of each entry that may have a file, in the order of the inserts. O(n log n).
    var records: [IndexRecord] {
        slotsInOrder.compactMap { entries[Int($0)] }.filter(\.mayHaveFile).map { IndexRecord($0) }
    }

    /// The cell of a digest, or the free cell where it belongs.
    private func cell(of digest: KeyDigest) -> Int {
        let hash = hash(digest)
        var place = start(of: hash)
        while true {
            let cell = cells[place]
            if cell == 0 { return place }
            if cell >> 32 == hash, entries[Self.slot(in: cell)]?.digest == digest { return place }
            place = (place + 1) & (cells.count - 1)
        }
    }

    private mutating func rebuild(cellCount: Int) {
        let old = cells
        cells = Array(repeating: 0, count: cellCount)
        for cell in old where cell != 0 {
            var place = start(of: cell >> 32)
            while cells[place] != 0 { place = (place + 1) & (cellCount - 1) }
            cells[place] = cell
        }
    }

    private static func slot(in cell: UInt64) -> Int { Int(cell & 0xFFFF_FFFF) - 1 }

    /// 32 bits.
    private func hash(_ digest: KeyDigest) -> UInt64 { (digest.words[0] &* multiplier) >> 32 }

    /// The cell where the search for a hash begins.
    private func start(of hash: UInt64) -> Int { Int(hash) & (cells.count - 1) }
}
