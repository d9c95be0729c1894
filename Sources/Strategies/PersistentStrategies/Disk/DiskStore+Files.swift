import CacheStrategies
import Foundation
import Platform

/// How many values may wait to be written before callers wait too.
enum DiskBacklog {
    /// Beyond this many entries, inserts wait.
    static let entryCountMax = 256
    /// Beyond this sum of costs, in bytes, inserts wait.
    static let costMax = 16 << 20
    /// Inserts continue at or below half of either limit.
    static let entryCountResume = entryCountMax / 2
    static let costResume = costMax / 2
}

/// Writes and removals that failed and that ``DiskCache/flush()`` has not reported yet.
struct DiskFailures: Sendable {
    var count = 0
    var first: String?

    mutating func note(_ failure: String) {
        count += 1
        first = first ?? failure
    }
}

/// Blocking work: runs on the cache's own threads, or while the cache opens or closes.
extension DiskStore {
    /// The value of a key from memory or disk; reads and decodes its file if necessary.
    ///
    /// The loop is here, not in an async function, where Swift 6.3.1 frees the frames of a generic enum in the wrong
    /// order and aborts.
    func valueFromFile(_ identity: KeyIdentity, forKey key: Key) -> Value? {
        var location = locate(identity, forKey: key)
        // Each further round means that another caller's write or removal has finished, so the loop ends after their
        // last one.
        while case .file(let entry) = location { location = read(identity, forKey: key, entry) }
        if case .value(let value) = location { return value }
        return nil
    }

    /// Reads and decodes an entry's file, and holds the value in memory if it is still the key's.
    ///
    /// The value is the one that the key had when the caller located it, so the whole lookup takes effect at that
    /// moment. A fault of the file drops the entry for good, and any other failure hides it: otherwise a later try could
    /// find a value that was already a miss.
    ///
    /// - Returns: the value; absent, when the entry has been dropped or hidden; or where the value is now, when the entry
    ///   was written or removed meanwhile.
    private func read(_ identity: KeyIdentity, forKey key: Key, _ entry: DiskEntry) -> Location {
        let generation = entry.generation
        let value: Value
        do {
            let (header, payload) = try readFile(identity)
            guard entry.matches(header) else {
                let isThere = locked { state, aftermath in
                    state.correct(identity.digest, header, generation: generation, &aftermath)
                }
                return isThere ? locate(identity, forKey: key) : .absent
            }
            value = try Value(encoded: payload)
        } catch {
            let hasChanged = locked { state, aftermath in
                guard let slot = state.slot(identity.digest, generation: generation) else { return true }
                if case EntryFault.unreadable(let reason) = error, !SystemErrors.isNoFile(reason.code) {
                    // Another caller may have read it.
                    if state.memory.holds(slot: slot) { return true }
                    state.index.hide(identity.digest)
                } else {
                    state.discard(identity.digest, &aftermath)
                }
                return false
            }
            return hasChanged ? locate(identity, forKey: key) : .absent
        }
        locked { state, aftermath in
            guard let slot = state.slot(identity.digest, generation: generation), let entry = state.index[slot],
                !entry.isHidden
            else { return }
            state.keepInMemory(value, forKey: key, cost: entry.cost, slot: slot, &aftermath)
        }
        return .value(value)
    }

    /// Reads an entry's file. Waits briefly and retries when the process has run out of descriptors or memory: that is
    /// no fault of the entry, and a miss would hide it. Blocks a thread of the cache's own.
    private func readFile(_ identity: KeyIdentity) throws(EntryFault) -> (header: EntryHeader, payload: Data) {
        let attemptsMax = 10
        var attempt = 1
        while true {
            do throws(EntryFault) {
                return try folder.read(identity.digest, key: identity.bytes, fileByteCountMax: limits.fileBytes)
            } catch {
                guard error.shortage != nil, attempt < attemptsMax else { throw error }
                attempt += 1
                Thread.sleep(forTimeInterval: 0.002)
            }
        }
    }

