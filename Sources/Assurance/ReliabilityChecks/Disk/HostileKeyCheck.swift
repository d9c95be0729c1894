import Foundation

/// For any key, nothing changes outside the folder, different keys have different values, and equal keys share one
/// value; also where two keys have the same digest.
package struct HostileKeyCheck: Sendable {
    /// The check's name.
    package static let name = "hostile-keys"

    private let keeper: FileKeeper
    private let seed: UInt64

    package init(_ keeper: FileKeeper, seed: UInt64) {
        self.keeper = keeper
        self.seed = seed
    }

    /// Runs all cases.
    package func run(_ budget: CheckBudget = CheckBudget()) async throws -> CheckTally {
        var tally = CheckTally(Self.name, of: keeper, seed: seed)
        for (number, key) in HostileKeys.all.enumerated() where number % budget.stride == 0 && budget.allows(tally) {
            tally.note(try await runAlone { _ in key }, "key \(key.debugDescription.prefix(60)) alone")
        }
        if budget.allows(tally) {
            let planted = try await runAlone { $0.parent.appendingPathComponent("passwd").path }
            tally.note(planted, "the whole path of a file outside")
        }
        if budget.allows(tally) { tally.note(try await runTogether(), "all keys together") }
        for (first, second) in HostileKeys.equalPairs where budget.allows(tally) {
            tally.note(try await runEqual(first, second), "the equal keys \(first) and \(second)")
        }
        if keeper.takesLayer, budget.allows(tally) {
            tally.note(try await runCollisions(), "keys with one digest")
        }
        return tally
    }

    /// The contents around a cache's folder: names and bytes of everything beside it.
    private func surroundings(_ folder: ScratchFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.parent.path).sorted().map { name in
            let file = folder.parent.appendingPathComponent(name)
            let content = name == folder.directory.lastPathComponent ? nil : try? Data(contentsOf: file)
            return "\(name) \(content.map { $0.base64EncodedString() } ?? "")"
        }
    }

    private func plant(_ folder: ScratchFolder) throws -> [String] {
        for name in ["out", "a", "b", "passwd", "lock"] {
            try FileDamage.precious.write(to: folder.parent.appendingPathComponent(name))
        }
        return try surroundings(folder)
    }

    private func runAlone(_ makeKey: (ScratchFolder) -> String) async throws -> [String] {
        try await ScratchFolder.with { folder in
            let before = try plant(folder)
            let key = makeKey(folder)
            let value = CheckedBytes.value(key, count: 64)
            var faults: [String] = []
            let first = try await keeper.open(folder)
            await first.insert(value, key)
            do { try await first.flush() } catch { faults.append("it can't be stored: \(error)") }
            await first.close()
            let second = try await keeper.open(folder)
            if await second.value(key) != value { faults.append("it isn't found when reopened") }
            await second.remove(key)
            try? await second.flush()
            if await second.value(key) != nil { faults.append("it is found after its removal") }
            await second.close()
            if try surroundings(folder) != before { faults.append("something outside the folder has changed") }
            return faults
        }
    }

    private func runTogether() async throws -> [String] {
        try await ScratchFolder.with { folder in
            let before = try plant(folder)
            var faults: [String] = []
            let first = try await keeper.open(folder)
            for key in HostileKeys.all { await first.insert(CheckedBytes.value(key, count: 64), key) }
            do { try await first.flush() } catch { faults.append("not all keys can be stored: \(error)") }
            await first.close()
            let second = try await keeper.open(folder)
            for key in HostileKeys.all where await second.value(key) != CheckedBytes.value(key, count: 64) {
                faults.append("key \(key.debugDescription.prefix(60)) doesn't hold its own value")
            }
            // Removing half of the keys leaves the others.
            let (removed, kept) = (HostileKeys.all.prefix(32), HostileKeys.all.dropFirst(32))
            for key in removed { await second.remove(key) }
            try? await second.flush()
            for key in kept where await second.value(key) != CheckedBytes.value(key, count: 64) {
                faults.append("key \(key.debugDescription.prefix(60)) was removed with another key")
            }
            let byteCount = second.byteCount()
            await second.close()
            if try surroundings(folder) != before { faults.append("something outside the folder has changed") }
            return try faults + keeper.faults(in: folder, entryCount: kept.count, byteCount: byteCount)
        }
    }

    private func runEqual(_ first: String, _ second: String) async throws -> [String] {
        try await ScratchFolder.with { folder in
            var faults: [String] = []
            let open = try await keeper.open(folder)
            await open.insert(CheckedBytes.value("first"), first)
            if await open.value(second) != CheckedBytes.value("first") { faults.append("the other form misses") }
            await open.insert(CheckedBytes.value("second"), second)
            try await open.flush()
            await open.close()
            let reopened = try await keeper.open(folder)
            if await reopened.value(first) != CheckedBytes.value("second") { faults.append("the later value is lost") }
            await reopened.close()
            return try faults + keeper.faults(in: folder, entryCount: 1, byteCount: nil)
        }
    }

    /// Two keys with the same digest may overwrite each other's entries, but never get each other's values.
    private func runCollisions() async throws -> [String] {
        try await ScratchFolder.with { folder in
            // Like a file name that is cut to its first digit.
            let hash: @Sendable (Data) -> Data = { Data([($0.first ?? 0) & 1]) }
            let keys = (0..<16).map { "\($0) key" }
            var faults: [String] = []
            func check(_ open: OpenFileKeeper, _ note: String) async {
                for key in keys {
                    let value = await open.value(key)
                    if value != nil, value != CheckedBytes.value(key) {
                        faults.append("a value of another key, \(note)")
                    }
                }
            }
            let open = try await keeper.open(folder, keyHash: hash)
            for key in keys {
                await open.insert(CheckedBytes.value(key), key)
                if await open.value(key) != CheckedBytes.value(key) { faults.append("the last insert isn't found") }
                await check(open, "at once")
            }
            try? await open.flush()
            await check(open, "after the flush")
            await open.close()
            let reopened = try await keeper.open(folder, keyHash: hash)
            await check(reopened, "when reopened")
            faults += reopened.invariants()
            await reopened.close()
            return faults
        }
    }
}
