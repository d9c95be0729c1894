public import Foundation

/// Encodes the live entries that the tracker knows, each with its expiry date.
///
/// Decoding inserts them into a cache with the default clock, lifetime and limit, not with those of the saved cache.
extension PublishedExpiringCache: Codable where Key: Codable, Value: Codable {
    /// A cache with the default clock, lifetime and limit, and the encoded entries.
    ///
    /// - Throws: `DecodingError` when the input isn't what ``encode(to:)`` wrote.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.singleValueContainer()
        for entry in try container.decode([PublishedExpiringEntry<Key, Value>].self) { insert(entry) }
    }

    /// Encodes the live entries that the tracker knows, each with its expiry date.
    ///
    /// - Throws: the error of encoding a key or a value, or of `encoder`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        // Iterates over the set while other threads may change it.
        try container.encode(tracker.keys.compactMap { entry(forKey: $0) })
    }
}

extension PublishedExpiringCache where Key: Codable, Value: Codable {
    /// Writes the cache as JSON to a file with a name, by default in the caches folder.
    ///
    /// The file is overwritten in place: a crash meanwhile leaves neither the old nor the new one.
    ///
    /// - Returns: the file.
    /// - Throws: the error of encoding or of writing the file.
    @discardableResult
    public func save(named name: String, in folder: URL? = nil) throws -> URL {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        guard let folder = folder ?? caches else { throw CocoaError(.fileNoSuchFile) }
        let file = folder.appendingPathComponent(name + ".cache")
        try JSONEncoder().encode(self).write(to: file)
        return file
    }
}
