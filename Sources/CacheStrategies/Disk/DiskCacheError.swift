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
