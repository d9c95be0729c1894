public import Foundation

/// An ``ExpiringCache`` can be written down when its keys and values can.
///
/// What is written are the entries that live, each with the time it has left, and the date. Reading takes off the time
/// that has passed since, by the date; a date that went back takes off nothing. There is no `Decodable`, because what
/// is decoded needs a clock, a lifetime and limits that the file can't know: they come from a configuration.
extension ExpiringCache: Encodable where Key: Codable, Value: Codable {
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
    /// A cache with a configuration's clock, lifetime and limits, and the entries that were written down.
    ///
    /// - Throws: `DecodingError` when the input isn't what ``encode(to:)`` wrote.
    public convenience init(from decoder: any Decoder, configuration: StrategyConfiguration) throws {
        self.init(configuration: configuration)
        restore(try SavedEntries(from: decoder))
    }
}

extension ExpiringCache where Key: Codable, Value: Codable {
    /// Writes the entries that live to a file, in place of what it held, behind a header with a checksum.
    ///
    /// The file is written under a temporary name beside it, its own with `.saving` behind it, synchronised and then
    /// renamed: after a crash at any moment it is the old or the new one, whole. What a crash leaves under the temporary
    /// name is removed by the next ``save(to:)`` or ``restore(from:)``. Writes that come while it runs are in the file
    /// or not. Saves of one process take turns; two processes must not save to one file.
    ///
    /// - Throws: what keeps the file from being written; the old one is still there.
    public func save(to file: URL) throws {
        try save(to: file, layer: POSIXFileLayer(directory: file.deletingLastPathComponent(), creating: false))
    }

    /// Adds the entries that ``save(to:)`` wrote and that still live.
    ///
    /// Files that earlier versions wrote, as JSON, are read as well. Each gets the lifetime it had left, and never more than its value's or this cache's. Entries that this cache has
    /// already are newer and stay. When there is no room for all, those that expire soonest are left out. O(n log n).
    ///
    /// - Throws: when the file can't be read or isn't exactly what ``save(to:)`` wrote, as ``DiskCacheError/damaged(file:reason:)``
    ///   says; nothing is changed then.
    ///
    /// Inlinable, so that it is compiled for the cache's types: as generic code it takes ten times as long.
    @inlinable
    public func restore(from file: URL) throws {
        try restore(content: SavedContent(of: file))
    }

    /// Saves through a layer for the file's folder, such as one that fails on purpose.
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
