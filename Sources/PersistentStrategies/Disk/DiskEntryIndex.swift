public import CacheStrategies
public import EvictionPolicies
import Foundation

/// A value whose file isn't written yet.
final class StagedValue: Sendable {
    let value: any CacheableValue
    /// The encoded value, if it is already known.
    let encoded: Data?
    let keyBytes: Data

    init(value: any CacheableValue, encoded: Data?, keyBytes: Data) {
        self.value = value
        self.encoded = encoded
        self.keyBytes = keyBytes
    }
}

/// What the cache knows about an entry, without its value.
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
    var staged: StagedValue?

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

/// What the cache knows about its entries, in memory and on disk: their digests, their sizes and the order of use.
/// Plain state, without I/O and without a lock.
///
/// Lookup, insert, removal and finding a victim are O(1). An entry costs about 200 bytes when its value is only on
/// disk.
@usableFromInline
struct DiskEntryIndex: ~Copyable {
    let limits: DiskLimits
    private(set) var totalCost = 0
    private(set) var totalFileBytes = 0
    private(set) var stagedCount = 0
    private(set) var stagedCost = 0
    private(set) var entries: [DiskEntry?] = []
    private var slotOfDigest: [KeyDigest: Int] = [:]
    /// All slots in the order of their last use.
    @usableFromInline
    var order = LiveLRU(capacity: .entries(.max))
    private var freeSlots: [Int] = []

    init(limits: DiskLimits) { self.limits = limits }

    /// Takes over the entries of a folder, into an empty index.
    ///
    /// O(n log n). If the limits admit all entries, each keeps the slot in which it was read, and no table is built
    /// again.
    ///
    /// - Returns: the digests of the entries that the limits don't admit, the oldest first.
    mutating func take(_ reading: FolderReading) -> [KeyDigest] {
        if takeAll(reading) { return [] }
        var evicted: [KeyDigest] = []
        for record in reading.entries {
            guard limits.admits(cost: record.cost, fileBytes: record.fileByteCount) else {
                evicted.append(record.digest)
                continue
            }
            while let victim = victim(newEntries: 1, cost: record.cost, fileBytes: record.fileByteCount) {
                _ = remove(victim)
                evicted.append(victim)
            }
            _ = add(DiskEntry(record))
        }
        return evicted
    }

    private mutating func takeAll(_ reading: FolderReading) -> Bool {
        guard reading.entryCount <= limits.entries else { return false }
        var (cost, fileBytes) = (0, 0)
        for record in reading.records.lazy.compactMap(\.self) {
            // Costs may be as great as `Int.max`.
            let costs = cost.addingReportingOverflow(record.cost)
            let bytes = fileBytes.addingReportingOverflow(record.fileByteCount)
            guard !costs.overflow, !bytes.overflow, costs.partialValue <= limits.cost,
                bytes.partialValue <= limits.fileBytes
            else { return false }
            (cost, fileBytes) = (costs.partialValue, bytes.partialValue)
        }
        (totalCost, totalFileBytes) = (cost, fileBytes)
        slotOfDigest = reading.places
        entries = reading.records.map { $0.map(DiskEntry.init) }
        freeSlots = reading.records.indices.filter { reading.records[$0] == nil }
        order.reserve(reading.records.count)
        for slot in reading.slotsInOrder { _ = order.insert(ObjectID(slot), weight: 1) }
        return true
    }

    /// Entries held, each key once.
    var count: Int { slotOfDigest.count }

    /// The slot of a digest. Doesn't count as a use.
    func slot(_ digest: KeyDigest) -> Int? { slotOfDigest[digest] }

    /// The entry of a digest. Doesn't count as a use.
    func entry(_ digest: KeyDigest) -> DiskEntry? { slotOfDigest[digest].flatMap { entries[$0] } }

    /// Whether there is an entry that can be found. Doesn't count as a use.
    func holds(_ digest: KeyDigest) -> Bool { entry(digest)?.isHidden == false }

