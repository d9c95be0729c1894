public import Foundation

/// What is written are the entries that live and that the tracker knows, each with its expiry date.
///
/// Reading inserts them into a cache with the default clock, lifetime and limit, whatever those of the saved one were.
extension PublishedExpiringCache: Codable where Key: Codable, Value: Codable {
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.singleValueContainer()
        for entry in try container.decode([PublishedExpiringEntry<Key, Value>].self) { insert(entry) }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        // Walks the set while others may change it.
        try container.encode(tracker.keys.compactMap { entry(forKey: $0) })
    }
}

extension PublishedExpiringCache where Key: Codable, Value: Codable {
    /// Writes the cache as JSON to a file with a name, in the caches folder unless another one is given.
    ///
    /// The file is overwritten in place: a crash meanwhile leaves neither the old nor the new one.
    ///
    /// - Returns: the file.
    /// - Throws: what keeps the file from being written.
    @discardableResult
    public func save(named name: String, in folder: URL? = nil) throws -> URL {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        guard let folder = folder ?? caches else { throw CocoaError(.fileNoSuchFile) }
        let file = folder.appendingPathComponent(name + ".cache")
        try JSONEncoder().encode(self).write(to: file)
        return file
    }
}
