import CacheStrategies
import Foundation
import Testing

@testable import PersistentStrategies

/// What caches with files release under memory pressure.
@Suite(.timeLimit(.minutes(1)))
struct PersistentMemoryPressureTests {
    @Test func `the entries that expire first are released first`() {
        let cache = ExpiringCache<Int, Data>(configuration: StrategyConfiguration(entryLimit: 1_000))
        for key in 0..<1_000 { cache.insert(Data([1]), forKey: key, cost: 1) }
        cache.respond(to: .background)
        #expect(cache.keys == Array(750..<1_000))
        cache.respond(to: .critical)
        #expect(cache.keys.isEmpty && cache.statistics().evictions == 1_000)
    }

    @Test func `disk releases its memory and keeps its files`() async throws {
        let folder = try DiskTestFolder()
        defer { folder.remove() }
        let cache = try folder.open(entryLimit: 400)
        for key in 0..<100 { await cache.insert(Data([UInt8(key)]), forKey: key, cost: 1) }
        try await cache.flush()
        #expect(await cache.statistics().memoryEntryCount == 100)
        await cache.respond(to: .warning)
        #expect(await cache.statistics().memoryEntryCount == 50)
        let (new, old) = (await cache.tieredValue(forKey: 99), await cache.tieredValue(forKey: 1))
        #expect(new?.tier == .memory && old?.tier == .disk)
        await cache.respond(to: .critical)
        let statistics = await cache.statistics()
        #expect(statistics.memoryEntryCount == 0 && statistics.memoryCost == 0 && statistics.entryCount == 100)
        #expect(cache.checkInvariants().isEmpty)
        #expect(await cache.value(forKey: 42) == Data([42]))
        await cache.close()
    }
}
