import Foundation
import Locks

/// The index of a folder while a cache is open: a write-ahead log. A record is added before an entry's file changes, so
/// that opening need not look at each file.
///
/// ```
/// begin ──▶ a record is added ──▶ the entry's file is renamed or removed ──▶ settle
/// ```
///
/// After a kill at any call, the files are as the records say, except those of operations that had begun and not
/// settled. The last record says how many records back the oldest such operation is, and opening checks the files of
/// those operations. After an orderly close the last record says so, and no file needs to be checked. Against a loss of
/// power, the first and the last record of an instance are synchronised with the device.
///
/// **The index never prevents an entry from being kept.** When it can't be written it is removed, and the next opening
/// reads every file's header, as when the index is missing or damaged. An entry isn't written only when the index can't
/// be removed either.
///
/// Adding a record is O(1) and one system call. When more than half of the records are obsolete, a new file replaces
/// the index: written beside it, synchronised, renamed.
final class IndexLog: @unchecked Sendable {
    // `@unchecked`: `state` is touched only under the lock.
    let folder: EntryFolder
    /// With fewer records the index isn't rewritten.
    private let compactionMin: Int
    private let lock = Lock()
    private var state: State

    /// An operation that has begun.
    struct Ticket: Sendable {
        /// Its record's number, counted since the cache was opened; `nil` if no index is kept.
        fileprivate let number: UInt64?
    }

    struct State {
        /// The index file; `nil` if the folder has no index to keep.
        var file: FileDescriptor?
        /// Records in the file.
        var recordCount = 0
        /// The checksum of the last record.
        var chain = IndexPreamble.chain
        /// Records added since the cache was opened.
        var additions: UInt64 = 0
        /// Records of operations that have not settled, the oldest first; few.
        var inFlight: [(number: UInt64, record: IndexRecord)] = []
        /// Whether the last record says that all operations have settled.
        var isClosed = false
        /// Whether a record of this instance has reached the device.
        var isSynchronized = false
        /// Whether the file is wrong, or may be, and could not be removed.
        var isBroken = false
        /// Whether a new file is being written.
        var isCompacting = false
        /// Records added since the new file's content was read.
        var added: [IndexRecord] = []
        /// After a failed rewrite, the index isn't rewritten with fewer records than this.
        var retryMin = 0
    }

    /// Records that are encoded and written at once.
    static let recordsPerChunk = 16_384

    /// - Parameters:
    ///   - state: the open file, and the state that was read from it.
    ///   - compactionMin: with fewer records the index isn't rewritten.
    init(folder: EntryFolder, state: State, compactionMin: Int) {
        self.folder = folder
        self.state = state
        self.compactionMin = compactionMin
    }

    deinit {
        if let file = state.file { try? folder.layer.close(file) }
        lock.destroy()
    }

    func locked<Answer>(_ body: (inout State) throws(FileLayerError) -> Answer) throws(FileLayerError) -> Answer {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }

    /// Whether the folder has an index that is kept.
    var isKept: Bool { lock.withLock { state.file != nil } }

    /// Notes that files with any name may appear from now on.
    ///
    /// - Throws: the same as ``begin(_:)``.
    func unseal() throws(FileLayerError) {
        try locked { state throws(FileLayerError) in
            if state.isClosed { try add(IndexRecord(.opened), &state) }
        }
    }

    /// Notes that an entry's file is about to change.
    ///
    /// - Returns: a ticket for ``settle(_:)`` once it has changed.
    /// - Throws: when the index can be neither written nor removed. The caller must not change the file then, except to
    ///   remove it: an entry without a file is a miss.
    func begin(_ record: IndexRecord) throws(FileLayerError) -> Ticket {
        try locked { state throws(FileLayerError) in
            try add(record, &state)
            guard state.file != nil else { return Ticket(number: nil) }
            state.inFlight.append((state.additions, record))
            return Ticket(number: state.additions)
        }
    }

    /// Notes that an operation has finished.
    func settle(_ ticket: Ticket?) {
        lock.withLock { state.inFlight.removeAll { $0.number == ticket?.number } }
    }

    /// Notes that a new file was not renamed after all: the file that it would have replaced is out of date, and is
    /// removed.
    func takeBack(_ ticket: Ticket?, _ digest: KeyDigest) {
        if let ticket, ticket.number != nil { settle(try? begin(.removed(digest))) }
        settle(ticket)
    }

    /// Adds the differences that opening found between the index and the files.
    func add(_ records: [IndexRecord]) throws(FileLayerError) {
        try locked { state throws(FileLayerError) in
            for record in records { try add(record, &state) }
        }
    }

    private func add(_ record: IndexRecord, _ state: inout State) throws(FileLayerError) {
        if state.isBroken { try giveUp(&state) }
        guard let file = state.file else { return }
        state.additions += 1
        var record = record
        let unsettled = state.inFlight.first.map { state.additions - $0.number } ?? 0
        record.unsettledCount = UInt16(clamping: unsettled)
        var chain = state.chain
        do throws(FileLayerError) {
            try folder.writeAll([record].encoded(&chain), to: file)
            if !state.isSynchronized { try synchronize(file) }
            state.isSynchronized = true
        } catch {
            return try giveUp(&state)
        }
        state.chain = chain
        state.recordCount += 1
        state.isClosed = record.kind == .closed
        if state.isCompacting { state.added.append(record) }
    }

