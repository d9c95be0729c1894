import Foundation
import Locks

/// The state of a disk cache behind one lock, and its folder.
///
/// The lock guards plain state only: no thread reads, writes, encodes, decodes or releases a value under it. The folder
/// follows the index with the delay of ``PendingFileOperations``; callers see the index.
final class DiskStore<Key: CacheableKey, Value: CacheableValue>: @unchecked Sendable {
    // `@unchecked`: every `var` below is touched only inside `locked`.
    typealias Entry = DiskEntryIndex<Key, Value>.Entry

    let folder: EntryFolder
    let log: IndexLog
    let writers: WorkerThreads
    private let lock = Lock()
    private var state: State

    /// Everything the lock guards.
    struct State: ~Copyable {
        var index: DiskEntryIndex<Key, Value>
        var pending = PendingFileOperations()
        var loads = LoadRegister<KeyDigest>()
        var lastGeneration: UInt64
        var evictions: UInt64 = 0
        var isClosed = false
        /// Files without an entry that could not be removed; tried again at the next flush.
        var unremoved: Set<KeyDigest> = []
        var failures = DiskFailures()
        var backlogWaiters: [@Sendable () -> Void] = []
    }

    /// Work for after the lock is released.
    struct Aftermath {
        /// Entries and values to release: their `deinit` may run any code.
        var entries: [Entry] = []
        var values: [Value] = []
        /// The number of jobs to submit to the writers.
        var jobs = 0
        var calls: [@Sendable () -> Void] = []
    }

    init(folder: EntryFolder, contents: consuming DiskFolderContents<Key, Value>, writers: WorkerThreads) {
        self.folder = folder
        self.log = contents.log
        self.writers = writers
        state = State(
            index: contents.index, lastGeneration: contents.lastGeneration, evictions: contents.evictions)
    }

    deinit { lock.destroy() }

    /// Runs `body` under the lock, then the work that it left.
    func locked<Answer>(_ body: (inout State, inout Aftermath) -> Answer) -> Answer {
        var aftermath = Aftermath()
        lock.lock()
        let answer = body(&state, &aftermath)
        if !state.backlogWaiters.isEmpty, state.index.stagedCount <= DiskBacklog.entryCountResume,
            state.index.stagedCost <= DiskBacklog.costResume
        {
            aftermath.calls += state.backlogWaiters
            state.backlogWaiters = []
        }
        lock.unlock()
        for _ in 0..<aftermath.jobs { writers.submit { self.performNextOperation() } }
        for call in aftermath.calls { call() }
        return answer
    }

    /// The value of a key in memory; counts as a use. The fastest lookup: it computes no digest.
    func memoryValue(forKey key: Key) -> Value? {
        lock.withLock { state.index.useValue(forKey: key) }
    }

    /// Where the value of a key is.
    enum Location {
        case absent
        case value(Value)
        case file(generation: UInt64)
    }

    /// Finds an entry; counts as a use.
    func locate(_ identity: KeyIdentity, forKey key: Key) -> Location {
        locked { state, aftermath in
            guard let entry = state.index.use(identity.digest) else { return .absent }
            // Keys are compared, as in a file: even two keys with one digest never get each other's values.
            if let value = entry.value { return entry.key == key ? .value(value) : .absent }
            guard let staged = entry.staged else { return .file(generation: entry.generation) }
            guard staged.keyBytes == identity.bytes else { return .absent }
            aftermath.values += state.index.keepInMemory(staged.value, identity.digest, forKey: key)
            return .value(staged.value)
        }
    }

    /// Inserts a value; callers see it when this returns, and the folder gets it later.
    ///
    /// - Parameter encoded: the encoded value, if it is known; otherwise a writer encodes it.
    func insert(_ value: Value, encoded: Data?, _ identity: KeyIdentity, forKey key: Key, cost: Int) {
        locked { state, aftermath in
            guard !state.isClosed else { return }
            state.loads.noteWrite(to: identity.digest)
            state.insert(value, encoded: encoded, identity, forKey: key, cost: cost, &aftermath)
        }
    }

    /// Removes an entry; callers see it when this returns, and the file is removed later.
    func remove(_ digest: KeyDigest) {
        locked { state, aftermath in
            state.loads.noteWrite(to: digest)
            state.discard(digest, &aftermath)
        }
    }

    /// Removes all entries; callers see it when this returns, and the files are removed later. Linear in the entries.
    func removeAll() {
        locked { state, aftermath in
            state.loads.noteRemovalOfAll()
            for digest in state.index.digestsByRecency { state.discard(digest, &aftermath) }
        }
    }

