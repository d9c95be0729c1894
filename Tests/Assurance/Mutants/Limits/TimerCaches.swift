import CacheStrategies
import Conformance
import Dispatch
import Foundation

/// Lifetimes by `Date()`, and a timer for each entry that removes it when its lifetime is over. Sound.
class TimerCache: SystemClockCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    private var generations: [Int: Int] = [:]
    private var lastGeneration = 0

    override class var declaration: StrategyDeclaration {
        .habit("plain-timers", "a timer removes each expired entry", Promises(timeToLive: .fixed(by: .system)))
    }

    override func put(_ value: StampedBytes, forKey key: Int, cost: Int) {
        if entries[key] != nil { cancelTimer(of: key) }
        super.put(value, forKey: key, cost: cost)
        guard let lifetime = configuration.timeToLive, entries[key] != nil else { return }
        let generation = generations[key] ?? nextGeneration()
        generations[key] = generation
        DispatchQueue.global().asyncAfter(deadline: .now() + lifetime / .seconds(1)) { [weak self] in
            self?.exclusively { self?.fire(key, generation) }
        }
    }

    private func nextGeneration() -> Int {
        lastGeneration += 1
        return lastGeneration
    }

    private func fire(_ key: Int, _ generation: Int) {
        guard isCurrent(generation, of: generations[key]) else { return }
        takeOutExpired(key)
        generations[key] = nil
    }

    override func remove(_ key: Int) {
        super.remove(key)
        cancelRemoved(key)
    }

    override func empty() {
        super.empty()
        generations = [:]
    }

    final func cancelTimer(of key: Int) { generations[key] = nil }
    func cancelRemoved(_ key: Int) { cancelTimer(of: key) }
    func isCurrent(_ generation: Int, of key: Int?) -> Bool { generation == key }
}

final class OldTimerCache: TimerCache, @unchecked Sendable {
    // Broken on purpose.
    override func isCurrent(_ generation: Int, of key: Int?) -> Bool { true }

    static let mutant = Mutant(
        "old-timer-deletes-replacement", .lifetimes, caughtBy: .conformance(.entriesExpire),
        "the timer of an older value deletes its replacement", OldTimerCache.self)
}

final class RemovedTimerCache: TimerCache, @unchecked Sendable {
    // Broken on purpose: only a replacement ends a timer.
    override func cancelRemoved(_ key: Int) {}

    static let mutant = Mutant(
        "removal-keeps-timer", .lifetimes, caughtBy: .conformance(.entriesExpire),
        "the timer of a removed value deletes the value that is inserted after the removal", RemovedTimerCache.self)
}
