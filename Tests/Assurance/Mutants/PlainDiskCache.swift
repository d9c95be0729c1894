import CacheStrategies
import Foundation
import PersistentStrategies
import ReliabilityChecks

/// A plain cache with a file for each entry, written before an insert returns: the sound base of ``DiskMutant``.
///
/// A file holds a digest, the length of the key, the key and the value. Memory holds only the sizes.
final class PlainDiskCache: @unchecked Sendable {
    /// The bug of a mutant.
    enum Bug: Sendable {
        case writesInPlace, checksNothing, namesFilesByKey, followsLinks, leavesTemporaryFiles, renamesFirst
        case swallowsErrors, believesItsIndex
    }

    // `@unchecked`: everything below is accessed only while `access` is held.
    private let access = NSLock()
    private let files: PlainDiskFiles
    private let costLimit: Int
    private let bug: Bug?
    /// The size of each file in bytes; `order` has the oldest entry first.
    private var sizes: [String: Int] = [:]
    private var order: [String] = []
    private var byteCount = 0
    private var failures: [String] = []
    /// Files whose removal failed.
    private var unremoved: Set<String> = []

    private static let indexName = "index"

    static func keeper(name: String, bug: Bug?) -> FileKeeper {
        FileKeeper(name: name, storage: .filePerEntry(others: [indexName])) { opening in
            let cache = try PlainDiskCache(opening, bug: bug)
            return OpenFileKeeper(
                value: { cache.value(forKey: $0) },
                insert: { cache.insert($0, forKey: $1) },
                remove: { cache.remove($0) },
                removeAll: { cache.removeAll() },
                flush: { try cache.flush() },
                close: {},
                byteCount: { cache.access.withLock { cache.byteCount } })
        }
    }

    struct Failed: Error {
        let first: String
    }

    private init(_ opening: FileKeeper.Opening, bug: Bug?) throws {
        self.bug = bug
        costLimit = opening.costLimit ?? .max
        let layer: any FileLayer = try opening.layer ?? FaultyFileLayer(directory: opening.directory)
        files = PlainDiskFiles(
            layer: layer, directory: opening.directory, bug: bug, keyHash: opening.keyHash)
        var names: [String] = []
        try layer.forEachName { names.append($0) }
        for name in names.sorted() where name != Self.indexName {
            if PlainDiskFiles.isTemporary(name) {
                if bug != .leavesTemporaryFiles { try? layer.remove(name) }
            } else if let size = files.sizeOfWholeFile(name) {
                note(name, size)
            } else {
                try? layer.remove(name)
            }
        }
        while byteCount > costLimit, let oldest = order.first { drop(oldest) }
        if bug == .believesItsIndex, let index = files.content(Self.indexName),
            let saved = Int(String(decoding: index, as: UTF8.self))
        {
            byteCount = saved
        }
    }

    private func note(_ name: String, _ size: Int) {
        forget(name)
        sizes[name] = size
        order.append(name)
        byteCount += size
    }

    private func forget(_ name: String) {
        guard let size = sizes.removeValue(forKey: name) else { return }
        byteCount -= size
        order.removeAll { $0 == name }
    }

    private func value(forKey key: String) -> Data? {
        access.withLock {
            let name = files.name(of: key)
            guard sizes[name] != nil else { return nil }
            if let value = files.value(name, key) { return value }
            drop(name)
            return nil
        }
    }

    private func insert(_ value: Data, forKey key: String) {
        access.withLock {
            let name = files.name(of: key)
            do {
                let size = try files.write(name, key, value)
                unremoved.remove(name)
                note(name, size)
                while byteCount > costLimit, let oldest = order.first, oldest != name { drop(oldest) }
            } catch {
                if bug != .swallowsErrors { failures.append("\(error)") }
                // The content of the file is out of date.
                drop(name)
            }
        }
    }

    private func remove(_ key: String) {
        access.withLock { drop(files.name(of: key)) }
    }

    private func removeAll() {
        access.withLock { for name in order { drop(name) } }
    }

    private func drop(_ name: String) {
        forget(name)
        do {
            try files.remove(name)
            unremoved.remove(name)
        } catch {
            if bug != .swallowsErrors { failures.append("\(error)") }
            unremoved.insert(name)
        }
    }

    private func flush() throws {
        try access.withLock {
            for name in unremoved.sorted() { drop(name) }
            if bug == .believesItsIndex {
                try? files.remove(Self.indexName)
                try? files.writeContent(Self.indexName, Data("\(byteCount)".utf8))
            }
            defer { failures = [] }
            if let first = failures.first { throw Failed(first: first) }
        }
    }
}
