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
    /// Each entry whose file isn't removed, by its last record.
    private(set) var table = DiskEntryTable()
    /// Entries whose last record is a removal.
    private var removed: Set<KeyDigest> = []
    /// The digests of the last records.
    private var recent: [KeyDigest] = []
    private var last: IndexRecord?
    /// The greatest number of an insert that was found.
    private(set) var lastSequence: UInt64 = 0
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
    /// Records that are read at once: few enough to stay in the processor's cache.
    private static let recordsPerChunk = 1_024

    /// Whether the cache was closed, so that no operation was in flight since.
    var isClosed: Bool { last?.kind == .closed && isIndexed }

    /// Reads a folder. Removes the leftovers of interrupted writes, and files known to be damaged.
    ///
    /// Files with other names are left alone. A damaged file that can't be removed is left as well: each read checks it
    /// again.
    ///
    /// - Throws: when the folder can't be listed, or when the process can't open any more files; a shortage must not
    ///   cost the entries.
    static func read(_ folder: EntryFolder, limits: DiskLimits) throws(FileLayerError) -> FolderReading {
        do throws(EntryFault) {
            // With room for earlier, higher limits.
            let recordCountMax = max(1 << 20, min(limits.entries, 1 << 23)) * 8
            var reading = try FolderReading(indexOf: folder, recordCountMax: recordCountMax)
            if !reading.isClosed { try reading.recover(folder) }
            return reading
        } catch {
            if let shortage = error.shortage { throw shortage }
            return try FolderReading(headersIn: folder)
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
        let chunk = UnsafeMutableRawBufferPointer.allocate(
            byteCount: min(left, Self.recordsPerChunk) * IndexRecord.byteCount, alignment: 8)
        defer { chunk.deallocate() }
        while left > 0 {
            let bytes = UnsafeMutableRawBufferPointer(rebasing: chunk.prefix(left * IndexRecord.byteCount))
            try folder.readAll(bytes, from: file)
            for start in stride(from: 0, to: bytes.count, by: IndexRecord.byteCount) {
                let record = UnsafeRawBufferPointer(rebasing: bytes[start..<start + IndexRecord.byteCount])
                take(try IndexRecord(decoding: record, &chain), isRecent: left <= Self.recentMax)
                left -= 1
            }
            // Not before a part of the index was found whole: a damaged one may have any size.
            table.reserve(table.count + left)
        }
    }

    /// Reads every file's header.
    private init(headersIn folder: EntryFolder) throws(FileLayerError) {
        isIndexed = false
        var digests: [KeyDigest] = []
        for name in try folder.forEachEntry({ digests.append($0) }) { folder.removeLeftover(name) }
        for digest in digests {
            do {
                set(.written(digest, try folder.readHeader(digest.fileName)))
            } catch {
                if let shortage = error.shortage { throw shortage }
                folder.removeLeftover(digest.fileName)
            }
        }
    }
}

extension FolderReading {
    /// Applies the next record.
    ///
    /// - Parameter isRecent: whether it is one of the last records, which may be in doubt.
    private mutating func take(_ record: IndexRecord, isRecent: Bool) {
        if isRecent { recent.append(record.digest) }
        recordCount += 1
        last = record
        switch record.kind {
        case .written: set(record)
        case .removed: drop(record.digest)
        case .closed: break
        }
    }

    /// Adds or replaces an entry by a record.
    private mutating func set(_ record: IndexRecord) {
        if !removed.isEmpty { removed.remove(record.digest) }
        lastSequence = max(lastSequence, record.sequence)
        table.set(DiskEntry(record))
    }

    private mutating func drop(_ digest: KeyDigest) {
        removed.insert(digest)
        _ = table.remove(digest)
    }

    /// Entries whose files may have been about to change when the last record was written; `nil` when the last record
    /// states more of them than are known.
    private var unsettled: Set<KeyDigest>? {
        guard let last else { return [] }
        let count = min(Int(last.unsettledCount) + 1, recordCount)
        guard count <= recent.count else { return nil }
        return Set(recent.suffix(count))
    }

    /// Corrects the index of a cache that was not closed by the names of all files, and by the headers of those that
    /// are in doubt.
    private mutating func recover(_ folder: EntryFolder) throws(EntryFault) {
        guard let unsettled else { throw .numberOutOfRange }
        var isThere = Array(repeating: false, count: table.slots.count)
        var (inDoubt, doomed): ([KeyDigest], [KeyDigest]) = ([], [])
        do {
            let leftovers = try folder.forEachEntry { digest in
                if let slot = table.slot(digest) {
                    isThere[slot] = true
                    if unsettled.contains(digest) { inDoubt.append(digest) }
                } else if removed.contains(digest) {
                    doomed.append(digest)
                } else {
                    inDoubt.append(digest)
                }
            }
            for name in leftovers { folder.removeLeftover(name) }
        } catch {
            throw .unreadable(error)
        }
        self.doomed = doomed
        for digest in zip(table.slots, isThere).compactMap({ $1 ? nil : table[$0]?.digest }) {
            drop(digest)
            isIndexed = false
        }
        for digest in inDoubt { try look(at: digest, folder) }
    }

    /// Takes over an entry as its file has it.
    private mutating func look(at digest: KeyDigest, _ folder: EntryFolder) throws(EntryFault) {
        do throws(EntryFault) {
            let header = try folder.readHeader(digest.fileName)
            if let slot = table.slot(digest), table[slot]?.matches(header) == true { return }
            set(.written(digest, header))
        } catch {
            if error.shortage != nil { throw error }
            drop(digest)
            folder.removeLeftover(digest.fileName)
        }
        isIndexed = false
    }
}
