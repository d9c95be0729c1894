import Foundation

/// The content of an index, read from its beginning: the last record of each entry.
struct IndexReading {
    /// The last record of each entry whose file isn't removed, in no order.
    private(set) var records: [IndexRecord?] = []
    private var freePlaces: [Int] = []
    /// The place of each entry in `records`.
    private(set) var places: [KeyDigest: Int] = [:]
    /// Entries whose last record is a removal.
    private(set) var removed: Set<KeyDigest> = []
    /// The digests of the last records, in a ring buffer.
    private var recent: [KeyDigest] = []
    private var last: IndexRecord?
    /// Records that were read, all of them whole.
    private(set) var recordCount = 0
    /// The checksum of the last record.
    private(set) var chain = IndexPreamble.chain
    /// Bytes after the last whole record: an incomplete record that a kill left.
    private(set) var tornByteCount = 0

    /// The most records in flight at once; an index that states more counts as damaged.
    static let recentMax = 4_096
    /// Records that are read at once.
    private static let recordsPerChunk = 16_384

    /// Whether the cache was closed, so that no operation was in flight since.
    var isClosed: Bool { last?.kind == .closed && tornByteCount == 0 }

    /// The number of entries.
    var entryCount: Int { places.count }

    /// The places of all entries, in the order of their inserts. O(n log n).
    var slotsInOrder: [Int] {
        var slots = records.indices.filter { records[$0] != nil }
        func isBefore(_ first: Int, _ second: Int) -> Bool {
            guard let first = records[first], let second = records[second] else { return false }
            return first.sequence == second.sequence
                ? first.digest.isBefore(second.digest) : first.sequence < second.sequence
        }
        // Usually they are in order already.
        if zip(slots, slots.dropFirst()).contains(where: { isBefore($1, $0) }) { slots.sort(by: isBefore) }
        return slots
    }

    /// The last records of all entries, in the order of their inserts. O(n log n).
    var entries: [IndexRecord] { slotsInOrder.compactMap { records[$0] } }

    /// Entries whose files may have been about to change when the last record was written; `nil` when the last record
    /// states more of them than the ring holds.
    var unsettled: Set<KeyDigest>? {
        guard let last else { return [] }
        let count = min(Int(last.unsettledCount) + 1, recordCount)
        guard count <= recent.count else { return nil }
        return Set((1...count).map { recent[(recordCount - $0) % Self.recentMax] })
    }

    /// The greatest number of an insert in the index.
    var lastSequence: UInt64 { records.lazy.compactMap { $0?.sequence }.max() ?? 0 }

    /// Reserves room for a number of records.
    mutating func reserve(_ count: Int) {
        records.reserveCapacity(count)
        places.reserveCapacity(count)
    }

    /// Applies the next record.
    mutating func take(_ record: IndexRecord) {
        if recent.count < Self.recentMax {
            recent.append(record.digest)
        } else {
            recent[recordCount % Self.recentMax] = record.digest
        }
        recordCount += 1
        last = record
        switch record.kind {
        case .written: set(record)
        case .removed: drop(record.digest)
        case .closed, .opened: break
        }
    }

    /// Adds or replaces an entry by a record.
    mutating func set(_ record: IndexRecord) {
        if !removed.isEmpty { removed.remove(record.digest) }
        if let place = places[record.digest] {
            records[place] = record
        } else if let place = freePlaces.popLast() {
            places[record.digest] = place
            records[place] = record
        } else {
            places[record.digest] = records.count
            records.append(record)
        }
    }

    /// Removes an entry.
    mutating func drop(_ digest: KeyDigest) {
        removed.insert(digest)
        if let place = places.removeValue(forKey: digest) {
            records[place] = nil
            freePlaces.append(place)
        }
    }
}

extension IndexReading {
    /// Reads a folder's index.
    ///
    /// Linear in the records; no other file is touched.
    ///
    /// - Parameters:
    ///   - folder: the folder.
    ///   - recordCountMax: a longer index counts as damaged.
    ///   - limit: the most records to read, of an index that grows meanwhile.
    /// - Throws: why there is no usable index.
    init(of folder: EntryFolder, recordCountMax: Int, limit: Int = .max) throws(EntryFault) {
        let (file, size) = try folder.open(EntryFolder.indexName)
        defer { try? folder.layer.close(file) }
        let preamble = IndexPreamble.bytes
        guard size >= preamble.count else { throw .wrongSize }
        guard try folder.readAll(preamble.count, from: file) == preamble else { throw .wrongMagic }
        var left = (size - preamble.count) / IndexRecord.byteCount
        guard left <= recordCountMax else { throw .wrongSize }
        tornByteCount = (size - preamble.count) % IndexRecord.byteCount
        left = min(left, limit)
        reserve(left)
        while left > 0 {
            let count = min(left, Self.recordsPerChunk)
            let bytes = try folder.readAll(count * IndexRecord.byteCount, from: file)
            try takeAll(count, bytes)
            left -= count
        }
    }

    private mutating func takeAll(_ count: Int, _ bytes: Data) throws(EntryFault) {
        // `withUnsafeBytes` of `Data` doesn't pass a typed error on.
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(EntryFault) in
                for place in 0..<count {
                    let start = place * IndexRecord.byteCount
                    let record = UnsafeRawBufferPointer(rebasing: buffer[start..<start + IndexRecord.byteCount])
                    take(try IndexRecord(decoding: record, &chain))
                }
            }
        }
        try result.get()
    }
}
