import CacheStrategies
import Foundation
import PersistentStrategies
import TestTiers
import Testing
import TrialModel

/// Random operations on the cache and on a plain model of it; both must agree after each.
@Suite(.timeLimit(.minutes(1)))
struct DiskModelTests {
    /// Least recently used first.
    private struct Model {
        struct Entry {
            let key: Int
            let value: Data
            let cost: Int
            let number: Int
        }

        let entryLimit: Int
        let costLimit: Int
        var entries: [Entry] = []
        var evictions: UInt64 = 0

        var totalCost: Int { entries.reduce(0) { $0 + $1.cost } }

        mutating func insert(_ value: Data, forKey key: Int, cost: Int, number: Int) {
            entries.removeAll { $0.key == key }
            guard cost <= costLimit else { return }
            entries.append(Entry(key: key, value: value, cost: cost, number: number))
            while entries.count > entryLimit || totalCost > costLimit {
                entries.removeFirst()
                evictions += 1
            }
        }

        mutating func value(forKey key: Int) -> Data? {
            guard let position = entries.firstIndex(where: { $0.key == key }) else { return nil }
            let entry = entries.remove(at: position)
            entries.append(entry)
            return entry.value
        }

        /// After reopening, the order of insertion is the order of use.
        mutating func reopen() {
            entries.sort { $0.number < $1.number }
            evictions = 0
        }
    }

    @Test(arguments: TestTier.seeds(4))
    func `random operations agree with a plain model`(seed: UInt64) async throws {
        var random = RandomSource(seed: seed)
        let folder = try DiskTestFolder()
        defer { folder.remove() }
        var model = Model(entryLimit: 9, costLimit: 300)
        var cache = try folder.open(entryLimit: 9, costLimit: 300)
        for number in 0..<1500 {
            let key = Int(random.next(below: 20))
            switch random.next(below: 100) {
            case 0..<45:
                #expect(await cache.value(forKey: key) == model.value(forKey: key), "seed \(seed), operation \(number)")
            case 45..<85:
                let cost = Int(random.next(below: 100)) * (random.next(below: 30) == 0 ? 10 : 1)
                await cache.insert(bytes(number), forKey: key, cost: cost)
                model.insert(bytes(number), forKey: key, cost: cost, number: number)
            case 85..<95:
                await cache.removeValue(forKey: key)
                model.entries.removeAll { $0.key == key }
            case 95..<97:
                try await cache.flush()
                #expect(try folder.names().count == model.entries.count, "seed \(seed), operation \(number)")
                #expect(try folder.byteCount() == cache.fileByteCount, "seed \(seed), operation \(number)")
            case 97..<99:
                await cache.close()
                cache = try folder.open(entryLimit: 9, costLimit: 300)
                model.reopen()
            default:
                await cache.removeAll()
                model.entries = []
            }
            let statistics = await cache.statistics()
            var expected = CacheStatistics(
                entryCount: model.entries.count, totalCost: model.totalCost, evictions: model.evictions,
                loadsInFlight: 0)
            // A single caller never reads a file twice at once. The model does not predict which entries are also in
            // memory.
            expected.duplicateReads = 0
            (expected.memoryEntryCount, expected.memoryCost) = (statistics.memoryEntryCount, statistics.memoryCost)
            #expect(statistics == expected, "seed \(seed), operation \(number)")
            #expect(cache.checkInvariants() == [], "seed \(seed), operation \(number)")
        }
        await cache.close()
    }
}
