import Foundation
import TrialModel

/// Every stored file is damaged in every way. A lookup may miss or return the right bytes, never others; undamaged
/// entries stay, and nothing outside the folder changes.
package struct CorruptionCheck: Sendable {
    /// The check's name.
    package static let name = "corruptions"
    /// The number of files damaged in one folder, each in another way; in addition, one file per sixteen stays
    /// undamaged.
    private static let damagesPerFolder = 240
    private static let filesPerIntact = 16

    private let keeper: FileKeeper
    private let seed: UInt64

    package init(_ keeper: FileKeeper, seed: UInt64) {
        self.keeper = keeper
        self.seed = seed
    }

    /// Runs all kinds of damage to a file of about 4 KiB, or a sample of them chosen by the seed.
    package func run(_ budget: CheckBudget = CheckBudget()) async throws -> CheckTally {
        var tally = CheckTally(Self.name, of: keeper, seed: seed)
        var damages = FileDamage.whole + (try await shuffledPartialDamages())
        if let countMax = budget.countMax { damages = Array(damages.prefix(countMax)) }
        while !damages.isEmpty, budget.allows(tally) {
            let some = Array(damages.prefix(keeper.storage.isSingle ? 1 : Self.damagesPerFolder))
            damages.removeFirst(some.count)
            try await run(some, &tally)
        }
        return tally
    }

    private static func key(_ number: Int) -> String { "entry \(number)" }
    private static func value(_ number: Int) -> Data { CheckedBytes.value(key(number), count: 4_000) }

    /// Writes entries and returns their files.
    private func fill(_ folder: ScratchFolder, count: Int) async throws -> [URL] {
        let open = try await keeper.open(folder)
        for number in 0..<count { await open.insert(Self.value(number), Self.key(number)) }
        try await open.flush()
        await open.close()
        return try files(folder)
    }

    private func files(_ folder: ScratchFolder) throws -> [URL] {
        switch keeper.storage {
        case .oneFile(let name), .pages(let name): [folder.file(name)]
        case .filePerEntry(let others): try folder.names().filter { !others.contains($0) }.map { folder.file($0) }
        }
    }

    /// In an order whose first part is a sample.
    private func shuffledPartialDamages() async throws -> [FileDamage] {
        try await ScratchFolder.with { folder in
            guard let file = try await fill(folder, count: 1).first else { return [] }
            var random = RandomSource(seed: seed)
            return FileDamage.shuffled(byteCount: try Data(contentsOf: file).count, &random)
        }
    }

    private func run(_ damages: [FileDamage], _ tally: inout CheckTally) async throws {
        try await ScratchFolder.with { folder in
            let precious = folder.parent.appendingPathComponent(FileDamage.preciousName)
            try FileDamage.precious.write(to: precious)
            let isSingle = keeper.storage.isSingle
            let intactCount = isSingle ? 0 : damages.count / Self.filesPerIntact + 1
            let count = damages.count + intactCount
            let files = try await fill(folder, count: count)
            guard files.count == (isSingle ? 1 : count) else {
                return tally.note(["\(files.count) files for \(count) entries"], "filling")
            }
            // It doesn't matter which file belongs to which key: all but the last are damaged, and every key must
            // have its own value.
            var damagedCount = 0
            var survivorCount = 0
            for (file, damage) in zip(files, damages) {
                let isDamaged = try damage.apply(to: file, other: files.last, outside: folder.parent)
                // A swap also damages the file that it swaps with.
                damagedCount += isDamaged ? (damage == .swapped && !isSingle ? 2 : 1) : 0
                survivorCount += damage.maySurvive(keeper.storage) ? 1 : 0
            }
            let before = try outside(folder)
            let hitCount = isSingle ? max(0, count - damagedCount) : count - damagedCount
            // The effect of damage to a database depends on the page, and the database's log may repair it.
            let isOpen = keeper.storage.isInPages && damagedCount > 0
            let hitCounts = isOpen ? 0...count : hitCount...hitCount
            let faults = try await lookUp(folder, count: count, hitCounts, survivorCount)
            note(damages, faults + (try outside(folder) == before ? [] : ["a file outside was changed"]), &tally)
        }
    }

    /// The bytes of the files beside the cache's folder.
    private func outside(_ folder: ScratchFolder) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.parent.path)
        let files = names.filter { $0 != folder.directory.lastPathComponent }
        return Dictionary(
            uniqueKeysWithValues: try files.map {
                ($0, try Data(contentsOf: folder.parent.appendingPathComponent($0)))
            })
    }

    /// Records the cases of a folder. A fault can be attributed to one kind of damage only where a single file was
    /// damaged.
    private func note(_ damages: [FileDamage], _ faults: [String], _ tally: inout CheckTally) {
        for (index, damage) in damages.enumerated() {
            let own = index < faults.count ? [faults[index]] : []
            tally.note(own, damages.count == 1 ? damage.description : "among \(damages.count) damaged files")
        }
    }

    private func lookUp(
        _ folder: ScratchFolder, count: Int, _ hitCounts: ClosedRange<Int>, _ survivorCount: Int
    ) async throws -> [String] {
        let open: OpenFileKeeper
        do {
            open = try await keeper.open(folder)
        } catch {
            // A foreign object has taken the place of the cache's only file.
            return keeper.storage.isSingle && survivorCount > 0 ? [] : ["it doesn't open: \(error)"]
        }
        var faults: [String] = []
        var hits = 0
        for number in 0..<count {
            let value = await open.value(Self.key(number))
            if value == Self.value(number) { hits += 1 } else if value != nil { faults.append("wrong bytes") }
        }
        if hits < hitCounts.lowerBound {
            faults.append("\(hits) of \(hitCounts.lowerBound) undamaged entries are found")
        }
        if hits > hitCounts.upperBound {
            faults.append("\(hits - hitCounts.upperBound) damaged entries are found, as through a link")
        }
        let more = CheckedBytes.value("more", count: 100)
        await open.insert(more, "more")
        // A write to a damaged file must not reach the object in its place. A strategy that is known to do so would
        // wait for ever at a FIFO without a reader.
        for number in 0..<count where !keeper.isExpectedToFail {
            await open.insert(Self.value(number), Self.key(number))
        }
        do {
            try await open.flush()
        } catch {
            // A foreign object is in a file's place, and stays there.
            if survivorCount == 0 { faults.append("the next flush fails: \(error)") }
        }
        if await open.value("more") != more { faults.append("the next insert isn't found") }
        faults += open.invariants()
        let byteCount = open.byteCount()
        await open.close()
        guard survivorCount == 0 else { return faults }
        return try faults + keeper.faults(in: folder, entryCount: count + 1, byteCount: byteCount)
    }
}