    /// Notes that a load begins. Every ticket is given to ``endLoad(_:)`` once.
    func beginLoad(_ digest: KeyDigest) -> LoadRegister<KeyDigest>.Ticket {
        locked { state, _ in state.loads.begin(digest) }
    }

    /// Ends a load that failed.
    func endLoad(_ ticket: LoadRegister<KeyDigest>.Ticket) {
        locked { state, _ in _ = state.loads.end(ticket) }
    }

    /// Ends a load, and inserts its value unless the key was written, removed or loaded meanwhile: the value from the
    /// origin may then be older than the one in the cache.
    ///
    /// - Parameter keepsInMemory: whether the value is held decoded; otherwise it is only on disk.
    func endLoad(
        _ ticket: LoadRegister<KeyDigest>.Ticket, _ value: Value, encoded: Data, _ identity: KeyIdentity,
        forKey key: Key, keepsInMemory: Bool = true
    ) {
        locked { state, aftermath in
            guard state.loads.end(ticket), !state.isClosed else { return }
            state.loads.noteWrite(to: identity.digest)
            state.insert(
                value, encoded: encoded, identity, forKey: key, cost: value.cost, keepsInMemory: keepsInMemory,
                &aftermath)
        }
    }

    /// Whether there is an entry. Doesn't count as a use.
    func holds(_ digest: KeyDigest) -> Bool { locked { state, _ in state.index.holds(digest) } }

    /// Faults of the index and of the pending file operations, one line each; empty when there are none. O(n).
    func checkInvariants() -> [String] {
        locked { state, _ in
            var faults = state.index.checkInvariants()
            if state.index.stagedCount > state.pending.count {
                faults.append("\(state.index.stagedCount) values are staged, \(state.pending.count) operations wait")
            }
            return faults
        }
    }

    /// Bytes of all entry files whose size is known.
    var fileByteCount: Int { locked { state, _ in state.index.totalFileBytes } }

    /// What the store knows about itself.
    var statistics: CacheStatistics {
        locked { state, _ in
            var statistics = CacheStatistics(
                entryCount: state.index.count, totalCost: state.index.totalCost, evictions: state.evictions,
                loadsInFlight: state.loads.count)
            statistics.memoryEntryCount = state.index.memoryCount
            statistics.memoryCost = state.index.memoryCost
            return statistics
        }
    }
}

extension DiskStore.State {
    mutating func insert(
        _ value: Value, encoded: Data?, _ identity: KeyIdentity, forKey key: Key, cost: Int,
        keepsInMemory: Bool = true, _ aftermath: inout DiskStore.Aftermath
    ) {
        let cost = max(0, cost)
        let digest = identity.digest
        let fileBytes = encoded.map { EntryHeader.byteCount + identity.bytes.count + $0.count } ?? 0
        let old = index.remove(digest)
        if let old { aftermath.entries.append(old) }
        let mayHaveFile = old?.mayHaveFile == true || pending.mayHaveFile(digest)
        guard index.limits.admits(cost: cost, fileBytes: fileBytes) else {
            // The key's older value is out of date even though the new one isn't held.
            removeFile(digest, mayHaveFile: mayHaveFile, &aftermath)
            return
        }
        while let victim = index.victim(newEntries: 1, cost: cost, fileBytes: fileBytes) {
            evictions += 1
            discard(victim, &aftermath)
        }
        lastGeneration += 1
        index.add(
            .init(
                digest: digest, cost: cost, generation: lastGeneration, fileBytes: fileBytes,
                mayHaveFile: mayHaveFile,
                staged: .init(value: value, encoded: encoded, keyBytes: identity.bytes)))
        if keepsInMemory { aftermath.values += index.keepInMemory(value, digest, forKey: key) }
        if pending.schedule(.write, digest) { aftermath.jobs += 1 }
    }

    /// Removes an entry from the index, and schedules the removal of its file.
    mutating func discard(_ digest: KeyDigest, _ aftermath: inout DiskStore.Aftermath) {
        guard let entry = index.remove(digest) else { return }
        aftermath.entries.append(entry)
        removeFile(digest, mayHaveFile: entry.mayHaveFile, &aftermath)
    }

    private mutating func removeFile(
        _ digest: KeyDigest, mayHaveFile: Bool, _ aftermath: inout DiskStore.Aftermath
    ) {
        if !mayHaveFile {
            aftermath.calls += pending.cancel(digest)
        } else if pending.schedule(.remove, digest) {
            aftermath.jobs += 1
        }
    }
}
