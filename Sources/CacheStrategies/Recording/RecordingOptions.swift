/// How a ``TraceRecorder`` writes.
public struct RecordingOptions: Sendable, Hashable {
    /// What is written for a key.
    public enum Keys: Sendable, Hashable {
        /// A hash of 64 bits that differs from recording to recording. It hides keys from who reads the file, but it is no
        /// cryptography: who may have the file must not be an enemy.
        case hashed
        /// The key itself, as its description; one that is empty, has a NUL or more than 1,000 bytes as `hash:` and its
        /// hash. Texts that look like numbers need `csvKeys` set to text when they are read.
        case plain
    }

    /// What is written for a key.
    public var keys = Keys.hashed
    /// The most bytes that the file may have; with the next line it would have more, the recording ends.
    public var fileByteLimit = 1 << 30
    /// The share of the keys whose requests are written, above 0 and up to 1; each key always or never. What of its
    /// kind is left behaves as the whole in a cache that is smaller in proportion (SHARDS, Waldspurger et al., FAST
    /// 2015): replay it with capacities multiplied by this share.
    public var keyShare = 1.0
    /// How long a request waits at most before it is written, at least a millisecond.
    public var flushInterval = Duration.seconds(2)

    /// Hashed keys, all of them, 1 GiB, 2 seconds.
    public init() {}

    /// The defaults, with other keys or another limit.
    public init(keys: Keys, fileByteLimit: Int = 1 << 30) {
        self.keys = keys
        self.fileByteLimit = fileByteLimit
    }
}

/// How a recording is doing.
public enum RecordingState: Sendable, Hashable {
    /// Requests are recorded.
    case recording
    /// The file has reached its limit; what came later is not in it.
    case full
    /// A write failed with this error number; what came later is not in the file, and its last line may be cut off.
    case failed(Int32)
    /// The recording was closed, and everything is in the file.
    case closed
}

/// Why a recording can't begin.
public enum RecordingError: Error, Hashable, CustomStringConvertible {
    /// The file exists or can't be made; the system's error number.
    case cannotCreate(path: String, errorNumber: Int32)
    /// The configuration names no folder to record in.
    case noDirectory

    public var description: String {
        switch self {
        case .cannotCreate(let path, let number):
            "\(path): can't make this file for a recording: \(SystemErrors.message(number))"
        case .noDirectory: "a recording needs a folder: set the configuration's directory"
        }
    }
}