    /// A file operation that has begun, and what it needs.
    private struct Operation {
        let digest: KeyDigest
        let kind: PendingFileOperations.Kind
        let entry: DiskEntry?
        let staged: StagedValue?
    }

    /// Does file operations, the one that has waited longest first, until none can begin.
    func performOperations() {
        while let next = nextOperation() { perform(next) }
    }

    /// Begins an operation. Where none can begin, the writer is idle from then on: it is noted under the same lock, so
    /// that an operation that is scheduled later starts a writer.
    private func nextOperation() -> Operation? {
        locked { state, _ in
            guard let (digest, kind) = state.pending.begin() else {
                state.busyWriters -= 1
                return nil
            }
            return Operation(
                digest: digest, kind: kind, entry: state.index.entry(digest), staged: state.index.stagedValue(digest))
        }
    }

    private func perform(_ next: Operation) {
        var isDone = true
        if next.kind == .remove {
            removeFile(next.digest)
        } else if let entry = next.entry, let staged = next.staged {
            isDone = writeFile(next.digest, staged, cost: entry.cost, generation: entry.generation)
        }
        let entryCount = locked { state, aftermath in
            aftermath.calls += state.pending.end(next.digest, isDone: isDone)
            return state.index.count
        }
        log.compact(entryCount: entryCount)
    }

    /// Writes a value, even if another one has replaced it meanwhile: where a key is written faster than its values can
    /// be encoded, a flush would otherwise never end.
    ///
    /// - Returns: whether it is written. If not, the file still has to be removed or replaced, where there is one.
    private func writeFile(
        _ digest: KeyDigest, _ staged: StagedValue, cost: Int, generation: UInt64
    ) -> Bool {
        var ticket: IndexLog.Ticket?
        do {
            let payload = try staged.encoded ?? staged.value.encoded()
            let header = EntryHeader(key: staged.keyBytes, payload: payload, cost: cost, sequence: generation)
            guard try makeRoom(digest, header, generation: generation) else { return false }
            ticket = try log.begin(.written(digest, header))
            try folder.write(digest, header: header, key: staged.keyBytes, payload: payload)
            log.settle(ticket)
            locked { state, aftermath in
                guard let entry = state.index.entry(digest), entry.generation == generation else { return }
                if let staged = state.index.unstage(digest) { aftermath.values.append(staged) }
            }
            return true
        } catch {
            // The file's value is out of date, and the new one isn't safe on disk: neither is kept.
            log.takeBack(ticket, digest)
            locked { state, aftermath in
                state.failures.note(String(describing: error))
                guard state.index.entry(digest)?.generation == generation else { return }
                state.discard(digest, &aftermath)
            }
            return false
        }
    }

    /// Counts a file's bytes and evicts entries to make room for it; `false` when the value can't be written, or when
    /// its key was removed meanwhile.
    private func makeRoom(_ digest: KeyDigest, _ header: EntryHeader, generation: UInt64) throws -> Bool {
        try locked { state, aftermath -> Result<Bool, DiskCacheError> in
            guard let entry = state.index.entry(digest) else { return .success(false) }
            let isNewest = entry.generation == generation
            guard header.isWithinRange else { return isNewest ? .failure(.entryTooLarge) : .success(false) }
            guard state.index.limits.admits(cost: entry.cost, fileBytes: header.fileByteCount) else {
                if isNewest { state.discard(digest, &aftermath) }
                return .success(false)
            }
            let more = header.fileByteCount - entry.fileBytes
            while let victim = state.index.victim(newEntries: 0, cost: 0, fileBytes: more) {
                state.evictions += 1
                state.discard(victim, &aftermath)
                // The entry itself may be the least recently used one.
                if victim == digest { return .success(false) }
            }
            state.index.beginFile(digest, byteCount: header.fileByteCount)
            return .success(true)
        }.get()
    }

