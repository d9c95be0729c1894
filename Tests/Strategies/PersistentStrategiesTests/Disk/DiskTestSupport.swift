import CacheStrategies
import Foundation
import PersistentStrategies
import ReliabilityChecks
import Testing

/// A folder for one test. It contains the cache's folder, and space beside it for files that must not change.
final class DiskTestFolder {
    let parent: URL
    let directory: URL

    init() throws {
        parent = FileManager.default.temporaryDirectory
            .appendingPathComponent("disk-cache-tests-\(UUID().uuidString)", isDirectory: true)
        directory = parent.appendingPathComponent("cache", isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    /// For a folder that is not kept by its suite: `deinit` may run before the test's last line.
    func remove() { try? FileManager.default.removeItem(at: parent) }

    deinit { remove() }

    func configuration(entryLimit: Int? = nil, costLimit: Int? = nil) -> StrategyConfiguration {
        StrategyConfiguration(entryLimit: entryLimit, costLimit: costLimit, directory: directory)
    }

    /// Opens a cache that doesn't wait for the device.
    func open<Key: CacheableKey>(
        _ keys: Key.Type = Int.self, entryLimit: Int? = nil, costLimit: Int? = nil
    ) throws -> DiskCache<Key, Data> {
        try DiskCache<Key, Data>(configuration: configuration(entryLimit: entryLimit, costLimit: costLimit)) {
            directory throws(FileLayerError) in try FaultyFileLayer(directory: directory)
        }
    }

    /// All names except the lock and the index, sorted.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0 != "lock" && $0 != "index" }.sorted()
    }

    /// The total size of these files in bytes.
    func byteCount() throws -> Int {
        try names().reduce(0) { try $0 + Data(contentsOf: file($1)).count }
    }

    /// What a kill at this moment would leave, in a folder of its own.
    func copied() throws -> DiskTestFolder {
        let copy = try DiskTestFolder()
        try FileManager.default.removeItem(at: copy.directory)
        try FileManager.default.copyItem(at: directory, to: copy.directory)
        return copy
    }

    func file(_ name: String) -> URL { directory.appendingPathComponent(name) }

    /// Removes the last records of the index.
    func cutIndex(records: Int) throws {
        let content = try Data(contentsOf: file("index"))
        try content.dropLast(records * 64).write(to: file("index"))
    }

    /// Writes entries, closes the cache, and returns each key's file name.
    func filled(_ entries: KeyValuePairs<String, Data>) async throws -> [String: String] {
        var names: [String: String] = [:]
        let cache = try open(String.self)
        for (key, value) in entries {
            let before = Set(try self.names())
            await cache.insert(value, forKey: key, cost: value.count)
            try await cache.flush()
            names[key] = try Set(self.names()).subtracting(before).first
        }
        await cache.close()
        return names
    }
}

/// Bytes that differ for every two versions.
func bytes(_ version: Int, count: Int = 64) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: version &* 31 &+ $0 &* 7 &+ version >> 8) })
}
