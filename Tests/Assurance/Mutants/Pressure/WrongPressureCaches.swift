import CacheStrategies
import Conformance
import Foundation

// Each is `PressedCache` with one wrong step.

final class EmptyAtNormalCache: PressedCache, @unchecked Sendable {
    // Broken on purpose.
    override func respond(to pressure: MemoryPressure) async {
        await super.respond(to: pressure == .normal ? .critical : pressure)
    }

    static let mutant = Mutant(
        "empties-at-normal", caughtBy: .normalPressureKeepsAll,
        "the cache empties itself when memory pressure returns to normal", EmptyAtNormalCache.self)
}

final class KeepsAllCache: PressedCache, @unchecked Sendable {
    // Broken on purpose.
    override func shrink(to count: Int) {}

    static let mutant = Mutant(
        "gives-nothing-back", caughtBy: .pressureGivesBack, "the cache releases nothing under memory pressure",
        KeepsAllCache.self)
}

final class FullAgainCache: PressedCache, @unchecked Sendable {
    private var kept: [(key: Int, entry: Entry)] = []

    // Broken on purpose.
    override func shrink(to count: Int) {
        kept = order.compactMap { key in entries[key].map { (key, $0) } }
        super.shrink(to: count)
    }

    override func lookUp(_ key: Int) -> TrackedValue? {
        for (key, entry) in kept where entries[key] == nil { put(entry.value, forKey: key, cost: entry.cost) }
        kept = []
        return super.lookUp(key)
    }

    static let mutant = Mutant(
        "full-again-at-once", caughtBy: .givenBackStaysAway,
        "the next look-up brings back every released entry", FullAgainCache.self)
}

final class DroppedLoadsCache: PressedCache, @unchecked Sendable {
    private var current = SharedLoads<Int, TrackedValue>()

    override var register: SharedLoads<Int, TrackedValue> { exclusively { current } }

    // Broken on purpose: the next callers start the loads in flight once more.
    override func respond(to pressure: MemoryPressure) async {
        if pressure == .critical { exclusively { current = SharedLoads() } }
        await super.respond(to: pressure)
    }

    static let mutant = Mutant(
        "pressure-drops-loads", caughtBy: .pressureKeepsLoads, "memory pressure drops the table of loads in flight",
        DroppedLoadsCache.self)
}

final class ReleasingUnderLockCache: PressedCache, @unchecked Sendable {
    // Broken on purpose: the value is released here, inside the lock.
    override func letGo(_ value: TrackedValue) {}

    static let mutant = Mutant(
        "pressure-inside-eviction-deadlocks", caughtBy: .pressureInsideEviction,
        "the cache releases values while it holds its lock", ReleasingUnderLockCache.self)
}

final class ForgottenCostCache: PressedCache, @unchecked Sendable {
    // Broken on purpose.
    override func shrink(to count: Int) {
        let before = totalCost
        super.shrink(to: count)
        totalCost = before
    }

    static let mutant = Mutant(
        "pressure-forgets-cost", caughtBy: .givenBackCountsNoMore,
        "released entries still count against the limit", ForgottenCostCache.self)
}

extension Mutant {
    /// A cache that is wrong about memory pressure or prefetches, judged by the contract.
    init<Strategy: PressedCache>(
        _ name: String, _ family: Family = .pressure, caughtBy expected: ConformanceCheck, _ summary: String,
        _ type: Strategy.Type
    ) {
        self.init(name, family, caughtBy: .conformance(expected), summary, type) {
            await PressedCache.alarms(of: type, patience: .seconds($1.isAll ? 2 : 1), $1)
        }
    }
}

extension PressedCache {
    static let soundBase = SoundBase("pressed", PressedCache.self) {
        await alarms(of: PressedCache.self, patience: .seconds(20), $1)
    }

    /// The findings of the contract's checks for one of them.
    static func alarms<Strategy: PressedCache>(
        of type: Strategy.Type, patience: Duration, _ selection: CheckSelection
    ) async -> [Alarm] {
        await selection.contractAlarms {
            var kit = ConformanceKit(type)
            kit.patience = Patience(patience)
            return kit
        }
    }
}
