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

/// What the cache knows about its entries, in memory and on disk: their digests, their sizes and the order of use.
/// Plain state, without I/O and without a lock.
///
/// Lookup, insert, removal and finding a victim are O(1). An entry costs about 90 bytes when its value is only on disk.
@usableFromInline
struct DiskEntryIndex: ~Copyable {
    let limits: DiskLimits
    private(set) var totalCost = 0
    private(set) var totalFileBytes = 0
    /// The values that wait to be written, by the slots of their entries.
    private var staged: [Int: StagedValue] = [:]
    private(set) var stagedCost = 0
    private var table = DiskEntryTable()
    /// All slots in the order of their last use.
    @usableFromInline
    var order = LiveLRU(capacity: .entries(.max))

    init(limits: DiskLimits) { self.limits = limits }

    /// Takes over the entries of a folder, into an empty index.
    ///
    /// O(n log n). If the limits admit all entries, the table is taken over as it is.
    ///
    /// - Returns: the digests of the entries that the limits don't admit, the oldest first.
    mutating func take(_ found: DiskEntryTable) -> [KeyDigest] {
        let slots = found.slotsInOrder
        if let (cost, fileBytes) = sums(found, slots) {
            (totalCost, totalFileBytes) = (cost, fileBytes)
            order.reserve(found.slots.count)
            for slot in slots { _ = order.insert(ObjectID(slot), weight: 1) }
            table = found
            return []
        }
        var evicted: [KeyDigest] = []
        for slot in slots {
            guard let entry = found[Int(slot)] else { continue }
            guard limits.admits(cost: entry.cost, fileBytes: entry.fileBytes) else {
                evicted.append(entry.digest)
                continue
            }
            while let victim = victim(newEntries: 1, cost: entry.cost, fileBytes: entry.fileBytes) {
                _ = remove(victim)
                evicted.append(victim)
            }
            _ = add(entry)
        }
        return evicted
    }

    /// What all entries cost, and the bytes of their files; `nil` when the limits don't admit all of them.
    private func sums(_ found: DiskEntryTable, _ slots: [UInt32]) -> (cost: Int, fileBytes: Int)? {
        guard found.count <= limits.entries else { return nil }
        var (cost, fileBytes) = (0, 0)
        for slot in slots {
            guard let entry = found[Int(slot)] else { continue }
            // Costs may be as great as `Int.max`.
            let costs = cost.addingReportingOverflow(entry.cost)
            let bytes = fileBytes.addingReportingOverflow(entry.fileBytes)
            guard !costs.overflow, !bytes.overflow, costs.partialValue <= limits.cost,
                bytes.partialValue <= limits.fileBytes
            else { return nil }
            (cost, fileBytes) = (costs.partialValue, bytes.partialValue)
        }
        return (cost, fileBytes)
    }

    /// Entries held, each key once.
    var count: Int { table.count }

    /// The entries whose values wait to be written.
    var stagedCount: Int { staged.count }

    /// The slot of a digest. Doesn't count as a use.
    func slot(_ digest: KeyDigest) -> Int? { table.slot(digest) }

    /// The entry in a slot.
    subscript(slot: Int) -> DiskEntry? { table[slot] }

    /// The entry of a digest. Doesn't count as a use.
    func entry(_ digest: KeyDigest) -> DiskEntry? { table.slot(digest).flatMap { table[$0] } }

    /// The value of a digest that waits to be written, if there is one.
    func stagedValue(_ digest: KeyDigest) -> StagedValue? { table.slot(digest).flatMap { staged[$0] } }

    /// The value of the entry in a slot that waits to be written, if there is one.
    func stagedValue(slot: Int) -> StagedValue? { staged[slot] }

    /// Whether there is an entry that can be found. Doesn't count as a use.
    func holds(_ digest: KeyDigest) -> Bool { entry(digest)?.isHidden == false }

    /// Hides an entry whose value is only in its file.
    mutating func hide(_ digest: KeyDigest) {
        if let slot = table.slot(digest) { table[slot]?.isHidden = true }
    }

    /// Makes an entry the most recently used one, and returns it with its slot; `nil` for a hidden one.
    mutating func use(_ digest: KeyDigest) -> (slot: Int, entry: DiskEntry)? {
        guard let slot = table.slot(digest), let entry = table[slot], !entry.isHidden else { return nil }
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
        return table[Int(slot)]?.digest
    }

