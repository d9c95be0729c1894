/// Why a cache with files doesn't open, or didn't keep what it was given.
public enum DiskCacheError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The configuration names no folder.
    case noDirectory
    /// Another instance has the folder, in this process or in another.
    case inUse(directory: String)
    /// The folder can't be created, opened, locked or listed.
    case unusable(directory: String, reason: String)
    /// The entry's key or payload is longer than a file may hold.
    case entryTooLarge
    /// A file isn't what was written.
    case damaged(file: String, reason: String)
    /// Entries could not be written, or files not removed; the entries are no longer in the cache.
    case failed(count: Int, first: String)

    /// What happened, and what to do.
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
            "\(file): isn't what was saved (\(reason)); it can be removed"
        case .failed(let count, let first):
            "\(count) changes didn't reach the disk; the first: \(first)"
        }
    }
}
