import CacheStrategies

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
/// Lookup, insert and removal are O(1). An entry takes 64 bytes, and 16 to 32 bytes in the index. The time of opening a
/// large folder is mostly the first touch of memory and cache misses, and a dictionary with digests as keys has more of
/// both.
///
/// It is a class because it frees the memory of the index. A noncopyable structure with a `deinit` crashes the
/// optimizer of Swift 6.3.1 here.
final class DiskEntryTable {
    private var entries: [DiskEntry?] = []
    private var freeSlots: [Int] = []
    /// Finds the slots, plus one, by the digests' tags.
    private var index = HashIndex(capacity: 0)
    /// Has secrets, so that a caller who chooses keys by their digests can't make them collide.
    private let hasher = KeyHasher()
    private(set) var count = 0

    deinit { index.destroy() }

    /// All slots, also the free ones.
    var slots: Range<Int> { entries.indices }

    /// The entry in a slot, or `nil` in a free one. Only the parts of an entry may be changed by it.
    subscript(slot: Int) -> DiskEntry? {
        get { entries[slot] }
        set { entries[slot] = newValue }
    }

    /// The slot of a digest.
    func slot(_ digest: KeyDigest) -> Int? { slot(digest, tag(digest)) }

    /// Makes room, so that a known number of entries need not be moved as the table grows.
    func reserve(_ entryCount: Int) {
        entries.reserveCapacity(entryCount)
        index.reserve(entryCount)
    }

    /// Adds an entry, or replaces the one with its digest in the same slot.
    @discardableResult
    func set(_ entry: DiskEntry) -> Int {
        let tag = self.tag(entry.digest)
        if let slot = slot(entry.digest, tag) {
            entries[slot] = entry
            return slot
        }
        let slot = freeSlots.popLast() ?? entries.count
        if slot == entries.count { entries.append(entry) } else { entries[slot] = entry }
        count += 1
        index.reserve(count)
        index.insert(tag: tag, node: UInt32(slot + 1))
        return slot
    }

    /// Removes the entry with a digest, and returns it with the slot that it had.
    func remove(_ digest: KeyDigest) -> (slot: Int, entry: DiskEntry)? {
        let tag = self.tag(digest)
        guard let slot = slot(digest, tag), let entry = entries[slot] else { return nil }
        index.remove(tag: tag, node: UInt32(slot + 1))
        entries[slot] = nil
        freeSlots.append(slot)
        count -= 1
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

    private func tag(_ digest: KeyDigest) -> UInt32 { hasher.tag(ofWord: digest.words[0]) }

    private func slot(_ digest: KeyDigest, _ tag: UInt32) -> Int? {
        let node = index.node(tag: tag) { entries[Int($0) - 1]?.digest == digest }
        return node == 0 ? nil : Int(node) - 1
    }
}
