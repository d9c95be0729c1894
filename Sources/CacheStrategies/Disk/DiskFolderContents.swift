import Foundation

/// The entries in a folder when it is opened, read from its index, or from the headers of its files if there is no
/// usable index.
///
/// After an orderly close, opening reads the index alone: linear in the entries, without touching their files. After a
/// kill it also reads the names of all files, and the headers of the few files whose operations were in flight. Without
/// an index it reads a header of 48 bytes of each file. The order of use isn't kept on disk; the order of the inserts
/// replaces it.
struct DiskFolderContents<Key: CacheableKey, Value: CacheableValue>: ~Copyable {
    private(set) var index: DiskEntryIndex<Key, Value>
    /// The greatest number of an insert that was found.
    private(set) var lastGeneration: UInt64 = 0
    /// Entries that were removed because the limits are lower than what was found.
    private(set) var evictions: UInt64 = 0
    /// The index file, to which the cache adds from now on.
    let log: IndexLog
    /// Files to be removed, because they are of no use.
    private var doomed: [String] = []
    /// Records that the index file doesn't have yet.
    private var changes: [IndexRecord] = []

    /// Reads a folder. Removes the leftovers of interrupted writes, files known to be damaged, and the oldest entries
    /// beyond the limits.
    ///
    /// Files with other names are left alone. A damaged file that can't be removed is left as well: each read checks it
    /// again.
    ///
    /// - Parameter compactionMin: an index with fewer records isn't rewritten.
    /// - Throws: when the folder can't be listed, or when the process can't open any more files; a shortage must not
    ///   cost the entries.
    static func read(
        _ folder: EntryFolder, limits: DiskLimits, compactionMin: Int
    ) throws(FileLayerError) -> DiskFolderContents {
        let found = try FoundEntries(in: folder, limits: limits)
        let contents = DiskFolderContents(
            found, limits, IndexLog(folder: folder, state: found.state, compactionMin: compactionMin))
        // Recorded before it is done, so that no kill leaves an index that lists more entries than there are.
        try contents.log.add(contents.changes)
        for name in contents.doomed { folder.removeLeftover(name) }
        return contents
    }

    private init(_ found: FoundEntries, _ limits: DiskLimits, _ log: IndexLog) {
        self.log = log
        index = DiskEntryIndex(limits: limits)
        (changes, doomed) = (found.changes, found.doomed)
        lastGeneration = found.reading.lastSequence
        if !index.take(found.reading) {
            for record in found.reading.entries { add(record) }
        }
    }

    private mutating func add(_ record: IndexRecord) {
        guard index.limits.admits(cost: record.cost, fileBytes: record.fileByteCount) else {
            evict(record.digest)
            return
        }
        while let victim = index.victim(newEntries: 1, cost: record.cost, fileBytes: record.fileByteCount) {
            _ = index.remove(victim)
            evict(victim)
        }
        index.add(.init(record))
    }

    private mutating func evict(_ digest: KeyDigest) {
        evictions += 1
        changes.append(.removed(digest))
        doomed.append(digest.fileName)
    }
}

/// The entries of a folder, and the index file to continue with.
private struct FoundEntries {
    private(set) var reading: IndexReading
    /// The open index file.
    private(set) var state: IndexLog.State
    /// Records to be added to it.
    private(set) var changes: [IndexRecord] = []
    /// Files to be removed once the records are added.
    private(set) var doomed: [String] = []

    init(in folder: EntryFolder, limits: DiskLimits) throws(FileLayerError) {
        do {
            var reading = try IndexReading(of: folder, recordCountMax: Self.recordCountMax(limits))
            var recovery: FolderRecovery?
            if !reading.isClosed {
                recovery = try FolderRecovery(&reading, folder)
            }
            changes = recovery?.changes ?? []
            doomed = recovery?.doomed ?? []
            state = try Self.open(folder, reading)
            self.reading = reading
            return
        } catch {
            if case .unreadable(let error) = error, SystemErrors.isShortage(error.code) { throw error }
        }
        (changes, doomed) = ([], [])
        (reading, state) = try Self.rebuild(folder)
    }