    /// Hides an entry whose value is only in its file.
    mutating func hide(_ digest: KeyDigest) {
        if let slot = slotOfDigest[digest] { entries[slot]?.isHidden = true }
    }

    /// Makes an entry the most recently used one, and returns it with its slot; `nil` for a hidden one.
    mutating func use(_ digest: KeyDigest) -> (slot: Int, entry: DiskEntry)? {
        guard let slot = slotOfDigest[digest], let entry = entries[slot], !entry.isHidden else { return nil }
        order.useResident(ObjectID(slot))
        return (slot, entry)
    }

    /// The entry to evict before another one fits, or `nil` when there is room.
    ///
    /// - Parameters:
    ///   - newEntries: entries to be added, 0 or 1.
    ///   - cost: the cost to be added; within the limit.
    ///   - fileBytes: the file's bytes to be added; within the limit.
    func victim(newEntries: Int, cost: Int, fileBytes: Int) -> KeyDigest? {
        // Subtracted rather than added: costs may be as great as `Int.max`.
        let isFull =
            count > limits.entries - newEntries || totalCost > limits.cost - cost
            || totalFileBytes > limits.fileBytes - fileBytes
        guard isFull, let slot = order.oldest else { return nil }
        return entries[Int(slot)]?.digest
    }

    /// Adds an entry as the most recently used one, and returns its slot.
    ///
    /// The digest must have no entry, and there must be room: ``victim(newEntries:cost:fileBytes:)`` returns `nil`.
    mutating func add(_ entry: DiskEntry) -> Int {
        let slot = freeSlots.popLast() ?? entries.count
        if slot == entries.count { entries.append(entry) } else { entries[slot] = entry }
        slotOfDigest[entry.digest] = slot
        totalCost += entry.cost
        totalFileBytes += entry.fileBytes
        if entry.staged != nil {
            stagedCount += 1
            stagedCost += entry.cost
        }
        _ = order.insert(ObjectID(slot), weight: 1)
        return slot
    }

    /// Removes an entry.
    ///
    /// - Returns: the entry, so that the caller releases its value outside the lock, and the slot that it had.
    mutating func remove(_ digest: KeyDigest) -> (slot: Int, entry: DiskEntry)? {
        guard let slot = slotOfDigest.removeValue(forKey: digest), let entry = entries[slot] else { return nil }
        if entry.staged != nil {
            stagedCount -= 1
            stagedCost -= entry.cost
        }
        totalCost -= entry.cost
        totalFileBytes -= entry.fileBytes
        entries[slot] = nil
        order.remove(ObjectID(slot))
        freeSlots.append(slot)
        return (slot, entry)
    }

    /// Notes that an entry's file is about to be written, and its length. There must be room for it.
    mutating func beginFile(_ digest: KeyDigest, byteCount: Int) {
        guard let slot = slotOfDigest[digest] else { return }
        totalFileBytes += byteCount - (entries[slot]?.fileBytes ?? 0)
        entries[slot]?.fileBytes = byteCount
        entries[slot]?.mayHaveFile = true
    }

    /// Drops the value that waited to be written; the entry stays.
    mutating func unstage(_ digest: KeyDigest) {
        guard let slot = slotOfDigest[digest], let entry = entries[slot], entry.staged != nil else { return }
        entries[slot]?.staged = nil
        stagedCount -= 1
        stagedCost -= entry.cost
    }

    /// A record of each entry for the folder's index, in the order of the inserts. O(n log n).
    var records: [IndexRecord] {
        entries.compactMap(\.self).filter(\.mayHaveFile).sorted { $0.generation < $1.generation }.map {
            IndexRecord(
                kind: .written, digest: $0.digest, sequence: $0.generation, cost: $0.cost,
                fileByteCount: $0.fileBytes)
        }
    }

