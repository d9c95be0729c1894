import EvictionPolicies
import Foundation

/// What the cache knows about its entries, in memory and on disk: their digests, their sizes and the order of use.
/// Plain state, without I/O and without a lock.
///
/// Lookup, insert, removal and finding a victim are O(1). An entry costs about 200 bytes when its value is only on
/// disk.
struct DiskEntryIndex<Key: CacheableKey, Value: CacheableValue>: ~Copyable {
    /// A value whose file isn't written yet.
    struct Staged {
        let value: Value
        /// The encoded value, if it is already known.
        let encoded: Data?
        let keyBytes: Data
    }

    /// One entry.
    struct Entry {
        let digest: KeyDigest
        let cost: Int
        /// The number of the insert that brought this value; a later insert has a greater one.
        let generation: UInt64
        /// Bytes of the file; 0 while they are unknown.
        var fileBytes: Int
        /// Whether the folder may hold a file with this digest, of this value or of an earlier one.
        var mayHaveFile: Bool
        /// Whether the entry comes from the folder's index and its file may hold another value: the file is right then.
        var isFound = false
        /// Whether the file couldn't be read, through no fault of its own. The entry is a miss as long as it has this
        /// value: otherwise a later lookup could find what was a miss before. It still counts, as its file does.
        var isHidden = false
        /// The key, while the value is in memory.
        var key: Key?
        var value: Value?
        var staged: Staged?

        init(
            digest: KeyDigest, cost: Int, generation: UInt64, fileBytes: Int, mayHaveFile: Bool,
            staged: Staged? = nil
        ) {
            self.digest = digest
            self.cost = cost
            self.generation = generation
            self.fileBytes = fileBytes
            self.mayHaveFile = mayHaveFile
            self.staged = staged
        }

        /// An entry from the folder's index.
        init(_ record: IndexRecord) {
            self.init(
                digest: record.digest, cost: record.cost, generation: record.sequence,
                fileBytes: record.fileByteCount, mayHaveFile: true)
            isFound = true
        }
    }

    let limits: DiskLimits
    private(set) var totalCost = 0
    private(set) var totalFileBytes = 0
    var memoryCost = 0
    var stagedCount = 0
    var stagedCost = 0
    var entries: [Entry?] = []
    var slotOfKey: [Key: Int] = [:]
    /// The slots whose values are in memory, in the order of their last use.
    ///
    /// Not a `PolicyStore`: this code is not specialised for keys and values, and with a `PolicyStore` that isn't
    /// either, each operation of the cache takes 1.4 to 1.7 times the instructions.
    var memoryOrder = LiveLRU(capacity: .entries(.max))
    private(set) var slotOfDigest: [KeyDigest: Int] = [:]
    /// All slots in the order of their last use.
    private(set) var order = LiveLRU(capacity: .entries(.max))
    private var freeSlots: [Int] = []

    init(limits: DiskLimits) { self.limits = limits }

    /// Takes over the entries of a folder's index if they are within the limits: each entry in the slot in which it was
    /// read.
    ///
    /// O(n log n), and no table is built again.
    ///
    /// - Returns: whether it did; otherwise nothing has changed.
    mutating func take(_ reading: IndexReading) -> Bool {
        guard count == 0, reading.entryCount <= limits.entries else { return false }
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
        entries = reading.records.map { $0.map(Entry.init) }
        freeSlots = reading.records.indices.filter { reading.records[$0] == nil }
        order.reserve(reading.records.count)
        for slot in reading.slotsInOrder { _ = order.insert(ObjectID(slot), weight: 1) }
        return true
    }

    /// Entries held, each key once.
    var count: Int { slotOfDigest.count }

    /// The entry of a digest. Doesn't count as a use.
    func entry(_ digest: KeyDigest) -> Entry? {
        slotOfDigest[digest].flatMap { entries[$0] }
    }

    /// Makes an entry the most recently used one, also in memory if it is there.
    mutating func use(slot: Int) {
        order.useResident(ObjectID(slot))
        _ = memoryOrder.lookup(ObjectID(slot))
    }

    /// Whether there is an entry that can be found. Doesn't count as a use.
    func holds(_ digest: KeyDigest) -> Bool { entry(digest)?.isHidden == false }

    /// Hides an entry whose value is only in its file.
    mutating func hide(_ digest: KeyDigest) {
        if let slot = slotOfDigest[digest] { entries[slot]?.isHidden = true }
    }

    /// Makes an entry the most recently used one, and returns it; `nil` for a hidden one.
    mutating func use(_ digest: KeyDigest) -> Entry? {
        guard let slot = slotOfDigest[digest], entries[slot]?.isHidden == false else { return nil }
        use(slot: slot)
        return entries[slot]
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

    /// Adds an entry as the most recently used one; ``keepInMemory(_:_:forKey:)`` adds it to memory.
    ///
    /// The digest must have no entry, and there must be room: ``victim(newEntries:cost:fileBytes:)`` returns `nil`.
    mutating func add(_ entry: Entry) {
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
    }

    /// Removes an entry.
    ///
    /// - Returns: the entry, so that the caller releases its value outside the lock.
    mutating func remove(_ digest: KeyDigest) -> Entry? {
        guard let slot = slotOfDigest[digest], let entry = entries[slot] else { return nil }
        _ = dropFromMemory(slot: slot)
        unstage(digest)
        slotOfDigest[digest] = nil
        totalCost -= entry.cost
        totalFileBytes -= entry.fileBytes
        entries[slot] = nil
        order.remove(ObjectID(slot))
        freeSlots.append(slot)
        return entry
    }

    /// Notes that an entry's file is about to be written, and its length. There must be room for it.
    mutating func beginFile(_ digest: KeyDigest, byteCount: Int) {
        guard let slot = slotOfDigest[digest] else { return }
        totalFileBytes += byteCount - (entries[slot]?.fileBytes ?? 0)
        entries[slot]?.fileBytes = byteCount
        entries[slot]?.mayHaveFile = true
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
}
