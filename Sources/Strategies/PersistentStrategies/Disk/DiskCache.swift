public import CacheStrategies
public import Foundation
import Locks

/// Memory in front of files: the entries survive the process, even when it is killed.
///
/// ```swift
/// let cache = try DiskCache<String, Data>(
///     configuration: StrategyConfiguration(costLimit: 64 << 20, directory: folder))
/// await cache.insert(picture, forKey: "a", cost: picture.count)
/// try await cache.flush()  // from here on it survives a kill
/// ```
///
/// **What callers see.** An insert or removal takes effect before it returns, a lookup at one moment between call and
/// return; the folder follows in the background. Until a value's file is written, lookups get the value from memory. A
/// load doesn't insert when its key was written, removed or loaded while it fetched.
///
/// **What survives.** Each entry has a file, written to a temporary name, synchronised with the device and renamed.
/// After a kill at any moment each entry is whole or absent. Inserts and removals are certain to survive a kill once a
/// later ``flush()``, ``close()`` or, for removals, ``removeAll()`` has returned; before that, an entry may be found in
/// an earlier state. After a loss of power each entry is as it was at some time since the last complete ``close()``:
/// the contents of files are synchronised with the device when they are written, and their names at the close. A file
/// that isn't exactly what was written is a miss, and is removed at its first use. A file that can't be read for another
/// reason makes its entry a miss until the key is written or the folder is opened again; it is kept, and counts towards
/// the limits. Each thread keeps a descriptor in reserve, so that a process without descriptors loses no entry.
///
/// **Opening.** A file called `index` lists the entries, so that opening reads 64 to 128 bytes an entry and no other
/// file; see `IndexLog`. After a kill it reads the folder's names as well. An index that is missing or damaged is
/// rebuilt from the headers of all files. When the index and an entry's file name different inserts, the file is right.
///
/// **Limits.** `entryLimit` and `costLimit` hold for memory and disk together, and a key counts once. The least
/// recently used entry is evicted first. The files' bytes keep the cost limit too (or 1 MiB, when it is lower; or 1 GiB
/// without one). Without an entry limit, 1,000,000 entries are held. A quarter of each limit is held decoded in memory
/// (64 MiB without a cost limit), besides up to 256 entries or 16 MiB that wait to be written; when more wait, inserts
/// wait. After reopening, the order of the inserts replaces the order of use.
///
/// **Failures.** An entry that can't be written is dropped, together with the file of its earlier value; ``flush()``
/// throws then. An instance holds an advisory lock on its folder; a second instance doesn't open. Files that the cache
/// didn't name itself are left alone.
///
/// Lookup, insert, removal and eviction are O(1); opening is linear in the number of entries. The loading caller or the
/// reading threads decode values, and the writing threads encode them; a loaded value is stored as it was fetched.
public final class DiskCache<Key: CacheableKey, Value: CacheableValue>: CacheStrategy {
    /// `disk`: linearizable, hard limits, kill-safe; loads are not shared.
    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "disk",
            summary: "memory in front of files on disk, with background reads and writes",
            bounds: [.entries, .cost],
            promises: Promises(
                coalescesLoads: false, consistency: .linearizable, limit: .hard, durability: .killSafe,
                cancellation: .isolated, admission: .always, keepsNewerWrites: true,
                // Files are larger than their values, and keep the cost limit too.
                limitRules: LimitRules(zero: .holdsNothing), evictsOnlyWhenFull: false),
            usesAtomics: true)
    }

    @usableFromInline
    let store: DiskStore<Key, Value>
    private let readers: WorkerThreads
    private let keyHash: (@Sendable (Data) -> Data)?
    private let prefetcher = Prefetcher<Key>()

    /// The number of reading threads, so that a slow read doesn't hold up the others.
    private static var readerCount: Int { 2 }

    /// The number of threads that open files, each one at a time.
    package static var threadCount: Int { readerCount + DiskStore<Key, Value>.writerCount }

    /// Opens the folder, and finds what an earlier instance left in it.
    ///
    /// - Throws: ``DiskCacheError``.
    public convenience init(configuration: StrategyConfiguration) throws {
        try self.init(configuration: configuration) { directory throws(FileLayerError) in
            try POSIXFileLayer(directory: directory, spareCount: Self.threadCount)
        }
    }

    /// Opens the folder through another layer, such as one that injects failures.
    ///
    /// - Parameters:
    ///   - keyHash: computes what is digested instead of a key's bytes, so that a test can give two keys one digest;
    ///     `nil` for the bytes themselves.
    ///   - indexRecordsMin: an index with fewer records isn't rewritten; lower in tests, which then need not write
    ///     thousands.
    ///   - layer: makes the layer for the configuration's folder.
    package init(
        configuration: StrategyConfiguration, keyHash: (@Sendable (Data) -> Data)? = nil,
        indexRecordsMin: Int = 8_192,
        layer: (URL) throws(FileLayerError) -> any FileLayer
    ) throws(DiskCacheError) {
        self.keyHash = keyHash
        guard let directory = configuration.directory else { throw .noDirectory }
        let limits = DiskLimits(entryLimit: configuration.entryLimit, costLimit: configuration.costLimit)
        do {
            let folder = EntryFolder(layer: try layer(directory))
            guard try folder.lock() else { throw DiskCacheError.inUse(directory: directory.path) }
            do throws(FileLayerError) {
                store = try DiskStore(folder: folder, limits: limits, compactionMin: indexRecordsMin)
            } catch {
                folder.unlock()
                throw error
            }
        } catch let error as DiskCacheError {
            throw error
        } catch {
            throw .unusable(directory: directory.path, reason: String(describing: error))
        }
        readers = WorkerThreads(name: "disk-cache-reader", count: Self.readerCount)
    }

    deinit {
        // Without a `close()` the writers still write all pending values; then their threads end.
        readers.stop()
        store.writers.stop()
    }

    /// The value of a key: from memory, from the values that wait to be written, or from its file, which a thread of
    /// the cache reads.
    @inlinable
    public func value(forKey key: Key) async -> Value? {
        if let value = store.memoryValue(forKey: key) { return value }
        var tier = HitTier.memory
        return await value(forKey: key, &tier)
    }

    /// Hits have a tier.
    public static var reportsTiers: Bool { true }

    /// The value of a key and its tier: memory, which includes values that wait to be written, or disk.
    @inlinable
    public func tieredValue(forKey key: Key) async -> TieredValue<Value>? {
        if let value = store.memoryValue(forKey: key) { return TieredValue(value, in: .memory) }
        var tier = HitTier.memory
        guard let value = await value(forKey: key, &tier) else { return nil }
        return TieredValue(value, in: tier)
    }

    @usableFromInline
    func value(forKey key: Key, _ tier: inout HitTier) async -> Value? {
        await value(forKey: key, identity(key), &tier)
    }

    private func identity(_ key: Key) -> KeyIdentity { KeyIdentity(key, keyHash: keyHash) }

    /// The value of a key that was not in memory a moment ago.
    ///
    /// - Parameter tier: set to the tier where the value was found. It is not part of the result: a generic type around
    ///   the value that an async function returns breaks the task's allocator in a debug build (Swift 6.3).
    private func value(forKey key: Key, _ identity: KeyIdentity, _ tier: inout HitTier) async -> Value? {
        var found: Value?
        guard let answer = read(key, identity, orFind: &found) else { return found }
        tier = .disk
        await answer.suspend()
        return answer.wait()
    }

    /// Starts to read the file of a key.
    ///
    /// - Parameter found: set to the value when it is elsewhere.
    /// - Returns: the latch at which a thread delivers the value; `nil` when there is no file to read.
    private func read(_ key: Key, _ identity: KeyIdentity, orFind found: inout Value?) -> Latch<Value?>? {
        switch store.locate(identity, forKey: key, beginsRead: true) {
        case .absent: return nil
        case .value(let value):
            found = value
            return nil
        case .file:
            let answer = Latch<Value?>()
            readers.submit { [store] in
                let value = store.valueFromFile(identity, forKey: key)
                store.endRead(identity.digest)
                answer.open(with: value)
            }
            return answer
        }
    }

    /// Inserts a value. Waits while too many values wait to be written, but not for its own file.
    public func insert(_ value: Value, forKey key: Key, cost: Int) async {
        store.insert(value, encoded: nil, identity(key), forKey: key, cost: cost)
        await store.backlogHasRoom()
    }

    /// Removes an entry. Its file is removed later.
    public func removeValue(forKey key: Key) async {
        store.remove(identity(key).digest)
    }

    /// Removes all entries, and waits until their files are gone.
    public func removeAll() async {
        store.removeAll()
        await store.flushed()
    }

    /// The value of a key; on a miss it is fetched, decoded by the caller and inserted in its encoded form.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    @inlinable
    public func load(
        _ key: Key, fetch: @escaping @Sendable () async throws -> Data
    ) async throws -> Loaded<Value> {
        if let value = store.memoryValue(forKey: key) { return Loaded(value, .hit, in: .memory) }
        return try await loadOutOfMemory(key, fetch)
    }

    @usableFromInline
    func loadOutOfMemory(
        _ key: Key, _ fetch: @escaping @Sendable () async throws -> Data
    ) async throws -> Loaded<Value> {
        let identity = identity(key)
        var tier = HitTier.memory
        if let value = await value(forKey: key, identity, &tier) { return Loaded(value, .hit, in: tier) }
        let ticket = store.beginLoad(identity.digest)
        let value: Value
        do {
            let encoded = try await fetch()
            value = try Value(encoded: encoded)
            store.endLoad(ticket, value, encoded: encoded, identity, forKey: key)
        } catch {
            store.endLoad(ticket)
            throw error
        }
        await store.backlogHasRoom()
        return Loaded(value, .loaded)
    }

    /// Entries, their costs, evictions since opening, and loads in flight. O(1).
    public func statistics() async -> CacheStatistics { store.statistics }

    /// Waits until every insert and removal that has returned is on disk.
    ///
    /// - Throws: ``DiskCacheError/failed(count:first:)`` when some failed since the last flush.
    public func flush() async throws {
        await store.flushed()
        let failures = store.takeFailures()
        if let first = failures.first { throw DiskCacheError.failed(count: failures.count, first: first) }
    }

    /// Faults of the cache's own counts, one line each; empty when there are none. Linear in the entries.
    package func checkInvariants() -> [String] { store.checkInvariants() }

    /// Bytes of all entry files, headers and keys included, as the index counts them.
    package var fileByteCount: Int { store.fileByteCount }

    /// Waits until everything is on disk, ends the threads and unlocks the folder. The instance finds nothing
    /// afterwards. A second call changes nothing: the folder may belong to another instance.
    public func close() async {
        await prefetcher.cancelAll()
        await store.flushed()
        let (isFirst, entries) = store.forgetAll()
        await readers.stopped()
        await store.writers.stopped()
        guard isFirst else { return }
        store.log.close(isOrderly: store.isOrderly, entries: entries)
        store.folder.unlock()
    }
}

