import BuiltInStrategies
import CacheStrategies
import Foundation
import PersistentStrategies

extension FileKeeper {
    /// All strategies that write to disk.
    package static let all = [disk, expiring, publishedDisk] + databases

    /// The strategy with a name.
    package static func named(_ name: String) -> FileKeeper? { all.first { $0.name == name } }

    static let disk = FileKeeper(
        name: DiskCache<String, Data>.declaration.name, storage: .filePerEntry(others: ["index", "lock"]),
        index: "index", closesDurably: true
    ) { opening in
        let configuration = StrategyConfiguration(costLimit: opening.costLimit, directory: opening.directory)
        let cache = try DiskCache<String, Data>(
            // Few records, so that the index is rewritten within the few operations of a case.
            configuration: configuration, keyHash: opening.keyHash, indexRecordsMin: 16
        ) { directory throws(FileLayerError) in
            if let layer = opening.layer { return layer }
            return try POSIXFileLayer(
                directory: directory, spareCount: DiskCache<String, Data>.threadCount)
        }
        return OpenFileKeeper(
            value: { await cache.value(forKey: $0) },
            insert: { await cache.insert($0, forKey: $1, cost: $0.count) },
            remove: { await cache.removeValue(forKey: $0) },
            removeAll: { await cache.removeAll() },
            flush: { try await cache.flush() },
            close: { await cache.close() },
            byteCount: { cache.fileByteCount },
            invariants: { cache.checkInvariants() })
    }

    /// Saves at each flush and restores on opening. A file that can't be restored gives an empty cache: an app would
    /// also continue after the error.
    static let expiring: FileKeeper = {
        let name = "entries.saved"
        return FileKeeper(name: ExpiringCache<String, Data>.declaration.name, storage: .oneFile(name)) { opening in
            // The default limit is lower than the number of keys in the checks.
            let limit = opening.costLimit == nil ? 100_000 : nil
            let cache = ExpiringCache<String, Data>(
                configuration: StrategyConfiguration(entryLimit: limit, costLimit: opening.costLimit))
            let file = opening.directory.appendingPathComponent(name)
            let layer: any FileLayer =
                if let given = opening.layer { given } else { try POSIXFileLayer(directory: opening.directory) }
            try? cache.restore(from: file, layer: layer)
            return OpenFileKeeper(
                value: { cache.value(forKey: $0) },
                insert: { cache.insert($0, forKey: $1, cost: $0.count) },
                remove: { cache.removeValue(forKey: $0) },
                removeAll: { cache.removeAll() },
                flush: { try cache.save(to: file, layer: layer) },
                close: {},
                invariants: {
                    do {
                        try cache.checkInvariants()
                        return []
                    } catch {
                        return ["\(error)"]
                    }
                })
        }
    }()

    #if SQLite
        private static let databases = [
            FileKeeper(
                name: SQLiteCache<String, Data>.declaration.name, storage: .pages("cache.sqlite"), takesLayer: false
            ) { opening in
                let cache = try SQLiteCache<String, Data>(
                    configuration: StrategyConfiguration(costLimit: opening.costLimit, directory: opening.directory))
                return OpenFileKeeper(
                    value: { cache.value(forKey: $0) },
                    insert: { cache.insert($0, forKey: $1, cost: $0.count) },
                    remove: { cache.removeValue(forKey: $0) },
                    removeAll: { cache.removeAll() },
                    flush: {
                        if let failure = cache.statistics().firstFailure {
                            throw KillWriter.Failure(description: failure)
                        }
                    },
                    close: { cache.close() },
                    invariants: { cache.checkInvariants() })
            }
        ]
    #else
        private static let databases: [FileKeeper] = []
    #endif

    static let publishedDisk = FileKeeper(
        name: PublishedDiskCache<String, Data>.declaration.name, isExpectedToFail: true,
        storage: .filePerEntry(others: []), takesLayer: false
    ) { opening in
        let cache = try PublishedDiskCache<String, Data>(
            configuration: StrategyConfiguration(costLimit: opening.costLimit, directory: opening.directory))
        // This lookup of a key that is never inserted returns after all earlier operations have passed the barriers.
        let settle: @Sendable () async -> Void = { _ = await cache.value(forKey: "\u{1}settled") }
        return OpenFileKeeper(
            value: { await cache.value(forKey: $0) },
            insert: { await cache.insert($0, forKey: $1, cost: $0.count) },
            remove: { await cache.removeValue(forKey: $0) },
            removeAll: { await cache.removeAll() },
            flush: { await settle() },
            close: { await settle() })
    }
}
