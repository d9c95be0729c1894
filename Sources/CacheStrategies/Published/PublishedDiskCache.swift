public import Dispatch
public import Foundation
public import Locks

/// Memory in front of files, with requests that can be cancelled, as it was published.
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
            role: .published,
            // The purpose of a cache with a folder: entries are found again after a restart, one by one. The design
            // does nothing for it.
            promises: Promises(consistency: .readYourWrites, limit: .none, durability: .killSafe))
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
            find(key) { finding in
                if case .value(let value) = finding {
                    continuation.resume(returning: value)
                } else {
                    continuation.resume(returning: nil)
                }
            }
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