extension DiskCache: RespondsToMemoryPressure {
    /// A warning releases half of the decoded values in memory, the least recently used first; background releases
    /// three quarters, critical pressure all. The entries stay in their files. Values that wait to be written stay
    /// until they are written. O(values in memory).
    public func respond(to pressure: MemoryPressure) async {
        guard let divisor = pressure.divisor else { return }
        store.giveBackMemory(keepingOneIn: divisor)
    }
}

/// A prefetch fills only the disk: no used value leaves memory for a value that no caller has asked for yet. An entry
/// that is held already is neither read nor decoded.
extension DiskCache: PrefetchingCacheStrategy {
    /// Fetches keys in the background and writes their values to disk. Returns at once.
    public func prefetch(_ keys: [Key], fetch: @escaping PrefetchFetch) {
        prefetcher.prefetch(keys) { [weak self] key in await self?.prefetch(key, fetch) }
    }

    /// Cancels the prefetches of keys, queued or in flight.
    public func cancelPrefetching(_ keys: [Key]) { prefetcher.cancel(keys) }

    private func prefetch(_ key: Key, _ fetch: PrefetchFetch) async {
        let identity = identity(key)
        guard !Task.isCancelled, !store.holds(identity.digest) else { return }
        let ticket = store.beginLoad(identity.digest)
        do {
            let encoded = try await fetch(key)
            let value = try Value(encoded: encoded)
            store.endLoad(ticket, value, encoded: encoded, identity, forKey: key, keepsInMemory: false)
        } catch {
            // A later caller that asks for the key gets its own error.
            return store.endLoad(ticket)
        }
        await store.backlogHasRoom()
    }
}

