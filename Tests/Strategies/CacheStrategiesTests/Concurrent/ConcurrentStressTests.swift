import Foundation
import Synchronization
import TestTiers
import Testing
import TrialModel

@testable import CacheStrategies

/// A value that detects its use after release.
private final class Canary: CacheableValue {
    private static let whole: UInt64 = 0x5EED_CA0A_91E5_0001

    private let word = Atomic(Canary.whole)
    let key: Int

    init(_ key: Int) { self.key = key }
    init(encoded: Data) throws { key = encoded.count }
    func encoded() -> Data { Data() }
    var cost: Int { 1 + key % 7 }

    /// Traps when the value was already released: the caller holds a dangling reference.
    func use() -> Int {
        precondition(word.load(ordering: .relaxed) == Self.whole, "a value is used after its release")
        return key
    }

    deinit { word.store(0, ordering: .relaxed) }
}

/// Threads read, write, remove and clear at the same time; tables grow from their initial size after every clearing.
/// `scripts/nightly concurrent` runs it for a given time.
@Suite(.timeLimit(.minutes(60)))
struct ConcurrentStressTests {
    @Test func `no value is used after its release, and nothing is mixed up`() async {
        var stress = StressTime(part: "operations on concurrent-sieve", rounds: 4)
        while let seed = stress.nextSeed() {
            let limit = [3, 20, 400, 5000][Int(seed % 4)]
            let threads = [2, 4, 16][Int(seed % 3)]
            let cache = ConcurrentSIEVECache<Int, Canary>(
                configuration: StrategyConfiguration(entryLimit: limit, costLimit: limit * 4),
                shardCount: seed.isMultiple(of: 2) ? 1 : 4)
            let operations = 60_000 / threads
            let wrong = await withTaskGroup(of: Int.self) { group in
                for thread in 0..<threads {
                    group.addTask {
                        await onThread {
                            Self.wrongAnswers(cache, limit * 2, operations, seed &* 100 &+ UInt64(thread))
                        }
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(wrong == 0, "seed \(seed)")
            #expect(cache.checkInvariants() == [], "seed \(seed)")
            let statistics = await onThread { cache.statistics() }
            #expect(
                (statistics.entryCount ?? .max) <= limit && (statistics.totalCost ?? .max) <= limit * 4, "seed \(seed)")
            stress.report(cases: operations * threads)
        }
    }

    private static func wrongAnswers(
        _ cache: ConcurrentSIEVECache<Int, Canary>, _ keys: Int, _ operations: Int, _ seed: UInt64
    ) -> Int {
        var random = RandomSource(seed: seed)
        var wrong = 0
        for _ in 0..<operations {
            let key = Int(random.next(below: UInt64(keys)))
            switch random.next(below: 1000) {
            case 0..<700: if let value = cache.value(forKey: key), value.use() != key { wrong += 1 }
            case 700..<900: cache.insert(Canary(key), forKey: key, cost: 1 + key % 7)
            case 900..<999: cache.removeValue(forKey: key)
            default: cache.removeAll()
            }
        }
        return wrong
    }
}
