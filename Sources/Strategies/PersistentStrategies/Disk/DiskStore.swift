public import CacheStrategies
public import EvictionPolicies
import Foundation
public import Locks

/// The state of a disk cache behind one lock, and its folder.
///
/// The lock guards plain state only: no thread reads, writes, encodes, decodes or releases a value under it. The folder
/// follows the index with the delay of ``PendingFileOperations``; callers see the index.
@usableFromInline
final class DiskStore<Key: CacheableKey, Value: CacheableValue>: @unchecked Sendable {
    // `@unchecked`: the state is touched only while the lock is held.
    let folder: EntryFolder
    let log: IndexLog
    let limits: DiskLimits
    let writers: WorkerThreads
    @usableFromInline
    let lock: Lock
    // It is a pointer and not a stored property, which would be checked for exclusive access on every use.
    @usableFromInline
    let state: UnsafeMutablePointer<State>

    /// The number of writing threads: the device takes several synchronisations at once. Four were two to four times as
    /// fast as one.
    static var writerCount: Int { 4 }

    /// Everything the lock guards.
    @usableFromInline
    struct State: ~Copyable {
        @usableFromInline
        var index: DiskEntryIndex
        @usableFromInline
        var memory = DiskMemory<Key, Value>()
        var pending = PendingFileOperations()
        /// The writers that do operations, or are about to; each goes on until none can begin.
        var busyWriters = 0
        var loads = LoadRegister<KeyDigest>()
        var lastGeneration: UInt64
        var evictions: UInt64
        /// How many callers read each file now.
        var reads: [KeyDigest: Int] = [:]
        /// How many callers began to read a file while another caller was reading it.
        var duplicateReads: UInt64 = 0
        var isClosed = false
        /// Files without an entry that could not be removed; tried again at the next flush.
        var unremoved: Set<KeyDigest> = []
        var failures = DiskFailures()
        var backlogWaiters: [@Sendable () -> Void] = []
    }

    /// Opens a folder: finds its entries, and removes those that the limits don't admit, the oldest first.
    ///
    /// - Parameter compactionMin: an index file with fewer records isn't rewritten.
    init(folder: EntryFolder, limits: DiskLimits, compactionMin: Int) throws(FileLayerError) {
        let reading = try FolderReading.read(folder, limits: limits)
        let log = try IndexLog(folder: folder, reading, compactionMin: compactionMin)
        var index = DiskEntryIndex(limits: limits)
        let (doomed, lastSequence) = (reading.doomed, reading.lastSequence)
        let evicted = index.take(reading.table)
        for digest in doomed + evicted {
            // Recorded before it is done, so that no kill leaves an index that lists more entries than there are.
            let ticket = try log.begin(.removed(digest))
            log.settle(ticket, isDone: folder.removeLeftover(digest.fileName))
        }
        self.folder = folder
        self.log = log
        self.limits = limits
        writers = WorkerThreads(name: "disk-cache-writer", count: Self.writerCount)
        lock = Lock()
        state = .allocate(capacity: 1)
        state.initialize(
            to: State(index: index, lastGeneration: lastSequence, evictions: UInt64(evicted.count)))
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
        lock.destroy()
    }

    /// Runs `body` under the lock, then the work that it left.
    @inline(__always)
    func locked<Answer>(_ body: (inout State, inout DiskAftermath) -> Answer) -> Answer {
        var aftermath = DiskAftermath()
        lock.lock()
        let answer = body(&state.pointee, &aftermath)
        state.pointee.endBacklog(&aftermath)
        let jobs = min(aftermath.jobs, Self.writerCount - state.pointee.busyWriters)
        state.pointee.busyWriters += jobs
        lock.unlock()
        for _ in 0..<jobs { writers.submit { self.performOperations() } }
        for call in aftermath.calls { call() }
        return answer
    }

    /// The value of a key in memory; counts as a use. The fastest lookup: it computes no digest.
    @inlinable
    @inline(__always)
    func memoryValue(forKey key: Key) -> Value? {
        lock.lock()
        defer { lock.unlock() }
        guard let held = state.pointee.memory.table[key] else { return nil }
        let object = ObjectID(truncatingIfNeeded: held.slot)
        state.pointee.index.order.useResident(object)
        state.pointee.memory.order.useResident(object)
        return held.value
    }

    /// Where the value of a key is.
    enum Location {
        case absent
        case value(Value)
        case file(DiskEntry)
    }

    /// Finds an entry; counts as a use.
    ///
    /// - Parameter beginsRead: whether the caller reads the entry's file, if it is there; ``endRead(_:)`` must follow.
    func locate(_ identity: KeyIdentity, forKey key: Key, beginsRead: Bool = false) -> Location {
        locked { state, aftermath in
            guard let (slot, entry) = state.index.use(identity.digest) else { return .absent }
            // Keys are compared, as in a file: even two keys with one digest never get each other's values.
            if let held = state.memory[slot] {
                state.memory.order.useResident(ObjectID(slot))
                return held.key == key ? .value(held.value) : .absent
            }
            guard let staged = state.index.stagedValue(slot: slot) else {
                if beginsRead { state.beginRead(identity.digest) }
                return .file(entry)
            }
            guard staged.keyBytes == identity.bytes, let value = staged.value as? Value else { return .absent }
            state.keepInMemory(value, forKey: key, cost: entry.cost, slot: slot, &aftermath)
            return .value(value)
        }
    }