/// Why a cache with files doesn't open, or failed to keep an entry.
public enum DiskCacheError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The configuration names no folder.
    case noDirectory
    /// Another instance, in this process or in another, uses the folder.
    case inUse(directory: String)
    /// The folder can't be created, opened, locked or listed.
    case unusable(directory: String, reason: String)
    /// The entry's key or payload is longer than a file may hold.
    case entryTooLarge
    /// A file doesn't hold what was written.
    case damaged(file: String, reason: String)
    /// Entries could not be written, or files could not be removed; the entries are no longer in the cache.
    case failed(count: Int, first: String)

    /// What happened, and how to fix it.
    public var description: String {
        switch self {
        case .noDirectory:
            "a disk cache needs a folder: set `directory` in its configuration"
        case .inUse(let directory):
            "\(directory): another disk cache has this folder; close it first, or use another folder"
        case .unusable(let directory, let reason):
            "\(directory): can't be used as the folder of a disk cache: \(reason)"
        case .entryTooLarge:
            "the entry is too large for a file: at most \(EntryHeader.keyByteCountMax) bytes of key and "
                + "\(EntryHeader.payloadByteCountMax) bytes of value"
        case .damaged(let file, let reason):
            "\(file): does not hold what was saved (\(reason)); it can be removed"
        case .failed(let count, let first):
            "\(count) changes didn't reach the disk; the first: \(first)"
        }
    }
}
