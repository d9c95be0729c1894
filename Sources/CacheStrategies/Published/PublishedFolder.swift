public import Foundation

/// The disk of a ``PublishedDiskCache``: a folder with a file for each key and no bound.
///
/// The published version names a file by its URL. Here the name is a digest of the key's bytes, which works for every
/// key.
@usableFromInline
struct PublishedFolder: Sendable {
    let directory: URL

    /// Creates the folder if it doesn't exist.
    init(_ directory: URL) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        self.directory = directory
    }

    /// The file of a key.
    func file(forKey bytes: Data) -> URL {
        directory.appendingPathComponent(KeyDigest(of: bytes).fileName)
    }

    /// The content of a key's file, even if only half of it was written.
    @usableFromInline
    func bytes(forKey key: some CacheableKey) -> Data? {
        try? Data(contentsOf: file(forKey: key.bytes))
    }

    /// Writes a key's file in place: a crash meanwhile leaves half of it. Errors are ignored.
    @usableFromInline
    func write(_ bytes: Data, forKey key: some CacheableKey) {
        try? bytes.write(to: file(forKey: key.bytes))
    }

    /// Removes the file of a key.
    @usableFromInline
    func remove(_ key: some CacheableKey) {
        try? FileManager.default.removeItem(at: file(forKey: key.bytes))
    }

    /// Removes the files of all keys, and no others.
    @usableFromInline
    func removeAll() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names where KeyDigest(fileName: name) != nil {
            try? FileManager.default.removeItem(at: directory.appendingPathComponent(name))
        }
    }
}
