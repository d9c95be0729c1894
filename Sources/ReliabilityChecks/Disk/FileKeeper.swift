package import Foundation

/// A strategy that keeps files, as the checks drive it: keys are strings, values plain bytes, as heavy as they are long.
package struct FileKeeper: Sendable {
    /// What its files are.
    package enum Storage: Sendable {
        /// One file for each entry, and some of the strategy's own.
        case filePerEntry(others: Set<String>)
        /// All entries in one file.
        case oneFile(String)
        /// All entries in the pages of one file: a damage may leave some whole, and take others.
        case pages(String)

        /// Whether it is a database.
        var isInPages: Bool { if case .pages = self { true } else { false } }

        /// Whether there is one file.
        var isSingle: Bool { if case .filePerEntry = self { false } else { true } }
    }

    /// The strategy's name.
    package let name: String
    /// Whether it is shown as it was published, faults included.
    package let isExpectedToFail: Bool
    /// What its files are.
    package let storage: Storage
    /// Whether its calls on the folder go through a ``FaultyFileLayer``.
    package let takesLayer: Bool
    /// The file that says which entries there are, and that can be made anew; `nil` where there is none.
    package let index: String?
    /// Opens it, as a process does that starts.
    package let open: @Sendable (Opening) async throws -> OpenFileKeeper

    /// What it is opened with.
    package struct Opening: Sendable {
        /// The cache's folder.
        package var directory: URL
        /// The cost limit, in bytes.
        package var costLimit: Int?
        /// What its calls on the folder go through.
        package var layer: FaultyFileLayer?
        /// What is digested in place of a key, so that two keys have one digest; `nil` for the key itself.
        package var keyHash: (@Sendable (Data) -> Data)?
    }

    package init(
        name: String, isExpectedToFail: Bool = false, storage: Storage, takesLayer: Bool = true,
        index: String? = nil,
        open: @escaping @Sendable (Opening) async throws -> OpenFileKeeper
    ) {
        self.name = name
        self.isExpectedToFail = isExpectedToFail
        self.storage = storage
        self.takesLayer = takesLayer
        self.index = index
        self.open = open
    }

    /// Opens it on a folder; its files don't wait for the device, where it takes a layer.
    func open(
        _ folder: ScratchFolder, costLimit: Int? = nil, layer: FaultyFileLayer? = nil,
        keyHash: (@Sendable (Data) -> Data)? = nil
    ) async throws -> OpenFileKeeper {
        let layer = try layer ?? (takesLayer ? FaultyFileLayer(directory: folder.directory) : nil)
        return try await open(
            Opening(directory: folder.directory, costLimit: costLimit, layer: layer, keyHash: keyHash))
    }

    /// What is wrong with the files of a folder in which `entryCount` entries were found: leftovers, and a counter of
    /// bytes that isn't their sum.
    func faults(in folder: ScratchFolder, entryCount: Int, byteCount: Int?) throws -> [String] {
        let names = try folder.names()
        switch storage {
        case .oneFile(let name), .pages(let name):
            // A database has a log and an index of it beside its file.
            let own = storage.isInPages ? [name, "\(name)-wal", "\(name)-shm"] : [name]
            let others = names.filter { !own.contains($0) }
            return others.isEmpty ? [] : ["left over: \(others)"]
        case .filePerEntry(let others):
            let files = names.filter { !others.contains($0) }
            var faults: [String] = []
            if files.count != entryCount { faults.append("\(files.count) files for \(entryCount) entries") }
            let sum = try folder.byteCount(of: files)
            if let byteCount, byteCount != sum { faults.append("\(byteCount) bytes are counted, \(sum) are there") }
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
    /// Waits until what has returned is in the folder; throws when some of it isn't.
    package var flush: @Sendable () async throws -> Void
    /// Finishes everything; the folder is free for the next one.
    package var close: @Sendable () async -> Void
    /// Bytes of the entries' files as the strategy counts them; `nil` when it doesn't.
    package var byteCount: @Sendable () -> Int?
    /// What is wrong with the strategy's own counts, in words.
    package var invariants: @Sendable () -> [String]

    package init(
        value: @escaping @Sendable (String) async -> Data?, insert: @escaping @Sendable (Data, String) async -> Void,
        remove: @escaping @Sendable (String) async -> Void, flush: @escaping @Sendable () async throws -> Void,
        close: @escaping @Sendable () async -> Void, byteCount: @escaping @Sendable () -> Int? = { nil },
        invariants: @escaping @Sendable () -> [String] = { [] }
    ) {
        self.value = value
        self.insert = insert
        self.remove = remove
        self.flush = flush
        self.close = close
        self.byteCount = byteCount
        self.invariants = invariants
    }
}