    /// The digests from the most to the least recently used. O(n).
    var digestsByRecency: [KeyDigest] { order.objectsByRecency.compactMap { entries[Int($0)]?.digest } }

    /// Faults of the index, one line each; empty when there are none. O(n).
    ///
    /// Checks that order and table agree, that sums are those of the entries, and that limits are kept.
    func checkInvariants() -> [String] {
        var broken: [String] = []
        func check(_ isTrue: Bool, _ message: @autoclosure () -> String) {
            if !isTrue { broken.append(message()) }
        }
        let all = slotOfDigest.values.compactMap { entries[$0] }
        let staged = all.filter { $0.staged != nil }
        check(all.count == count, "\(count) digests, \(all.count) entries")
        let slots = Set(order.objectsByRecency.map { Int($0) })
        check(slots == Set(slotOfDigest.values), "the order holds other slots than the table")
        check(order.count == count, "\(order.count) slots in order, \(count) entries")
        check(all.reduce(0) { $0 + $1.cost } == totalCost, "total cost \(totalCost) isn't the sum")
        check(all.reduce(0) { $0 + $1.fileBytes } == totalFileBytes, "file bytes \(totalFileBytes) aren't the sum")
        check(staged.count == stagedCount, "\(staged.count) entries staged, \(stagedCount) counted")
        check(staged.reduce(0) { $0 + $1.cost } == stagedCost, "staged cost \(stagedCost) isn't the sum")
        check(count <= limits.entries, "\(count) entries, limit \(limits.entries)")
        check(totalCost <= limits.cost, "cost \(totalCost), limit \(limits.cost)")
        check(totalFileBytes <= limits.fileBytes, "file bytes \(totalFileBytes), limit \(limits.fileBytes)")
        check(!all.contains { $0.isHidden && $0.staged != nil }, "a hidden entry can be found")
        check(all.allSatisfy { $0.mayHaveFile || $0.staged != nil }, "an entry has neither a file nor a staged value")
        return broken
    }
}

/// How the configured limits apply to memory and disk together.
///
/// | limit | configured | not configured |
/// | --- | --- | --- |
/// | entries | as configured | 1,000,000 |
/// | sum of costs | as configured | none |
/// | bytes of the files | the cost limit, but at least 1 MiB | 1 GiB |
/// | entries decoded in memory | a quarter, rounded up | a quarter |
/// | their costs | a quarter, rounded up | 64 MiB |
///
/// A key counts once, wherever its value is. The files' bytes have a minimum because below it headers outweigh the
/// values. Memory is a fraction, so that the disk is really read.
struct DiskLimits: Sendable, Hashable {
    /// The most entries, in memory and on disk together.
    let entries: Int
    /// The most the entries' costs may add up to, in bytes.
    let cost: Int
    /// The most bytes of all entry files, headers and keys included.
    let fileBytes: Int
    /// The most entries held decoded in memory.
    let memoryEntries: Int
    /// The most the costs of the entries in memory may add up to, in bytes.
    let memoryCost: Int

    /// Negative limits count as 0, which allows no entry (entries) or only entries without cost (cost).
    init(entryLimit: Int?, costLimit: Int?) {
        entries = max(0, entryLimit ?? 1_000_000)
        cost = max(0, costLimit ?? Int.max)
        fileBytes = costLimit.map { max($0, 1 << 20) } ?? 1 << 30
        memoryEntries = entries / 4 + (entries % 4 == 0 ? 0 : 1)
        memoryCost = costLimit.map { max(0, $0) / 4 + (max(0, $0) % 4 == 0 ? 0 : 1) } ?? 64 << 20
    }

    /// Whether an entry is small enough to be held at all.
    ///
    /// - Parameter fileBytes: the bytes of its file, 0 while they are unknown.
    func admits(cost: Int, fileBytes: Int) -> Bool {
        entries > 0 && cost <= self.cost && fileBytes <= self.fileBytes
    }
}