    private func removeFile(_ digest: KeyDigest) {
        // It does no harm if the index still has the entry: without a file it is a miss.
        let ticket = try? log.begin(.removed(digest))
        do {
            try folder.remove(digest.fileName)
            log.settle(ticket)
        } catch {
            log.settle(ticket, isDone: false)
            locked { state, _ in
                state.failures.note(String(describing: error))
                state.unremoved.insert(digest)
            }
        }
    }

    /// Waits until the folder holds everything that callers saw at the time of this call.
    func flushed() async {
        await withCheckedContinuation { continuation in
            let mustWait = locked { state, aftermath in
                // Not after a close: the folder may belong to another instance.
                if !state.isClosed {
                    for digest in state.unremoved where state.index.entry(digest) == nil {
                        if state.pending.schedule(.remove, digest) { aftermath.jobs += 1 }
                    }
                    state.unremoved = []
                }
                return state.pending.whenDone { continuation.resume() }
            }
            if !mustWait { continuation.resume() }
        }
    }

    /// Waits while the backlog is above the limits of ``DiskBacklog``.
    func backlogHasRoom() async {
        guard locked({ state, _ in Self.isFull(state.index) }) else { return }
        await withCheckedContinuation { continuation in
            let mustWait = locked { state, _ in
                guard Self.isFull(state.index) else { return false }
                state.backlogWaiters.append { continuation.resume() }
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    private static func isFull(_ index: borrowing DiskEntryIndex) -> Bool {
        index.stagedCount > DiskBacklog.entryCountMax || index.stagedCost > DiskBacklog.costMax
    }

    /// Drops all entries but keeps their files; afterwards nothing is found and nothing inserted.
    ///
    /// - Returns: whether it is the first call; and the entries if the folder has no usable index, so that the caller
    ///   writes one, otherwise `nil`.
    func forgetAll() -> (isFirst: Bool, entries: [IndexRecord]?) {
        let isKept = log.isKept
        return locked { state, aftermath in
            let isFirst = !state.isClosed
            state.isClosed = true
            let records = isKept ? nil : state.index.records
            for digest in state.index.digestsByRecency { state.takeOut(digest, &aftermath) }
            return (isFirst, records)
        }
    }

    /// Whether the folder holds no files except those of the entries.
    var isOrderly: Bool { !folder.hasLeftovers && locked { state, _ in state.unremoved.isEmpty } }

    /// The failures since the last call.
    func takeFailures() -> DiskFailures {
        locked { state, _ in
            defer { state.failures = DiskFailures() }
            return state.failures
        }
    }
}

extension DiskStore.State {
    /// The slot of an entry that still has its value of one insert.
    fileprivate func slot(_ digest: KeyDigest, generation: UInt64) -> Int? {
        index.slot(digest).flatMap { index[$0]?.generation == generation ? $0 : nil }
    }

    /// Corrects an entry from the folder's index by its file, which is right where they differ.
    ///
    /// - Returns: whether to look at the entry again; otherwise it has been dropped.
    fileprivate mutating func correct(
        _ digest: KeyDigest, _ header: EntryHeader, generation: UInt64, _ aftermath: inout DiskAftermath
    ) -> Bool {
        // Another caller may have corrected it.
        guard let entry = index.entry(digest), entry.generation == generation, !entry.isHidden, !entry.matches(header)
        else { return true }
        guard entry.isFound, index.limits.admits(cost: header.cost, fileBytes: header.fileByteCount) else {
            discard(digest, &aftermath)
            return false
        }
        takeOut(digest, &aftermath)
        evict(newEntries: 1, cost: header.cost, fileBytes: header.fileByteCount, &aftermath)
        lastGeneration = max(lastGeneration, header.sequence)
        _ = index.add(
            DiskEntry(
                digest: digest, cost: header.cost, generation: header.sequence, fileBytes: header.fileByteCount))
        return true
    }
}
