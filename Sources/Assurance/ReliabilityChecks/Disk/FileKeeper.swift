package import Foundation

/// A strategy that keeps files, as the checks use it: keys are strings, values are plain bytes that cost their
/// length.
package struct FileKeeper: Sendable {
    /// The layout of the strategy's files.
    package enum Storage: Sendable {
        /// One file for each entry, and some files of the strategy's own.
        case filePerEntry(others: Set<String>)
        /// All entries in one file.
        case oneFile(String)
        /// All entries in the pages of one file: damage may destroy some entries and leave others whole.
        case pages(String)

        /// Whether it is a database.
        var isInPages: Bool { if case .pages = self { true } else { false } }

        /// Whether all entries are in one file.
        var isSingle: Bool { if case .filePerEntry = self { false } else { true } }
    }

    /// The strategy's name.
    package let name: String
    /// Whether the strategy is shown as published, including its faults.
    package let isExpectedToFail: Bool
    /// The layout of the strategy's files.
    package let storage: Storage
    /// Whether its calls on the folder go through a ``FaultyFileLayer``.
    package let takesLayer: Bool
    /// The file that lists the entries and can be rebuilt; `nil` where there is none.
    package let index: String?
    /// Whether everything survives a loss of power once the strategy is closed.
    package let closesDurably: Bool
    /// Opens the strategy, as a process does at its start.
    package let open: @Sendable (Opening) async throws -> OpenFileKeeper

    /// What the strategy is opened with.
    package struct Opening: Sendable {
        /// The cache's folder.
        package var directory: URL
        /// The cost limit, in bytes.
        package var costLimit: Int?
        /// The layer for its calls on the folder; `nil` for the real one.
        package var layer: FaultyFileLayer?
        /// Replaces the digest's input, so that two keys have the same digest; `nil` to digest the key itself.
        package var keyHash: (@Sendable (Data) -> Data)?
    }

    package init(
        name: String, isExpectedToFail: Bool = false, storage: Storage, takesLayer: Bool = true,
        index: String? = nil, closesDurably: Bool = false,
        open: @escaping @Sendable (Opening) async throws -> OpenFileKeeper
    ) {
        self.name = name
        self.isExpectedToFail = isExpectedToFail
        self.storage = storage
        self.takesLayer = takesLayer
        self.index = index
        self.closesDurably = closesDurably
        self.open = open
    }

    /// Opens the strategy on a folder; where it takes a layer, its files are not synced to the device.
    func open(
        _ folder: ScratchFolder, costLimit: Int? = nil, layer: FaultyFileLayer? = nil,
        keyHash: (@Sendable (Data) -> Data)? = nil
    ) async throws -> OpenFileKeeper {
        let layer = try layer ?? (takesLayer ? FaultyFileLayer(directory: folder.directory) : nil)
        return try await open(
            Opening(directory: folder.directory, costLimit: costLimit, layer: layer, keyHash: keyHash))
    }

    /// The faults in the files of a folder in which `entryCount` entries were found: leftover files, and a byte count
    /// that differs from the sum of the files.
    func faults(in folder: ScratchFolder, entryCount: Int, byteCount: Int?) throws -> [String] {
        let names = try folder.names()
        switch storage {
        case .oneFile(let name), .pages(let name):
            // A database has a write-ahead log and an index of that log beside its file.
            let own = storage.isInPages ? [name, "\(name)-wal", "\(name)-shm"] : [name]
            let others = names.filter { !own.contains($0) }
            return others.isEmpty ? [] : ["leftover files: \(others)"]
        case .filePerEntry(let others):
            let files = names.filter { !others.contains($0) }
            var faults: [String] = []
            if files.count != entryCount { faults.append("\(files.count) files for \(entryCount) entries") }
            let sum = try folder.byteCount(of: files)
            if let byteCount, byteCount != sum {
                faults.append("\(byteCount) bytes are counted, but the files have \(sum)")
            }
            return faults
        }
    }
}

/// A ``FileKeeper`` that is open.
package struct OpenFileKeeper: Sendable {
    /// Looks a key up.
    package var value: @Sendable (_ key: String) async -> Data?
    /// Inserts a value.
    package var insert: @Sendable (_ value: Data, _ key: String) async -> Void
    /// Removes a key.
    package var remove: @Sendable (_ key: String) async -> Void
    /// Removes all keys.
    package var removeAll: @Sendable () async -> Void
    /// Waits until all returned operations have reached the folder; throws when one of them has failed.
    package var flush: @Sendable () async throws -> Void
    /// Finishes all work and releases the folder.
    package var close: @Sendable () async -> Void
    /// The size of the entries' files in bytes as the strategy counts it; `nil` when it doesn't.
    package var byteCount: @Sendable () -> Int?
    /// The faults in the strategy's own invariants, in words.
    package var invariants: @Sendable () -> [String]

    package init(
        value: @escaping @Sendable (String) async -> Data?, insert: @escaping @Sendable (Data, String) async -> Void,
        remove: @escaping @Sendable (String) async -> Void, removeAll: @escaping @Sendable () async -> Void,
        flush: @escaping @Sendable () async throws -> Void,
        close: @escaping @Sendable () async -> Void, byteCount: @escaping @Sendable () -> Int? = { nil },
        invariants: @escaping @Sendable () -> [String] = { [] }
    ) {
        self.value = value
        self.insert = insert
        self.remove = remove
        self.removeAll = removeAll
        self.flush = flush
        self.close = close
        self.byteCount = byteCount
        self.invariants = invariants
    }
}