    /// The most records that a folder within the limits may have, with room for earlier, higher limits.
    private static func recordCountMax(_ limits: DiskLimits) -> Int {
        max(1 << 20, min(limits.entries, 1 << 23)) * 8
    }

    /// Opens an index that was read, for adding to it; a record that a kill left incomplete is cut off.
    private static func open(_ folder: EntryFolder, _ reading: IndexReading) throws(EntryFault) -> IndexLog.State {
        do throws(FileLayerError) {
            let file = try folder.uninterrupted { () throws(FileLayerError) in
                try folder.layer.append(to: EntryFolder.indexName)
            }
            do throws(FileLayerError) {
                if reading.tornByteCount > 0 {
                    let byteCount = IndexPreamble.bytes.count + reading.recordCount * IndexRecord.byteCount
                    try folder.uninterrupted { () throws(FileLayerError) in
                        try folder.layer.truncate(file, toByteCount: byteCount)
                    }
                }
            } catch {
                try? folder.layer.close(file)
                throw error
            }
            return IndexLog.State(
                file: file, recordCount: reading.recordCount, chain: reading.chain, isClosed: reading.isClosed)
        } catch {
            throw .unreadable(error)
        }
    }

    /// Reads every file's header, and builds a new index.
    private static func rebuild(_ folder: EntryFolder) throws(FileLayerError) -> (IndexReading, IndexLog.State) {
        // The old index is removed first: from here on it may be wrong.
        do throws(FileLayerError) {
            try folder.uninterrupted { () throws(FileLayerError) in try folder.remove(EntryFolder.indexName) }
        } catch {
            // A folder that isn't empty has the index's name; it stays.
            guard SystemErrors.isObstacle(error.code) else { throw error }
        }
        var reading = IndexReading()
        for name in try folder.names() {
            if EntryFolder.isTemporary(name) {
                folder.removeLeftover(name)
            } else if let digest = KeyDigest(fileName: name) {
                do {
                    reading.set(.written(digest, try folder.readHeader(name)))
                } catch {
                    if case .unreadable(let error) = error, SystemErrors.isShortage(error.code) { throw error }
                    folder.removeLeftover(name)
                }
            }
        }
        // Without room for an index there is none; the files hold everything.
        return (reading, (try? IndexLog.makeFile(folder, reading.entries)) ?? IndexLog.State())
    }
}

/// What the files show when the cache was not closed.
private struct FolderRecovery {
    private(set) var changes: [IndexRecord] = []
    private(set) var doomed: [String] = []

    /// Corrects a reading by the names of all files, and by the headers of those that are in doubt.
    init(_ reading: inout IndexReading, _ folder: EntryFolder) throws(EntryFault) {
        guard let unsettled = reading.unsettled else { throw .numberOutOfRange }
        let names: [String]
        do {
            names = try folder.names()
        } catch {
            throw .unreadable(error)
        }
        var isThere = Array(repeating: false, count: reading.records.count)
        var inDoubt: [KeyDigest] = []
        for name in names {
            if EntryFolder.isTemporary(name) {
                doomed.append(name)
            } else if let digest = KeyDigest(fileName: name) {
                if let place = reading.places[digest] {
                    isThere[place] = true
                    if unsettled.contains(digest) { inDoubt.append(digest) }
                } else if reading.removed.contains(digest) {
                    doomed.append(name)
                } else {
                    inDoubt.append(digest)
                }
            }
        }
        let missing = zip(reading.records, isThere).compactMap { $1 ? nil : $0?.digest }
        for digest in missing {
            reading.drop(digest)
            changes.append(.removed(digest))
        }
        for digest in inDoubt { try look(at: digest, &reading, folder) }
    }

    /// Takes over an entry as its file has it.
    private mutating func look(
        at digest: KeyDigest, _ reading: inout IndexReading, _ folder: EntryFolder
    ) throws(EntryFault) {
        do throws(EntryFault) {
            let record = IndexRecord.written(digest, try folder.readHeader(digest.fileName))
            reading.set(record)
            changes.append(record)
        } catch {
            if case .unreadable(let reason) = error, SystemErrors.isShortage(reason.code) { throw error }
            reading.drop(digest)
            changes.append(.removed(digest))
            doomed.append(digest.fileName)
        }
    }
}