    private func synchronize(_ file: FileDescriptor) throws(FileLayerError) {
        try folder.uninterrupted { () throws(FileLayerError) in try folder.layer.synchronize(file) }
    }

    /// Removes the index because it can't be kept: from now on only the files show the entries.
    private func giveUp(_ state: inout State) throws(FileLayerError) {
        if let file = state.file { try? folder.layer.close(file) }
        state.file = nil
        state.inFlight = []
        state.isBroken = true
        try folder.uninterrupted { () throws(FileLayerError) in try folder.remove(EntryFolder.indexName) }
        state.isBroken = false
    }

    /// Notes that all operations have settled, and closes the file.
    ///
    /// - Parameters:
    ///   - isOrderly: whether the files are as the records say; otherwise the next opening reads their names.
    ///   - entries: all entries, so that an index is written if there is none; `nil` to write none.
    func close(isOrderly: Bool, entries: [IndexRecord]?) {
        lock.lock()
        defer { lock.unlock() }
        if state.isBroken { try? giveUp(&state) }
        if state.file == nil, !state.isBroken, isOrderly, let entries,
            let made = try? Self.makeFile(folder, entries)
        {
            state = made
        }
        if isOrderly, state.file != nil, !state.isClosed, state.recordCount > 0 {
            // The mark waits for the device, and with it all records before it.
            state.isSynchronized = false
            try? add(IndexRecord(.closed), &state)
        }
        if let file = state.file { try? folder.layer.close(file) }
        state.file = nil
    }
}

/// New files.
extension IndexLog {
    /// Replaces the folder's index by a new one, which stays open.
    ///
    /// - Throws: the error that prevented the write; the folder then has no index, or the older one.
    static func makeFile(_ folder: EntryFolder, _ records: [IndexRecord]) throws(FileLayerError) -> State {
        let (temporary, file) = try folder.createTemporary()
        var state = State(file: file)
        do throws(FileLayerError) {
            try folder.writeAll(IndexPreamble.bytes, to: file)
            try write(records, &state, folder)
            // The first record added to an empty index is synchronised, which is soon enough.
            if !records.isEmpty {
                try folder.uninterrupted { () throws(FileLayerError) in try folder.layer.synchronize(file) }
            }
            try folder.uninterrupted { () throws(FileLayerError) in
                try folder.layer.rename(temporary, to: EntryFolder.indexName)
            }
        } catch {
            try? folder.layer.close(file)
            folder.removeLeftover(temporary)
            throw error
        }
        return state
    }

    private static func write(
        _ records: [IndexRecord], _ state: inout State, _ folder: EntryFolder
    ) throws(FileLayerError) {
        guard let file = state.file else { return }
        for start in stride(from: 0, to: records.count, by: recordsPerChunk) {
            let some = Array(records[start..<min(start + recordsPerChunk, records.count)])
            try folder.writeAll(some.encoded(&state.chain), to: file)
        }
        state.recordCount += records.count
    }

    /// Whether to rewrite the file; if so, the caller calls ``compact()``.
    func needsCompaction(entryCount: Int) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard state.file != nil, !state.isCompacting, state.recordCount >= max(compactionMin, state.retryMin),
            state.recordCount / 2 > entryCount
        else { return false }
        state.isCompacting = true
        state.added = []
        return true
    }

    /// Writes a new file with a record for each entry, and replaces the index by it. Operations continue meanwhile:
    /// their records are added to the new file as well, before it replaces the index.
    ///
    /// Linear in the records, and blocks.
    func compact() {
        lock.lock()
        let (count, inFlight) = (state.recordCount, state.inFlight.map(\.record))
        state.added = []
        lock.unlock()
        do throws(FileLayerError) {
            let reading: IndexReading
            do {
                reading = try IndexReading(of: folder, recordCountMax: .max, limit: count)
            } catch {
                throw FileLayerError(code: SystemErrors.ioFailure, call: "read")
            }
            // No other operation on its key begins before one in flight has settled, so its record is the last of its
            // key.
            let last = inFlight.enumerated().map { $1.with(unsettledCount: $0) }
            try replace(with: reading.entries.map { $0.with(unsettledCount: 0) } + last)
            end(retryMin: 0)
        } catch {
            end(retryMin: count &* 2)
        }
    }

    private func end(retryMin: Int) {
        lock.lock()
        defer { lock.unlock() }
        state.isCompacting = false
        state.added = []
        state.retryMin = retryMin
    }

    private func replace(with records: [IndexRecord]) throws(FileLayerError) {
        let (temporary, file) = try folder.createTemporary()
        var made = State(file: file)
        do throws(FileLayerError) {
            try folder.writeAll(IndexPreamble.bytes, to: file)
            try Self.write(records, &made, folder)
            try synchronize(file)
            try locked { state throws(FileLayerError) in
                guard let old = state.file else {
                    throw FileLayerError(code: SystemErrors.absent, call: "compact")
                }
                try Self.write(state.added, &made, folder)
                try synchronize(file)
                try folder.uninterrupted { () throws(FileLayerError) in
                    try folder.layer.rename(temporary, to: EntryFolder.indexName)
                }
                try? folder.layer.close(old)
                state.file = file
                state.recordCount = made.recordCount
                state.chain = made.chain
            }
        } catch {
            try? folder.layer.close(file)
            folder.removeLeftover(temporary)
            throw error
        }
    }
}
