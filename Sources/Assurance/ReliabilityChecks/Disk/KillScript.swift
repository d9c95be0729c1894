import Foundation
import TrialModel

/// The operations of a writer until it is killed: some inserts and removals, then a flush, repeatedly.
enum KillScript {
    static let keyCount = 8
    static let stepsPerFlush = 6

    static func key(_ number: Int) -> String { "key \(number)" }

    static func value(_ number: Int, version: Int) -> Data {
        let count = 16 + Int(truncatingIfNeeded: UInt64(bitPattern: Int64(version)) &* 0x9E37_79B9 % 11_984)
        return CheckedBytes.value(key(number), version: version, count: count)
    }

    /// A step, announced before it is performed.
    enum Step: Hashable {
        case insert(key: Int, version: Int)
        case remove(key: Int)
        /// Everything before this step has been flushed.
        case flushed

        var line: String {
            switch self {
            case .insert(let key, let version): "insert \(key) \(version)\n"
            case .remove(let key): "remove \(key)\n"
            case .flushed: "flushed\n"
            }
        }

        /// Parses a line; `nil` for an incomplete one.
        init?(line: some StringProtocol) {
            let words = line.split(separator: " ")
            let numbers = words.dropFirst().compactMap { Int($0) }
            switch (words.first, numbers.count) {
            case ("insert", 2): self = .insert(key: numbers[0], version: numbers[1])
            case ("remove", 1): self = .remove(key: numbers[0])
            case ("flushed", 0): self = .flushed
            default: return nil
            }
        }
    }

    /// Performs steps until a flush fails or the number of rounds is reached.
    ///
    /// - Parameter say: called with each step before it is performed, and with ``Step/flushed`` after a flush.
    static func write(
        to open: OpenFileKeeper, seed: UInt64, firstVersion: Int, rounds: Int, say: (Step) -> Void
    ) async throws {
        var random = RandomSource(seed: seed)
        var version = firstVersion
        for _ in 0..<rounds {
            for _ in 0..<stepsPerFlush {
                let key = Int(clamping: random.next(below: UInt64(keyCount)))
                if random.next(below: 5) == 0 {
                    say(.remove(key: key))
                    await open.remove(self.key(key))
                } else {
                    say(.insert(key: key, version: version))
                    await open.insert(value(key, version: version), self.key(key))
                    version += 1
                }
            }
            try await open.flush()
            say(.flushed)
        }
    }
}

/// The values that each key may hold, by the announcements of killed writers.
struct KillHistory: Sendable {
    /// The versions that may be found for a key; `nil` means that the key may be missing.
    private var possible: [Int: Set<Int?>] = [:]
    private var latest: [Int: Int?] = [:]

    /// Records an announced step.
    mutating func note(_ step: KillScript.Step) {
        switch step {
        // A step is announced before it is performed: it may have happened, so it adds to what may be found.
        case .insert(let key, let version):
            possible[key, default: [nil]].insert(version)
            latest[key] = .some(version)
        case .remove(let key):
            possible[key, default: [nil]].insert(nil)
            latest[key] = .some(nil)
        case .flushed:
            for (key, version) in latest { possible[key] = [version] }
            latest = [:]
        }
    }

    /// Notes that another writer goes on: its flushes acknowledge nothing of the last one's.
    mutating func restart() { latest = [:] }

    /// Opens the folder, and checks every key and the files. The next writer starts from what is found.
    ///
    /// - Parameter costLimit: a limit, because of which any key may be missing; `nil` for none.
    mutating func check(
        _ keeper: FileKeeper, _ folder: ScratchFolder, costLimit: Int? = nil, layer: FaultyFileLayer? = nil
    ) async throws -> [String] {
        restart()
        let open: OpenFileKeeper
        do {
            open = try await keeper.open(folder, costLimit: costLimit, layer: layer)
        } catch {
            return ["it doesn't open: \(error)"]
        }
        var faults: [String] = []
        var found: [Data] = []
        // A lookup may show that an entry is larger than it was thought to be, and others are evicted. The second
        // round finds what was left.
        for _ in 0..<2 {
            found = []
            for key in 0..<KillScript.keyCount {
                let value = await open.value(KillScript.key(key))
                let version = value.flatMap { CheckedBytes.version(of: $0, KillScript.key(key)) }
                if value != nil, version == nil { faults.append("key \(key) holds something that was never written") }
                let allowed = possible[key, default: [nil]].union(costLimit == nil ? [] : [nil])
                if !allowed.contains(version) {
                    faults.append("key \(key) holds \(Self.text(version)), not \(allowed.map(Self.text).sorted())")
                }
                possible[key] = [version]
                if let value { found.append(value) }
            }
        }
        try? await open.flush()
        faults += open.invariants()
        let cost = found.reduce(0) { $0 + $1.count }
        if let costLimit, cost > costLimit { faults.append("values of \(cost) bytes, with a limit of \(costLimit)") }
        let byteCount = open.byteCount()
        await open.close()
        return try faults + keeper.faults(in: folder, entryCount: found.count, byteCount: byteCount)
    }

    private static func text(_ version: Int?) -> String { version.map { "version \($0)" } ?? "nothing" }
}
