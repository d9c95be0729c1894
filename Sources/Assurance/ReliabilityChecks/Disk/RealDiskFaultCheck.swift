import Foundation

/// A disk that is really full, or has no room for another file: acknowledged entries stay whole, and once there is
/// room again the cache works again.
package struct RealDiskFaultCheck: Sendable {
    /// The check's name.
    package static let name = "real-disk-faults"

    /// One small file system and the values that fill it.
    struct Case: Sendable {
        var kibibytes: Int
        var fileCount = 1_000
        var valueByteCount: Int

        var note: String { "\(kibibytes) KiB, \(fileCount) files, values of \(valueByteCount) bytes" }
    }

    /// A limit on the number of files matters only where each entry has a file; a single file gets other sizes
    /// instead.
    private var cases: [Case] {
        let sizes = [32, 64, 128, 256].flatMap { size in
            [500, 4_000, 10_000, 30_000].map { Case(kibibytes: size, valueByteCount: min($0, size * 300)) }
        }
        if case .oneFile = keeper.storage {
            return sizes + [48, 96, 192, 384].map { Case(kibibytes: $0, valueByteCount: 2_000) }
        }
        return sizes + [8, 16, 32, 64].map { Case(kibibytes: 1_024, fileCount: $0, valueByteCount: 500) }
    }

    private static let insertsMax = 600
    private let keeper: FileKeeper
    private let seed: UInt64

    package init(_ keeper: FileKeeper, seed: UInt64) {
        self.keeper = keeper
        self.seed = seed
    }

    /// Runs all cases; none where mounting is not permitted, which the tally reports.
    package func run(_ budget: CheckBudget = CheckBudget()) async throws -> CheckTally {
        var tally = CheckTally(Self.name, of: keeper, seed: seed)
        if case .pages = keeper.storage {
            tally.skipped = "a database needs more space to open than these file systems have"
            return tally
        }
        for one in cases where budget.allows(tally) {
            let system: SmallFileSystem
            do {
                system = try await SmallFileSystem(byteCount: one.kibibytes << 10, fileCount: one.fileCount)
            } catch let refusal as SmallFileSystem.Refusal {
                tally.skipped = "mounting a file system is not permitted: \(refusal)"
                return tally
            }
            let faults: [String]
            do {
                faults = try await run(one, system)
            } catch {
                faults = ["\(error)"]
            }
            await system.unmount()
            tally.note(faults, one.note)
        }
        return tally
    }

    private static func key(_ number: Int) -> String { "key \(number)" }

    private func run(_ one: Case, _ system: SmallFileSystem) async throws -> [String] {
        let folder = try ScratchFolder(parent: system.root)
        func value(_ number: Int) -> Data { CheckedBytes.value(Self.key(number), count: one.valueByteCount) }
        var faults: [String] = []
        let open = try await keeper.open(folder)
        var acknowledged = 0
        var isRefused = false
        while !isRefused, acknowledged < Self.insertsMax {
            await open.insert(value(acknowledged), Self.key(acknowledged))
            do {
                try await open.flush()
                acknowledged += 1
            } catch {
                isRefused = true
            }
        }
        if !isRefused { faults.append("\(acknowledged) inserts fit, but none was refused") }
        let refused = await open.value(Self.key(acknowledged))
        if refused != nil, refused != value(acknowledged) { faults.append("the refused entry holds wrong bytes") }
        faults += await Self.check(open, acknowledged, value, "while full")
        // Makes room for new entries.
        await open.remove(Self.key(acknowledged))
        for number in 0..<acknowledged / 2 { await open.remove(Self.key(number)) }
        try? await open.flush()
        let small = CheckedBytes.value("small", count: 100)
        await open.insert(small, "small")
        do { try await open.flush() } catch { faults.append("after room was made: \(error)") }
        await open.close()
        let reopened = try await keeper.open(folder)
        if await reopened.value("small") != small { faults.append("the insert after room was made isn't found") }
        for number in acknowledged / 2..<acknowledged where await reopened.value(Self.key(number)) != value(number) {
            faults.append("key \(number) is lost or wrong when reopened")
        }
        for number in 0..<acknowledged / 2 where await reopened.value(Self.key(number)) != nil {
            faults.append("key \(number) was removed, but is found when reopened")
        }
        let byteCount = reopened.byteCount()
        faults += reopened.invariants()
        await reopened.close()
        return try faults
            + keeper.faults(in: folder, entryCount: acknowledged - acknowledged / 2 + 1, byteCount: byteCount)
    }

    private static func check(
        _ open: OpenFileKeeper, _ count: Int, _ value: (Int) -> Data, _ note: String
    ) async -> [String] {
        var faults: [String] = []
        for number in 0..<count where await open.value(key(number)) != value(number) {
            faults.append("key \(number) is lost or wrong \(note)")
        }
        return faults
    }
}
