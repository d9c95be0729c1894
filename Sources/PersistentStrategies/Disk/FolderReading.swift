import CacheStrategies
import Foundation

/// What a folder holds when it is opened: the last record of each entry, from its index, or from the headers of its
/// files if there is no usable index.
///
/// After an orderly close, opening reads the index alone: linear in the entries, without touching their files. After a
/// kill it also reads the names of all files, and the headers of the few files whose operations were in flight. Without
/// an index it reads a header of 48 bytes of each file. The order of use isn't kept on disk; the order of the inserts
/// replaces it.
struct FolderReading {
    /// The last record of each entry whose file isn't removed, in no order.
    private(set) var records: [IndexRecord?] = []
    private var freePlaces: [Int] = []
    /// The place of each entry in `records`.
    private(set) var places: [KeyDigest: Int] = [:]
    /// Entries whose last record is a removal.
    private var removed: Set<KeyDigest> = []
    /// The digests of the last records, in a ring buffer.
    private var recent: [KeyDigest] = []
    private var last: IndexRecord?
    /// Records that were read, all of them whole.
    private(set) var recordCount = 0
    /// The checksum of the last record.
    private(set) var chain = IndexPreamble.chain
    /// Whether the index file holds these entries and nothing else, so that records can be added to it.
    private(set) var isIndexed = true
    /// Removed entries whose files are still there.
    private(set) var doomed: [KeyDigest] = []

    /// The most records in flight at once; an index that states more counts as damaged.
    static let recentMax = 4_096
    /// Records that are read at once.
    private static let recordsPerChunk = 16_384

    /// Whether the cache was closed, so that no operation was in flight since.
    var isClosed: Bool { last?.kind == .closed && isIndexed }

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

    /// The greatest number of an insert that was found.
    var lastSequence: UInt64 { records.lazy.compactMap { $0?.sequence }.max() ?? 0 }

    /// Reads a folder. Removes the leftovers of interrupted writes, and files known to be damaged.
    ///
    /// Files with other names are left alone. A damaged file that can't be removed is left as well: each read checks it
    /// again.
    ///
    /// - Throws: when the folder can't be listed, or when the process can't open any more files; a shortage must not
    ///   cost the entries.
    init(of folder: EntryFolder, limits: DiskLimits) throws(FileLayerError) {
        do throws(EntryFault) {
            // With room for earlier, higher limits.
            try self.init(indexOf: folder, recordCountMax: max(1 << 20, min(limits.entries, 1 << 23)) * 8)
            if !isClosed { try recover(folder) }
        } catch {
            if let shortage = error.shortage { throw shortage }
            try self.init(headersIn: folder)
        }
    }

    /// Reads a folder's index.
    ///
    /// Linear in the records; no other file is touched.
    ///
    /// - Parameter recordCountMax: a longer index counts as damaged.
    /// - Throws: why there is no usable index.
    init(indexOf folder: EntryFolder, recordCountMax: Int = .max) throws(EntryFault) {
        let (file, size) = try folder.open(EntryFolder.indexName)
        defer { try? folder.layer.close(file) }
        let preamble = IndexPreamble.bytes
        guard size >= preamble.count else { throw .wrongSize }
        guard try folder.readAll(preamble.count, from: file) == preamble else { throw .wrongMagic }
        var left = (size - preamble.count) / IndexRecord.byteCount
        guard left <= recordCountMax else { throw .wrongSize }
        // A kill may leave an incomplete record at the end.
        isIndexed = (size - preamble.count) % IndexRecord.byteCount == 0
        records.reserveCapacity(left)
        places.reserveCapacity(left)
        while left > 0 {
            let count = min(left, Self.recordsPerChunk)
            let bytes = try folder.readAll(count * IndexRecord.byteCount, from: file)
            // `withUnsafeBytes` of `Data` doesn't pass a typed error on.
            let result = bytes.withUnsafeBytes { buffer in
                Result { () throws(EntryFault) in
                    for start in stride(from: 0, to: buffer.count, by: IndexRecord.byteCount) {
                        let record = UnsafeRawBufferPointer(rebasing: buffer[start..<start + IndexRecord.byteCount])
                        take(try IndexRecord(decoding: record, &chain))
                    }
                }
            }
            try result.get()
            left -= count
        }
    }

    /// Reads every file's header.
    private init(headersIn folder: EntryFolder) throws(FileLayerError) {
        isIndexed = false
        for name in try folder.names() {
            if EntryFolder.isTemporary(name) {
                folder.removeLeftover(name)
            } else if let digest = KeyDigest(fileName: name) {
                do {
                    set(.written(digest, try folder.readHeader(name)))
                } catch {
                    if let shortage = error.shortage { throw shortage }
                    folder.removeLeftover(name)
                }
            }
        }
    }
}

extension FolderReading {
    /// Applies the next record.
    private mutating func take(_ record: IndexRecord) {
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
        case .closed: break
        }
    }

    /// Adds or replaces an entry by a record.
    private mutating func set(_ new: IndexRecord) {
        let record = new.with(unsettledCount: 0)
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

    private mutating func drop(_ digest: KeyDigest) {
        removed.insert(digest)
        if let place = places.removeValue(forKey: digest) {
            records[place] = nil
            freePlaces.append(place)
        }
    }

    /// Entries whose files may have been about to change when the last record was written; `nil` when the last record
    /// states more of them than the ring holds.
    private var unsettled: Set<KeyDigest>? {
        guard let last else { return [] }
        let count = min(Int(last.unsettledCount) + 1, recordCount)
        guard count <= recent.count else { return nil }
        return Set((1...count).map { recent[(recordCount - $0) % Self.recentMax] })
    }

    /// Corrects the index of a cache that was not closed by the names of all files, and by the headers of those that
    /// are in doubt.
    private mutating func recover(_ folder: EntryFolder) throws(EntryFault) {
        guard let unsettled else { throw .numberOutOfRange }
        let names: [String]
        do {
            names = try folder.names()
        } catch {
            throw .unreadable(error)
        }
        var isThere = Array(repeating: false, count: records.count)
        var inDoubt: [KeyDigest] = []
        for name in names {
            if EntryFolder.isTemporary(name) {
                folder.removeLeftover(name)
            } else if let digest = KeyDigest(fileName: name) {
                if let place = places[digest] {
                    isThere[place] = true
                    if unsettled.contains(digest) { inDoubt.append(digest) }
                } else if removed.contains(digest) {
                    doomed.append(digest)
                } else {
                    inDoubt.append(digest)
                }
            }
        }
        for digest in zip(records, isThere).compactMap({ $1 ? nil : $0?.digest }) {
            drop(digest)
            isIndexed = false
        }
        for digest in inDoubt { try look(at: digest, folder) }
    }

    /// Takes over an entry as its file has it.
    private mutating func look(at digest: KeyDigest, _ folder: EntryFolder) throws(EntryFault) {
        do throws(EntryFault) {
            let record = IndexRecord.written(digest, try folder.readHeader(digest.fileName))
            if let place = places[digest], records[place] == record { return }
            set(record)
        } catch {
            if error.shortage != nil { throw error }
            drop(digest)
            folder.removeLeftover(digest.fileName)
        }
        isIndexed = false
    }
}
