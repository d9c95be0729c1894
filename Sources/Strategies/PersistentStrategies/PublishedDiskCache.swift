public import CacheStrategies
public import Dispatch
public import Foundation
public import Locks

/// Memory in front of files, with requests that can be cancelled, as it was published.
///
/// By its design it is the cache of Cocoacasts, the series "Image Caching in Swift" (undated).
///
/// - Memory is an array of encoded values, searched from the front and bounded by bytes; the oldest are evicted first.
///   It is read and changed from the callers' threads, from background queues and from the network's queue without a
///   lock: a data race. Every hit decodes.
/// - Disk is a folder with a file for each key, without bound. Files are written in place. A file that a crash left
///   half written is served as if it were whole, and when it doesn't decode, the request gets nothing.
/// - A request checks memory; then, in the background, the file, whose bytes go into memory; then the network. The
///   network task is always created, and started only when nothing was found. Its bytes go into memory and, in the
///   background, to disk. Requests are not shared; overlapping ones store their key in memory several times.
/// - Answers come on the main queue, which the process must run. A failure calls back with nothing. Cancelling stops
///   only the network, and then *never* calls back; a hit still calls back.
/// - Nothing is cleaned up: ``close()`` does not wait for file writes.
///
/// The configuration's cost limit bounds the memory; without one it is 50 MiB, because the published text names no
/// number. It counts encoded bytes. An entry limit is ignored. Two more choices are not in the text: a network answer
/// is in memory before the callback, and values are decoded where they are found.
///
/// The adapter adds what the protocol needs. A lookup is a request without a network. For a caller that awaits it, a
/// cancelled request ends with `CancellationError`, and nothing becomes ``PublishedCacheError/nothing``. Inserts and
/// removals change the memory at once and the file in a barrier block, so that they keep the order of the calls. Those
/// barriers also order some of the background work, which hides some of its races. ``DiskCache`` is the sound version.
public final class PublishedDiskCache<Key: CacheableKey, Value: CacheableValue>: CacheStrategy {
    @usableFromInline
    let memory: PublishedMemory<Key>
    @usableFromInline
    let folder: PublishedFolder
    @usableFromInline
    let background = DispatchQueue(label: "published-disk-background", attributes: .concurrent)
    @usableFromInline
    let network = DispatchQueue(label: "published-disk-network")

    /// The most bytes in memory when the configuration has no cost limit.
    public static var defaultMemoryByteLimit: Int { 50 << 20 }

    /// The strategy's name, `published-disk`, its limits and its promises.
    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "published-disk",
            summary: "as published: an unlocked array in front of a folder without bound, requests that call back",
            role: .reference,
            // The purpose of a cache with a folder: entries are found again after a restart, one by one. The design
            // does nothing for it.
            promises: Promises(consistency: .readYourWrites, limit: .none, durability: .killSafe),
            worksInBackground: true)
    }

    /// Opens the folder; entries of an earlier instance are found.
    ///
    /// - Throws: ``DiskCacheError/noDirectory``, or the error of creating the folder.
    public init(configuration: StrategyConfiguration) throws {
        guard let directory = configuration.directory else { throw DiskCacheError.noDirectory }
        folder = try PublishedFolder(directory)
        memory = PublishedMemory(byteLimit: configuration.costLimit ?? Self.defaultMemoryByteLimit)
    }

    /// The value of a key, from memory or from its file. O(entries in memory).
    @inlinable
    public func value(forKey key: Key) async -> Value? {
        await withCheckedContinuation { continuation in
            find(key) { continuation.resume(returning: $0.value) }
        }
    }

    /// Puts the encoded value into memory, and writes it later. O(entries in memory).
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) async {
        guard let bytes = try? value.encoded() else { return await removeValue(forKey: key) }
        memory.remove(key)
        memory.append(bytes, forKey: key)
        background.async(flags: .barrier) { [folder] in folder.write(bytes, forKey: key) }
    }

    /// Removes a key from memory, and its file later. O(entries in memory).
    @inlinable
    public func removeValue(forKey key: Key) async {
        memory.remove(key)
        background.async(flags: .barrier) { [folder] in folder.remove(key) }
    }

    /// Empties the memory, and the folder later. O(entries).
    @inlinable
    public func removeAll() async {
        memory.entries = []
        background.async(flags: .barrier) { [folder] in folder.removeAll() }
    }

    /// A request, awaited. Cancelling the caller's task cancels the request.
    ///
    /// - Throws: ``PublishedCacheError/nothing`` for every failure, or `CancellationError`.
    @inlinable
    public func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        let answer = Latch<Result<Loaded<Value>, any Error>>()
        let request = request(key, fetch: fetch) {
            answer.open(with: .failure(CancellationError()))
        } completion: { loaded in
            answer.open(with: loaded.map { .success($0) } ?? .failure(PublishedCacheError.nothing))
        }
        return try await withTaskCancellationHandler {
            try await answer.suspendedResult().get()
        } onCancel: {
            request.cancel()
        }
    }

    /// Empty: entries are spread over an array and a folder, and a key may be in both.
    public func statistics() async -> CacheStatistics { CacheStatistics() }

    /// Does nothing: pending file writes continue.
    public func close() async {}
}