    /// Notes that a caller has its answer from a file.
    func endRead(_ digest: KeyDigest) {
        locked { state, _ in
            let left = (state.reads[digest] ?? 1) - 1
            state.reads[digest] = left > 0 ? left : nil
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
            guard state.loads.end(ticket, inserts: true), !state.isClosed else { return }
            state.insert(
                value, encoded: encoded, identity, forKey: key, cost: value.cost, keepsInMemory: keepsInMemory,
                &aftermath)
        }
    }

    /// Releases values in memory until one part in `divisor` is left; 0 for none. The entries stay.
    func giveBackMemory(keepingOneIn divisor: Int) {
        locked { state, aftermath in
            let (entries, cost) = divisor == 0 ? (0, 0) : (state.memory.count / divisor, state.memory.cost / divisor)
            while state.memory.count > entries || state.memory.cost > cost {
                state.memory.dropOldest(&aftermath.values)
            }
        }
    }

    /// Whether there is an entry. Doesn't count as a use.
    func holds(_ digest: KeyDigest) -> Bool { locked { state, _ in state.index.holds(digest) } }

    /// Faults of the index and of the pending file operations, one line each; empty when there are none. O(n).
    func checkInvariants() -> [String] {
        locked { state, _ in
            var faults = state.index.checkInvariants()
            faults += state.memory.checkInvariants(state.index.limits, state.index)
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
            statistics.memoryEntryCount = state.memory.count
            statistics.memoryCost = state.memory.cost
            statistics.duplicateReads = state.duplicateReads
            return statistics
        }
    }
}

/// Work for after the lock is released.
struct DiskAftermath {
    /// Values to release: their `deinit` may run any code.
    var values: [AnyObject] = []
    /// The operations that can begin; as many writers start, unless all are busy.
    var jobs = 0
    var calls: [@Sendable () -> Void] = []
}

extension DiskStore.State {
    /// Takes over the waiting callers once the backlog has room for them.
    mutating func endBacklog(_ aftermath: inout DiskAftermath) {
        guard !backlogWaiters.isEmpty, index.stagedCount <= DiskBacklog.entryCountResume,
            index.stagedCost <= DiskBacklog.costResume
        else { return }
        aftermath.calls += backlogWaiters
        backlogWaiters = []
    }

    mutating func beginRead(_ digest: KeyDigest) {
        let count = reads[digest] ?? 0
        if count > 0 { duplicateReads += 1 }
        reads[digest] = count + 1
    }

    mutating func insert(
        _ value: Value, encoded: Data?, _ identity: KeyIdentity, forKey key: Key, cost: Int,
        keepsInMemory: Bool = true, _ aftermath: inout DiskAftermath
    ) {
        let cost = max(0, cost)
        let digest = identity.digest
        let fileBytes = encoded.map { EntryHeader.byteCount + identity.bytes.count + $0.count } ?? 0
        let old = takeOut(digest, &aftermath)
        let mayHaveFile = old?.mayHaveFile == true || pending.mayHaveFile(digest)
        guard index.limits.admits(cost: cost, fileBytes: fileBytes) else {
            // The key's older value is out of date even though the new one isn't held.
            removeFile(digest, mayHaveFile: mayHaveFile, &aftermath)
            return
        }
        evict(newEntries: 1, cost: cost, fileBytes: fileBytes, &aftermath)
        lastGeneration += 1
        let slot = index.add(
            DiskEntry(
                digest: digest, cost: cost, generation: lastGeneration, fileBytes: fileBytes,
                mayHaveFile: mayHaveFile),
            staged: StagedValue(value: value, encoded: encoded, keyBytes: identity.bytes))
        if keepsInMemory { keepInMemory(value, forKey: key, cost: cost, slot: slot, &aftermath) }
        if pending.schedule(.write, digest) { aftermath.jobs += 1 }
    }

    /// Holds the value of an entry in memory, within the limits.
    mutating func keepInMemory(
        _ value: Value, forKey key: Key, cost: Int, slot: Int, _ aftermath: inout DiskAftermath
    ) {
        memory.keep(value, forKey: key, cost: cost, slot: slot, within: index.limits, &aftermath.values)
    }

    /// Evicts entries until another one fits; see ``DiskEntryIndex/victim(newEntries:cost:fileBytes:)``.
    mutating func evict(newEntries: Int, cost: Int, fileBytes: Int, _ aftermath: inout DiskAftermath) {
        while let victim = index.victim(newEntries: newEntries, cost: cost, fileBytes: fileBytes) {
            evictions += 1
            discard(victim, &aftermath)
        }
    }

    /// Removes an entry and its value in memory; the file stays.
    @discardableResult
    mutating func takeOut(_ digest: KeyDigest, _ aftermath: inout DiskAftermath) -> DiskEntry? {
        guard let (slot, entry, staged) = index.remove(digest) else { return nil }
        if let staged { aftermath.values.append(staged) }
        memory.drop(slot: slot, &aftermath.values)
        return entry
    }

    /// Removes an entry, and schedules the removal of its file.
    mutating func discard(_ digest: KeyDigest, _ aftermath: inout DiskAftermath) {
        guard let entry = takeOut(digest, &aftermath) else { return }
        removeFile(digest, mayHaveFile: entry.mayHaveFile, &aftermath)
    }

    private mutating func removeFile(
        _ digest: KeyDigest, mayHaveFile: Bool, _ aftermath: inout DiskAftermath
    ) {
        if !mayHaveFile {
            aftermath.calls += pending.cancel(digest)
        } else if pending.schedule(.remove, digest) {
            aftermath.jobs += 1
        }
    }
}