    /// Adds an entry as the most recently used one, and returns its slot.
    ///
    /// The digest must have no entry, and there must be room: ``victim(newEntries:cost:fileBytes:)`` returns `nil`.
    mutating func add(_ entry: DiskEntry, staged value: StagedValue? = nil) -> Int {
        let slot = table.set(entry)
        totalCost += entry.cost
        totalFileBytes += entry.fileBytes
        if let value {
            staged[slot] = value
            stagedCost += entry.cost
        }
        _ = order.insert(ObjectID(slot), weight: 1)
        return slot
    }

    /// Removes an entry.
    ///
    /// - Returns: the entry, the slot that it had, and the value that waited to be written, which the caller releases
    ///   outside the lock.
    mutating func remove(_ digest: KeyDigest) -> (slot: Int, entry: DiskEntry, staged: StagedValue?)? {
        let value = unstage(digest)
        guard let (slot, entry) = table.remove(digest) else { return nil }
        totalCost -= entry.cost
        totalFileBytes -= entry.fileBytes
        order.remove(ObjectID(slot))
        return (slot, entry, value)
    }

    /// Notes that an entry's file is about to be written, and its length. There must be room for it.
    mutating func beginFile(_ digest: KeyDigest, byteCount: Int) {
        guard let slot = table.slot(digest) else { return }
        totalFileBytes += byteCount - (table[slot]?.fileBytes ?? 0)
        table[slot]?.fileBytes = byteCount
        table[slot]?.mayHaveFile = true
    }

    /// Takes out the value that waited to be written; the entry stays.
    mutating func unstage(_ digest: KeyDigest) -> StagedValue? {
        guard let slot = table.slot(digest), let value = staged.removeValue(forKey: slot) else { return nil }
        stagedCost -= table[slot]?.cost ?? 0
        return value
    }

    /// A record of each entry for the folder's index, in the order of the inserts. O(n log n).
    var records: [IndexRecord] { table.records }

    /// The digests from the most to the least recently used. O(n).
    var digestsByRecency: [KeyDigest] { order.objectsByRecency.compactMap { table[Int($0)]?.digest } }

    /// Faults of the index, one line each; empty when there are none. O(n).
    ///
    /// Checks that order and table agree, that sums are those of the entries, and that limits are kept.
    func checkInvariants() -> [String] {
        var broken: [String] = []
        func check(_ isTrue: Bool, _ message: @autoclosure () -> String) {
            if !isTrue { broken.append(message()) }
        }
        let all = table.slots.compactMap { slot in table[slot].map { (slot: slot, entry: $0) } }
        check(all.count == count, "\(count) entries counted, \(all.count) there")
        check(all.allSatisfy { table.slot($1.digest) == $0 }, "an entry is not found by its digest")
        let slots = Set(order.objectsByRecency.map { Int($0) })
        check(slots == Set(all.map(\.slot)), "the order holds other slots than the table")
        check(order.count == count, "\(order.count) slots in order, \(count) entries")
        check(all.reduce(0) { $0 + $1.entry.cost } == totalCost, "total cost \(totalCost) isn't the sum")
        check(
            all.reduce(0) { $0 + $1.entry.fileBytes } == totalFileBytes, "file bytes \(totalFileBytes) aren't the sum")
        let waiting = all.filter { staged[$0.slot] != nil }
        check(waiting.count == stagedCount, "\(stagedCount) values staged, \(waiting.count) of entries")
        check(waiting.reduce(0) { $0 + $1.entry.cost } == stagedCost, "staged cost \(stagedCost) isn't the sum")
        check(count <= limits.entries, "\(count) entries, limit \(limits.entries)")
        check(totalCost <= limits.cost, "cost \(totalCost), limit \(limits.cost)")
        check(totalFileBytes <= limits.fileBytes, "file bytes \(totalFileBytes), limit \(limits.fileBytes)")
        check(!waiting.contains(where: \.entry.isHidden), "a hidden entry can be found")
        check(
            all.allSatisfy { $1.mayHaveFile || staged[$0] != nil }, "an entry has neither a file nor a staged value")
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