extension PublishedDiskCache {
    /// Requests a value. Returns at once with a request that can be cancelled, and calls back on the main queue.
    ///
    /// - Parameters:
    ///   - whenCancelled: part of the adapter: called instead of `completion` when the network request was cancelled,
    ///     where the design never calls back.
    ///   - completion: called with the value, or with nothing.
    @inlinable
    func request(
        _ key: Key, fetch: @escaping @Sendable () async throws -> Data, whenCancelled: @escaping @Sendable () -> Void,
        completion: @escaping @Sendable (Loaded<Value>?) -> Void
    ) -> PublishedNetworkTask {
        let task = PublishedNetworkTask(fetch: fetch) { [self] end in
            network.async { [self] in
                switch end {
                case .success(let bytes): received(bytes, forKey: key, completion)
                case .failure: DispatchQueue.main.async { completion(nil) }
                case .cancelled: whenCancelled()
                }
            }
        }
        find(key) { finding in
            switch finding {
            case .value(let value): completion(Loaded(value, .hit))
            case .undecodable: completion(nil)
            case .absent: task.start()
            }
        }
        return task
    }

    /// Looks up in memory, and then in the background reads the file.
    ///
    /// - Parameter answer: called on the main queue when bytes were found, else in the background.
    @inlinable
    func find(_ key: Key, _ answer: @escaping @Sendable (PublishedFinding<Value>) -> Void) {
        if let bytes = memory.bytes(forKey: key) {
            let finding = PublishedFinding<Value>(bytes)
            return DispatchQueue.main.async { answer(finding) }
        }
        background.async { [self] in
            guard let bytes = folder.bytes(forKey: key) else { return answer(.absent) }
            memory.append(bytes, forKey: key)
            let finding = PublishedFinding<Value>(bytes)
            DispatchQueue.main.async { answer(finding) }
        }
    }

    /// The network request returned bytes. Bytes that don't decode are a failure.
    @inlinable
    func received(_ bytes: Data, forKey key: Key, _ completion: @escaping @Sendable (Loaded<Value>?) -> Void) {
        guard let value = try? Value(encoded: bytes) else {
            return DispatchQueue.main.async { completion(nil) }
        }
        memory.append(bytes, forKey: key)
        background.async { [folder] in folder.write(bytes, forKey: key) }
        DispatchQueue.main.async { completion(Loaded(value, .loaded)) }
    }
}

/// The result of a lookup in a ``PublishedDiskCache``, in memory or on disk.
@usableFromInline
enum PublishedFinding<Value: CacheableValue>: Sendable {
    case value(Value)
    /// Bytes that are no encoded value, such as half a file.
    case undecodable
    case absent

    /// Decodes the bytes that were found.
    @inlinable
    init(_ bytes: Data) { self = (try? Value(encoded: bytes)).map { .value($0) } ?? .undecodable }

    @inlinable
    var value: Value? { if case .value(let value) = self { value } else { nil } }
}

/// The memory of a ``PublishedDiskCache``: an array of encoded values, searched from the front.
@usableFromInline
final class PublishedMemory<Key: Hashable & Sendable>: @unchecked Sendable {
    // Not sound, on purpose: `entries` is read and changed from the callers' threads, from background queues and from
    // the network's queue without a lock.
    @usableFromInline
    var entries: [(key: Key, bytes: Data)] = []
    /// The most bytes of all entries together.
    @usableFromInline
    let byteLimit: Int

    @usableFromInline
    init(byteLimit: Int) {
        self.byteLimit = max(byteLimit, 0)
    }

