import CacheStrategies
import Foundation

// Sound caches with habits of caches in real apps: each does what it declares, and no check may report it. Each is
// `PlainCache` with one changed step.

extension StrategyDeclaration {
    /// The declaration of one of the zoo's caches with a habit.
    static func habit(_ name: String, _ summary: String, _ promises: Promises) -> StrategyDeclaration {
        StrategyDeclaration(name: name, summary: summary, bounds: [.entries, .cost], promises: promises)
    }
}

/// Reads the machine's date as its clock, as most caches do.
class SystemClockCache: ExpiringPlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    override class var declaration: StrategyDeclaration {
        .habit("plain-system-clock", "lifetimes by `Date()`", Promises(timeToLive: .fixed(by: .system)))
    }

    override func now() -> Duration { .seconds(Date().timeIntervalSinceReferenceDate) }
}

/// The same, on a thread that is delayed before a lookup for longer than a short lifetime: no check can decide
/// anything then, and nothing is wrong.
final class HeldUpCache: SystemClockCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    override class var declaration: StrategyDeclaration {
        .habit("plain-held-up", "lookups are delayed", Promises(timeToLive: .fixed(by: .system)))
    }

    override func lookUp(_ key: Int) -> StampedBytes? {
        if let lifetime = configuration.timeToLive, lifetime < .milliseconds(100) {
            Thread.sleep(forTimeInterval: lifetime / .seconds(1))
        }
        return super.lookUp(key)
    }
}

/// Restarts a lifetime with every lookup that finds the entry.
class SlidingCache: ExpiringPlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    override class var declaration: StrategyDeclaration {
        .habit("plain-sliding", "a lookup extends an entry's lifetime", Promises(timeToLive: .sliding()))
    }

    override func noteHit(_ slot: Int) {
        super.noteHit(slot)
        beginLifetime(of: slot)
    }
}

/// Both habits together.
final class SlidingSystemClockCache: SlidingCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    override class var declaration: StrategyDeclaration {
        .habit(
            "plain-sliding-system-clock", "a lookup extends the lifetime, by `Date()`",
            Promises(timeToLive: .sliding(by: .system)))
    }

    override func now() -> Duration { .seconds(Date().timeIntervalSinceReferenceDate) }
}

/// Refuses limits of zero, and of fewer than four entries.
final class SmallestLimitCache: PlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    struct TooSmall: Error {}

    override class var declaration: StrategyDeclaration {
        .habit(
            "plain-smallest-limit", "requires a limit of at least four entries",
            Promises(limitRules: LimitRules(smallest: 4, zero: .refused)))
    }

    // The model has a limit of zero as well.
    override class var isExactLRU: Bool { false }

    required init(configuration: StrategyConfiguration) throws {
        if configuration.entryLimit.map({ $0 < 4 }) ?? false || configuration.costLimit == 0 { throw TooSmall() }
        try super.init(configuration: configuration)
    }
}

/// Treats a limit of 0 as no limit, as `NSCache` does.
final class ZeroUnlimitedCache: PlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    override class var declaration: StrategyDeclaration {
        .habit("plain-zero-unlimited", "0 is no limit", Promises(limitRules: LimitRules(zero: .unlimited)))
    }

    // The model has a limit of zero as well.
    override class var isExactLRU: Bool { false }

    required init(configuration: StrategyConfiguration) throws {
        var changed = configuration
        if changed.entryLimit == 0 { changed.entryLimit = nil }
        if changed.costLimit == 0 { changed.costLimit = nil }
        try super.init(configuration: changed)
    }
}

/// Ends the process when a limit is zero, and does not declare it: no check may try it.
final class UndeclaredZeroCache: PlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    override class var declaration: StrategyDeclaration {
        .habit("plain-undeclared-zero", "can't be limited to nothing", Promises())
    }

    // The model has a limit of zero as well.
    override class var isExactLRU: Bool { false }

    required init(configuration: StrategyConfiguration) throws {
        precondition(configuration.entryLimit != 0 && configuration.costLimit != 0, "A limit is at least 1.")
        try super.init(configuration: configuration)
    }
}

