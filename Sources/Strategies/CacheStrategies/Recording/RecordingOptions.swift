import Platform

/// How a ``TraceRecorder`` writes.
public struct RecordingOptions: Sendable, Hashable {
    /// What is written for a key.
    public enum Keys: Sendable, Hashable {
        /// A 64-bit hash that differs from recording to recording. It hides keys from casual readers of the file, but
        /// it is not cryptographic: do not give the file to an attacker.
        case hashed
        /// The key itself, as its description. A key that is empty, has a NUL or has more than 1,000 bytes is written
        /// as `hash:` and its hash. Strings that look like numbers need `--keys text` when they are read.
        case plain
    }

    /// What is written for a key.
    public var keys = Keys.hashed
    /// The most bytes in the file; before a line that would exceed it, the recording ends.
    public var fileByteLimit = 1 << 30
    /// The share of the keys whose requests are written, above 0 and up to 1; each key always or never. The sample
    /// behaves as the whole in a cache that is smaller in proportion (SHARDS, Waldspurger et al., FAST 2015): replay it
    /// with capacities multiplied by this share.
    public var keyShare = 1.0
    /// The longest time that a request waits before it is written, at least a millisecond.
    public var flushInterval = Duration.seconds(2)

    /// The defaults: hashed keys, all of them, 1 GiB, 2 seconds.
    public init() {}

    /// The defaults, with other keys or another limit.
    public init(keys: Keys, fileByteLimit: Int = 1 << 30) {
        self.keys = keys
        self.fileByteLimit = fileByteLimit
    }
}

/// The state of a recording.
public enum RecordingState: Sendable, Hashable {
    /// Requests are recorded.
    case recording
    /// The file has reached its limit; later requests are not in it.
    case full
    /// A write failed with this error number; later requests are not in the file, and its last line may be cut off.
    case failed(Int32)
    /// The recording was closed, and everything is in the file.
    case closed
}

/// Why a recording can't start.
public enum RecordingError: Error, Hashable, CustomStringConvertible {
    /// The file exists already or can't be created; the system's error number.
    case cannotCreate(path: String, errorNumber: Int32)
    /// The configuration names no folder to record in.
    case noDirectory

    /// What happened, and how to fix it.
    public var description: String {
        switch self {
        case .cannotCreate(let path, let number):
            "\(path): can't create this file for a recording: \(SystemErrors.message(number))"
        case .noDirectory: "a recording needs a folder: set `directory` in its configuration"
        }
    }
}
