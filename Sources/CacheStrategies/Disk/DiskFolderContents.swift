import Foundation

/// What a folder holds when it is opened: the index, built from the headers of its files.
///
/// Opening reads the names and one header of 48 bytes for each entry: linear in the number of files, whatever their
/// sizes. The order of use isn't kept on disk; the order of the inserts stands for it.
struct DiskFolderContents<Key: CacheableKey, Value: CacheableValue> {
    private(set) var index: DiskEntryIndex<Key, Value>
    /// The greatest number of an insert that was found.
    private(set) var lastGeneration: UInt64 = 0
    /// Entries that were removed because the limits are lower than what was found.
    private(set) var evictions: UInt64 = 0

    /// Reads a folder; removes what an interrupted write left, damaged files, and the oldest entries beyond the limits.
    ///
    /// Files with other names are left alone. A damaged file that can't be removed is left as well: reading checks
    /// again.
    ///
    /// - Throws: when the folder can't be listed, or when the process can't open any more files; a shortage must not
    ///   cost the entries.
    init(of folder: EntryFolder, limits: DiskLimits) throws(FileLayerError) {
        index = DiskEntryIndex(limits: limits)
        var found: [(digest: KeyDigest, header: EntryHeader)] = []
        for name in try folder.names() {
            if EntryFolder.isTemporary(name) {
                try? folder.remove(name)
            } else if let digest = KeyDigest(fileName: name) {
                do {
                    found.append((digest, try folder.readHeader(name)))
                } catch {
                    if case .unreadable(let error) = error, SystemErrors.isShortage(error.code) { throw error }
                    try? folder.remove(name)
                }
            }
        }
        found.sort { ($0.header.sequence, $0.digest.fileName) < ($1.header.sequence, $1.digest.fileName) }
        lastGeneration = found.last?.header.sequence ?? 0
        for (digest, header) in found { add(digest, header, folder) }
    }

    private mutating func add(_ digest: KeyDigest, _ header: EntryHeader, _ folder: EntryFolder) {
        guard index.limits.admits(cost: header.cost, fileBytes: header.fileByteCount) else {
            evict(digest, folder)
            return
        }
        while let victim = index.victim(newEntries: 1, cost: header.cost, fileBytes: header.fileByteCount) {
            _ = index.remove(victim)
            evict(victim, folder)
        }
        index.add(
            .init(
                digest: digest, cost: header.cost, generation: header.sequence, fileBytes: header.fileByteCount,
                mayHaveFile: true, key: nil, value: nil, staged: nil))
    }

    private mutating func evict(_ digest: KeyDigest, _ folder: EntryFolder) {
        evictions += 1
        try? folder.remove(digest.fileName)
    }
}
