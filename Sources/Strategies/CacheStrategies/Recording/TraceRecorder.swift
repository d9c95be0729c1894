import Foundation

/// Writes the requests to a cache into a trace that can be replayed: CSV with the header `time,key,size,operation`.
///
/// ```swift
/// let recorder = try TraceRecorder<URL>(path: "/var/tmp/images.csv")
/// let cache = Recorded(LRUCache<URL, Data>(entryLimit: 1000), by: recorder)
/// …
/// recorder.close()
/// ```
///
/// - Callers add a request to a buffer of their thread's stripe, under its lock, and continue; a thread writes. No lock
///   orders callers of different stripes, and no caller waits for the file.
/// - Lines are in the order of their times. For concurrent operations on one key, the order in which they took effect
///   is unknown.
/// - A lookup that misses and the insert that follows for its key are one read, because in traces a read includes the
///   fill after a miss. The read waits two seconds for its insert to get its size; after that the size is 0.
/// - Removing all entries writes no line.
/// - The file ends at ``RecordingOptions/fileByteLimit``; ``state`` says so. Write errors end the recording, never the
///   app. Requests that come faster than they can be written, about a million a second, are left out and counted: such
///   a trace is worth little. ``RecordingOptions/keyShare`` records some of the keys, and every request of those.
/// - A recorder that is released without ``close()`` writes its rest soon after.
public final class TraceRecorder<Key: Hashable & Sendable>: Sendable {
    @usableFromInline
    let stripes = RecordingStripes<Key>()
    @usableFromInline
    let writer: RecordingWriter<Key>
    /// Keys whose hash is greater are left out.
    @usableFromInline
    let lastHash: UInt64

    /// Creates a new file and starts recording.
    ///
    /// - Throws: ``RecordingError/cannotCreate(path:errorNumber:)``, also when the file exists.
    public convenience init(path: String, options: RecordingOptions = RecordingOptions()) throws(RecordingError) {
        // A NUL would silently cut off the rest of the name.
        guard !path.utf8.contains(0) else { throw .cannotCreate(path: path, errorNumber: EINVAL) }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotCreate(path: path, errorNumber: errno) }
        self.init(descriptor: descriptor, options: options)
    }

    /// Starts recording into an open file, which is closed at the end.
    init(descriptor: Int32, options: RecordingOptions) {
        let share = options.keyShare
        // 2^64 doesn't fit a UInt64; a share that is not a number leaves nothing out.
        lastHash = share < 1 ? UInt64(max(share, 0) * 0x1p63) * 2 : .max
        writer = RecordingWriter(descriptor: descriptor, stripes: stripes, options: options)
        writer.start()
    }

    deinit { writer.close(waiting: false) }

    /// The state of the recording.
    public var state: RecordingState { writer.state }

    /// Bytes in the file so far.
    public var writtenByteCount: Int { writer.writtenByteCount }

    /// Requests that are not in the file because they came faster than they could be written. O(stripes).
    public var lostRequestCount: UInt64 { stripes.lostCount }

    /// Writes the rest and closes the file; blocks meanwhile. Later requests are not recorded. May be called again.
    public func close() { writer.close(waiting: true) }

    @inlinable
    @inline(__always)
    func record(_ key: Key, size: Int, _ kind: RecordedRequest<Key>.Kind) {
        guard lastHash == .max || StableHash.word(StableHash.of(key)) <= lastHash else { return }
        if stripes.add(key, size: UInt64(clamping: size), kind: kind) { writer.wake() }
    }
}

/// A cache whose requests are written as a trace.
public typealias Recorded<Wrapped: CacheStrategy> = ObservedCache<Wrapped, TraceRecorder<Wrapped.Key>>

extension TraceRecorder: CacheObserver {
    /// `recorded`.
    public static var namePrefix: String { "recorded" }
    /// Records its requests.
    public static var purpose: String { "records its requests" }

    /// Records into a new file `recording-1.csv`, or the next number that is free, in the configuration's directory; the
    /// cache gets the folder `cache` in it.
    ///
    /// - Throws: ``RecordingError``, or the error of creating the folder.
    public static func make(for configuration: inout StrategyConfiguration) throws -> TraceRecorder {
        guard let directory = configuration.directory else { throw RecordingError.noDirectory }
        let folder = directory.appendingPathComponent("cache", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        configuration.directory = folder
        var number = 1
        while true {
            let path = directory.appendingPathComponent("recording-\(number).csv").path
            do throws(RecordingError) {
                return try TraceRecorder(path: path)
            } catch {
                guard error == .cannotCreate(path: path, errorNumber: EEXIST), number < 10_000 else { throw error }
                number += 1
            }
        }
    }

    /// Records a lookup or a load that got a value of this cost, in bytes.
    @inlinable
    public func noteLookup(_ key: Key, cost: Int) { record(key, size: cost, .read) }

    /// Records a lookup that missed, or a load that failed.
    @inlinable
    public func noteMiss(_ key: Key) { record(key, size: 0, .missedRead) }

    /// Records an insert of a value of this cost, in bytes.
    @inlinable
    public func noteInsert(_ key: Key, cost: Int) { record(key, size: cost, .write) }

    /// Records a removal.
    @inlinable
    public func noteRemoval(_ key: Key) { record(key, size: 0, .remove) }
}