/// Refuses an entry that costs a tenth of the limit or more, and keeps the old value of its key.
final class TenthKeepsOldCache: PlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    override class var declaration: StrategyDeclaration {
        .habit(
            "plain-tenth-keeps-old", "no entry over a tenth of the limit; a refusal keeps the old value",
            Promises(limitRules: LimitRules(largestEntry: 0.1, refusedReplacement: .keepsOld)))
    }

    override class var isExactLRU: Bool { false }

    override func put(_ value: StampedBytes, forKey key: Int, cost: Int) {
        if max(cost, 0) < costLimit / 10 { super.put(value, forKey: key, cost: cost) }
    }
}

/// Writes all entries to a file when it is closed, and not before.
class ClosingCache: PlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    private struct Stored: Codable {
        var key: Int
        var bytes: Data
        var cost: Int
    }

    override class var declaration: StrategyDeclaration {
        .habit("plain-closing", "saves its entries when it is closed", Promises(durability: .orderlyClose))
    }

    private var file: URL? { configuration.directory?.appendingPathComponent("entries.json") }

    required init(configuration: StrategyConfiguration) throws {
        try super.init(configuration: configuration)
        guard let file, let bytes = try? Data(contentsOf: file) else { return }
        for stored in try JSONDecoder().decode([Stored].self, from: bytes) {
            put(StampedBytes(unchecked: stored.bytes), forKey: stored.key, cost: stored.cost)
        }
    }

    /// The keys whose entries are written to the file, in the order of their use.
    var keysWrittenDown: [Int] { order }

    override func close() {
        let stored = exclusively {
            keysWrittenDown.compactMap { key in
                entries[key].map { Stored(key: key, bytes: $0.value.bytes, cost: $0.cost) }
            }
        }
        // An entry that can't be written is not found again; a check must detect that.
        if let file { try? JSONEncoder().encode(stored).write(to: file, options: .atomic) }
    }
}

/// Deletes its own folder when all keys are removed.
final class OwnFolderCache: ClosingCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    override class var declaration: StrategyDeclaration {
        .habit("plain-own-folder", "removing all keys deletes the folder", Promises(durability: .orderlyClose))
    }

    override func removeAll() {
        super.removeAll()
        if let folder = configuration.directory { try? FileManager.default.removeItem(at: folder) }
    }

    override func close() {
        if let folder = configuration.directory {
            try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        super.close()
    }
}

/// Two generations of half the limit each: a lookup moves an entry to the young one, and when that is full, the old one
/// is dropped. So lookups evict.
final class TwoGenerationsCache: PlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`; this part of it is the young generation.
    private var old: [Int: Entry] = [:]

    override class var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "two-generations", summary: "lookups move entries to the young half, and may evict",
            bounds: [.entries],
            promises: Promises(limitRules: LimitRules(zero: .holdsNothing), evictsOnlyWhenFull: false))
    }

    override class var isExactLRU: Bool { false }

    override var entryCount: Int { order.count + old.count }

    override func statistics() -> CacheStatistics { exclusively { CacheStatistics(entryCount: entryCount) } }

    override func lookUp(_ key: Int) -> StampedBytes? {
        if let entry = old[key] { put(entry.value, forKey: key, cost: entry.cost) }
        return super.lookUp(key)
    }

    override func replace(_ key: Int) {
        super.replace(key)
        old[key] = nil
    }

    override func admits(_ cost: Int) -> Bool { entryLimit > 0 }

    override func makeRoom(for cost: Int) {
        guard order.count >= max(entryLimit / 2, 1) else { return }
        old = entryLimit > 1 ? entries : [:]
        super.empty()
    }

    override func remove(_ key: Int) { replace(key) }

    override func empty() {
        super.empty()
        old = [:]
    }
}

/// A dictionary and an array without any lock: for one caller at a time, with a lock around it.
final class UnlockedPlainCache: PlainCache, @unchecked Sendable {
    // Sound only behind an external lock, which is what the test provides.
    override class var declaration: StrategyDeclaration {
        var declaration = StrategyDeclaration.habit(
            "plain-one-caller", "without a lock, for one caller at a time", Promises())
        declaration.callers = .one
        return declaration
    }

    override func exclusively<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }
}
