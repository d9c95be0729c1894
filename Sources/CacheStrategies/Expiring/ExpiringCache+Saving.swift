public import Foundation

/// An ``ExpiringCache`` is encodable when its keys and values are codable.
///
/// The encoding has the live entries, each with its remaining lifetime, and the date. Decoding subtracts the time that
/// has passed since that date; a date that went back subtracts nothing. There is no `Decodable`, because decoding needs
/// a clock, a lifetime and limits that the file can't have: they come from a configuration.
extension ExpiringCache: Encodable where Key: Codable, Value: Codable {
    /// Encodes the live entries with their remaining lifetimes, and the date.
    ///
    /// - Throws: the error of encoding a key or a value, or of `encoder`.
    public func encode(to encoder: any Encoder) throws {
        try saved().encode(to: encoder)
    }

    fileprivate func saved() -> SavedEntries<Key, Value> {
        let now = clock.now()
        let savedAt = clock.date()
        let entries = liveEntries(at: now).map { SavedEntry($0, timeLeft: $0.expiry - now) }
        return SavedEntries(savedAt: savedAt, entries: entries)
    }
}

extension ExpiringCache: DecodableWithConfiguration where Key: Codable, Value: Codable {
    /// A cache with a configuration's clock, lifetime and limits, and the entries that were encoded.
    ///
    /// - Throws: `DecodingError` when the input isn't what ``encode(to:)`` wrote.
    public convenience init(from decoder: any Decoder, configuration: StrategyConfiguration) throws {
        self.init(configuration: configuration)
        restore(try SavedEntries(from: decoder))
    }
}

extension ExpiringCache where Key: Codable, Value: Codable {
    /// Writes the live entries to a file, behind a header with a checksum, and replaces the older file.
    ///
    /// The file is written beside the older one under a temporary name, which is its own name and `.saving`, then
    /// synchronised and renamed: after a crash at any moment the file is the old or the new one, whole. The next
    /// ``save(to:)`` or ``restore(from:)`` removes a temporary file that a crash left. Cache writes that happen during
    /// a save may or may not be in the file. Saves of one process run one after the other; two processes must not save
    /// to one file.
    ///
    /// - Throws: the error of encoding or of writing the file; the old file is unchanged then.
    public func save(to file: URL) throws {
        try save(to: file, layer: POSIXFileLayer(directory: file.deletingLastPathComponent(), creating: false))
    }

    /// Adds the entries that ``save(to:)`` wrote and that still live.
    ///
    /// Files of earlier versions, in JSON, are read as well. Each entry gets its remaining lifetime, and never more
    /// than its value's or this cache's. Entries that this cache already has are newer and stay. When there is no room
    /// for all, those that expire soonest are left out. O(n log n).
    ///
    /// - Throws: ``DiskCacheError/damaged(file:reason:)`` when the file's header, length or checksum is wrong; the
    ///   error of reading it; or the error of decoding, when it holds other types. Nothing is changed then.
    ///
    /// Inlinable, so that it is compiled for the cache's types: as generic code it takes ten times as long.
    @inlinable
    public func restore(from file: URL) throws {
        try restore(content: SavedContent(of: file))
    }

    /// Saves through a layer for the file's folder, such as one that injects failures.
    package func save(to file: URL, layer: any FileLayer) throws {
        try SavedFile(file, layer: layer).write(try SavedColumns.encode(saved()))
    }

    /// Restores through a layer for the file's folder.
    package func restore(from file: URL, layer: any FileLayer) throws {
        try restore(content: SavedContent(of: file, layer: layer))
    }

    @inlinable
    func restore(content: SavedContent) throws {
        guard let columns = try SavedColumns(content) else {
            return restore(try JSONDecoder().decode(SavedEntries<Key, Value>.self, from: content.bytes))
        }
        restore(try columns.entries())
    }

    @inlinable
    func restore(_ saved: SavedEntries<Key, Value>) {
        let elapsed = saved.elapsed(until: clock.date())
        let now = clock.now()
        exclusively { store, dropped in
            var merged = store.table.inOrder
            var known = Set(merged.map(\.key))
            for entry in saved.entries {
                let timeLeft = min(entry.timeLeft - elapsed, lifetime(of: entry.value))
                guard timeLeft > .zero, known.insert(entry.key).inserted else { continue }
                merged.append(
                    Node(key: entry.key, value: entry.value, cost: max(entry.cost, 0), expiry: now + timeLeft))
            }
            store.rebuild(with: merged, now: now, dropped: &dropped)
        }
    }
}