    /// The bytes of the first entry of a key. O(n).
    @inlinable
    func bytes(forKey key: Key) -> Data? {
        entries.first { $0.key == key }?.bytes
    }

    /// Adds an entry at the end, even if the key has one; the oldest are dropped until it fits. A value that can never
    /// fit is not held. O(n).
    @inlinable
    func append(_ bytes: Data, forKey key: Key) {
        guard bytes.count <= byteLimit else { return }
        var excess = entries.reduce(bytes.count) { $0 + $1.bytes.count } - byteLimit
        while excess > 0, let oldest = entries.first {
            excess -= oldest.bytes.count
            entries.removeFirst()
        }
        entries.append((key, bytes))
    }

    /// Removes all entries of a key. O(n). Part of the adapter; the design never removes.
    @inlinable
    func remove(_ key: Key) {
        entries.removeAll { $0.key == key }
    }
}

/// The disk of a ``PublishedDiskCache``: a folder with a file for each key and no bound.
///
/// The published version names a file by its URL. Here the name is a digest of the key's bytes, which works for every
/// key.
@usableFromInline
struct PublishedFolder: Sendable {
    let directory: URL

    /// Creates the folder if it doesn't exist.
    init(_ directory: URL) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        self.directory = directory
    }

    /// The file of a key.
    func file(forKey bytes: Data) -> URL { directory.appendingPathComponent(KeyDigest(of: bytes).fileName) }

    /// The content of a key's file, even if only half of it was written.
    @usableFromInline
    func bytes(forKey key: some CacheableKey) -> Data? {
        try? Data(contentsOf: file(forKey: key.bytes))
    }

    /// Writes a key's file in place: a crash meanwhile leaves half of it. Errors are ignored.
    @usableFromInline
    func write(_ bytes: Data, forKey key: some CacheableKey) {
        try? bytes.write(to: file(forKey: key.bytes))
    }

    /// Removes the file of a key.
    @usableFromInline
    func remove(_ key: some CacheableKey) {
        try? FileManager.default.removeItem(at: file(forKey: key.bytes))
    }

    /// Removes the files of all keys, and no others.
    @usableFromInline
    func removeAll() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names where KeyDigest(fileName: name) != nil {
            try? FileManager.default.removeItem(at: directory.appendingPathComponent(name))
        }
    }
}

/// A request that is created first and started later, if at all, like a task of a URL session. A caller of a
/// ``PublishedDiskCache`` can only cancel it.
@usableFromInline
final class PublishedNetworkTask: Sendable {
    /// How a request ended.
    @usableFromInline
    enum End: Sendable {
        case success(Data), failure, cancelled
    }

    private enum State {
        case suspended
        case running(Task<Void, Never>)
        /// Its end was reported, or is about to be.
        case ended
        /// Cancelled before it was started; not reported yet.
        case cancelled
    }

    private let state = Locked(State.suspended)
    private let fetch: @Sendable () async throws -> Data
    private let whenEnded: @Sendable (End) -> Void

    /// - Parameter whenEnded: called once after a start, never without a start.
    @usableFromInline
    init(fetch: @escaping @Sendable () async throws -> Data, whenEnded: @escaping @Sendable (End) -> Void) {
        self.fetch = fetch
        self.whenEnded = whenEnded
    }

    /// Whether it was neither started nor cancelled.
    var isSuspended: Bool { state.withLock { if case .suspended = $0 { true } else { false } } }

    /// Sends the request.
    @usableFromInline
    func start() {
        let isCancelled = state.withLock { state in
            switch state {
            case .suspended: state = .running(Task { await run() })
            case .running, .ended: break
            case .cancelled:
                state = .ended
                return true
            }
            return false
        }
        if isCancelled { whenEnded(.cancelled) }
    }

    /// Cancels the request. A request that has not been started never starts.
    @usableFromInline
    func cancel() {
        let running: Task<Void, Never>? = state.withLock { state in
            switch state {
            case .suspended: state = .cancelled
            case .cancelled, .ended: break
            case .running(let task):
                state = .ended
                return task
            }
            return nil
        }
        guard let running else { return }
        running.cancel()
        whenEnded(.cancelled)
    }

    @concurrent
    private func run() async {
        let end: End
        do {
            end = .success(try await fetch())
        } catch {
            end = error is CancellationError ? .cancelled : .failure
        }
        let isFirst = state.withLock { state in
            guard case .running = state else { return false }
            state = .ended
            return true
        }
        if isFirst { whenEnded(end) }
    }
}
