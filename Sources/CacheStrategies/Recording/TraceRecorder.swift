import Foundation

/// Writes what callers ask of a cache into a trace that can be replayed: CSV with the header `time,key,size,operation`.
///
/// ```swift
/// let recorder = try TraceRecorder<URL>(path: "/var/tmp/images.csv")
/// let cache = RecordingStrategy(wrapping: LRUCache<URL, Data>(entryLimit: 1000), recorder: recorder)
/// …
/// recorder.close()
/// ```
///
/// - Callers leave a request in a buffer of their thread's stripe, under its lock, and go on; a thread writes. Nothing
///   orders callers of different stripes, and none ever waits for the file.
/// - Lines are in the order of their times. Of operations on one key at the same time nobody knows which took effect
///   first.
/// - A lookup that misses and the insert that follows for its key are one read, as in traces a read brings what it
///   misses. The read waits two seconds for its insert to learn its size; after that the size is 0.
/// - Removing everything has no line.
/// - The file ends at ``RecordingOptions/fileByteLimit``; ``state`` says so. Write errors end the recording, never
///   the app. Requests that come faster than they can be written, about a million a second, are left out and counted:
///   such a trace is worth little. ``RecordingOptions/keyShare`` keeps some of the keys, and of those every request.
/// - A recorder that goes without ``close()`` has its rest written soon after.
public final class TraceRecorder<Key: Hashable & Sendable>: Sendable {
    @usableFromInline
    let stripes = RecordingStripes<Key>()
    @usableFromInline
    let writer: RecordingWriter<Key>
    /// Keys whose hash is above it are left out.
    @usableFromInline
    let lastHash: UInt64

    /// Makes a new file and begins.
    ///
    /// - Throws: ``RecordingError/cannotCreate(path:errorNumber:)``, also when there is a file of that name.
    public convenience init(path: String, options: RecordingOptions = RecordingOptions()) throws(RecordingError) {
        // What follows a NUL would be cut off the name in silence.
        guard !path.utf8.contains(0) else { throw .cannotCreate(path: path, errorNumber: EINVAL) }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotCreate(path: path, errorNumber: errno) }
        self.init(descriptor: descriptor, options: options)
    }

    /// Begins in an open file, which is closed at the end.
    init(descriptor: Int32, options: RecordingOptions) {
        let share = options.keyShare
        // 2^64 is no UInt64; what is no number leaves nothing out.
        lastHash = share < 1 ? UInt64(max(share, 0) * 0x1p63) * 2 : .max
        writer = RecordingWriter(descriptor: descriptor, stripes: stripes, options: options)
        writer.start()
    }

    deinit { writer.close(waiting: false) }

    /// How the recording is doing.
    public var state: RecordingState { writer.state }

    /// Bytes in the file so far.
    public var writtenByteCount: Int { writer.writtenByteCount }

    /// Requests that came faster than they could be written and are not in the file. O(stripes).
    public var lostRequestCount: UInt64 { stripes.lostCount }

    /// Writes the rest and closes the file; blocks meanwhile. What comes later is not recorded. May be called again.
    public func close() { writer.close(waiting: true) }

    /// A lookup or a load was answered with a value of a size.
    @inlinable
    public func recordRead(_ key: Key, size: Int) { record(key, size: size, .read) }

    /// A lookup found nothing.
    @inlinable
    public func recordMiss(_ key: Key) { record(key, size: 0, .missedRead) }

    /// A value was inserted.
    @inlinable
    public func recordWrite(_ key: Key, size: Int) { record(key, size: size, .write) }

    /// An entry was removed.
    @inlinable
    public func recordRemoval(_ key: Key) { record(key, size: 0, .remove) }

    @inlinable
    @inline(__always)
    func record(_ key: Key, size: Int, _ kind: RecordedRequest<Key>.Kind) {
        guard lastHash == .max || StableHash.word(StableHash.of(key)) <= lastHash else { return }
        if stripes.add(key, size: UInt32(clamping: size), kind: kind) { writer.wake() }
    }
}
