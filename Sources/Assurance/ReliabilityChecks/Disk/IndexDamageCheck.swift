import Foundation
import TrialModel

/// The file that lists the entries is damaged in every way, or missing: every entry is found nevertheless, and no
/// removed entry is.
package struct IndexDamageCheck: Sendable {
    /// The check's name.
    package static let name = "index-damages"
    /// The number of keys that are written; then every tenth is written again, and those beyond the first hundred are
    /// removed.
    private static let keyCount = 120
    private static let entryCount = 100

    private let keeper: FileKeeper
    private let seed: UInt64

    package init(_ keeper: FileKeeper, seed: UInt64) {
        self.keeper = keeper
        self.seed = seed
    }

    /// Runs every kind of damage to the index of a cache that was closed, and of one that was killed; or a sample
    /// chosen by the seed.
    package func run(_ budget: CheckBudget = CheckBudget()) async throws -> CheckTally {
        var tally = CheckTally(Self.name, of: keeper, seed: seed)
        guard let index = keeper.index, keeper.takesLayer else {
            tally.skipped = "it has no index file"
            return tally
        }
        for isKilled in [false, true] {
            try await ScratchFolder.with { folder in
                try await fill(folder, isKilled: isKilled)
                let precious = folder.parent.appendingPathComponent(FileDamage.preciousName)
                try FileDamage.precious.write(to: precious)
                let file = folder.file(index)
                let content = try Data(contentsOf: file)
                var half = budget
                half.countMax = budget.countMax.map { isKilled ? $0 : $0 / 2 }
                for damage in damages(byteCount: content.count) where half.allows(tally) {
                    try remake(file, content)
                    _ = try damage.apply(to: file, other: nil, outside: folder.parent)
                    let faults = try await check(folder)
                    tally.note(faults, "\(damage), \(isKilled ? "killed" : "closed")")
                }
            }
        }
        return tally
    }

    /// In an order whose first part is a sample; kinds that leave nothing of the file come first.
    private func damages(byteCount: Int) -> [FileDamage] {
        var random = RandomSource(seed: seed)
        return FileDamage.whole.filter { $0 != .swapped } + FileDamage.shuffled(byteCount: byteCount, &random)
    }

    /// Restores the index, replacing anything in its place.
    private func remake(_ file: URL, _ content: Data) throws {
        try? FileManager.default.removeItem(at: file)
        try content.write(to: file)
    }

    private static func key(_ number: Int) -> String { "entry \(number)" }

    /// The newest value of a key.
    private static func value(_ number: Int) -> Data {
        CheckedBytes.value(key(number), version: number % 10 == 0 ? 2 : 1, count: 64)
    }

    /// Writes entries, rewrites some and removes some; then the writer closes the cache, or is killed instead.
    private func fill(_ folder: ScratchFolder, isKilled: Bool) async throws {
        let open = try await keeper.open(folder)
        for number in 0..<Self.keyCount {
            await open.insert(CheckedBytes.value(Self.key(number)), Self.key(number))
        }
        try await open.flush()
        for number in 0..<Self.entryCount where Self.value(number) != CheckedBytes.value(Self.key(number)) {
            await open.insert(Self.value(number), Self.key(number))
        }
        for number in Self.entryCount..<Self.keyCount { await open.remove(Self.key(number)) }
        try await open.flush()
        let unclosed = try keeper.index.map { try Data(contentsOf: folder.file($0)) }
        await open.close()
        if isKilled, let index = keeper.index, let unclosed { try remake(folder.file(index), unclosed) }
    }

    private func check(_ folder: ScratchFolder) async throws -> [String] {
        let open: OpenFileKeeper
        do {
            open = try await keeper.open(folder)
        } catch {
            return ["it doesn't open: \(error)"]
        }
        var faults: [String] = []
        for number in 0..<Self.keyCount {
            let value = await open.value(Self.key(number))
            let expected = number < Self.entryCount ? Self.value(number) : nil
            if value != expected {
                faults.append("\(Self.key(number)) holds \(value == nil ? "nothing" : "another value")")
            }
        }
        let more = CheckedBytes.value("more", count: 100)
        await open.insert(more, "more")
        if await open.value("more") != more { faults.append("the next insert isn't found") }
        await open.remove("more")
        do { try await open.flush() } catch { faults.append("the next flush fails: \(error)") }
        faults += open.invariants()
        let byteCount = open.byteCount()
        await open.close()
        faults += try keeper.faults(in: folder, entryCount: Self.entryCount, byteCount: byteCount)
        let precious = folder.parent.appendingPathComponent(FileDamage.preciousName)
        if try Data(contentsOf: precious) != FileDamage.precious { faults.append("a file outside was changed") }
        return faults
    }
}
