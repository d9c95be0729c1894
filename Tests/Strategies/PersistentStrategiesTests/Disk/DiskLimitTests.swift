import CacheStrategies
import Foundation
import PersistentStrategies
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DiskLimitTests {
    private let folder: DiskTestFolder

    init() throws { folder = try DiskTestFolder() }

    /// Reads every key, and returns those that are found.
    private func found(_ cache: DiskCache<Int, Data>, _ keys: Range<Int>) async -> [Int] {
        var found: [Int] = []
        for key in keys where await cache.value(forKey: key) != nil { found.append(key) }
        return found
    }

    @Test func `the bytes of all files keep the cost limit, for any costs`() async throws {
        let limit = 2 << 20
        let cache = try folder.open(costLimit: limit)
        for key in 0..<40 { await cache.insert(bytes(key, count: 100_000), forKey: key, cost: 1) }
        // The first waits for the writes, and the second for the removals of what they evict.
        for _ in 0..<2 { try await cache.flush() }
        #expect(try folder.byteCount() <= limit)
        #expect(await found(cache, 0..<40) == Array(20..<40))
        await cache.close()
    }

    @Test func `a value whose file alone exceeds the limit is not held`() async throws {
        let cache = try folder.open(costLimit: 1 << 20)
        await cache.insert(bytes(1, count: 1 << 20), forKey: 1, cost: 1)
        try await cache.flush()
        #expect(await cache.value(forKey: 1) == nil)
        #expect(try folder.names().isEmpty)
        await cache.close()
    }

    @Test(arguments: [Int.max, Int.max - 1, 0, -1, Int.min])
    func `extreme costs do not trap`(cost: Int) async throws {
        let cache = try folder.open()
        for key in 0..<5 {
            await cache.insert(bytes(key), forKey: key, cost: cost)
            #expect(await cache.value(forKey: key) == bytes(key))
        }
        await cache.close()
        let reopened = try folder.open()
        #expect(await reopened.statistics().entryCount == (cost > 0 ? 1 : 5))
        await reopened.close()
    }

    @Test(arguments: [Int.min, -1])
    func `a negative limit holds nothing`(limit: Int) async throws {
        let cache = try folder.open(entryLimit: limit, costLimit: limit)
        await cache.insert(bytes(1), forKey: 1, cost: 1)
        #expect(await cache.value(forKey: 1) == nil)
        await cache.close()
    }

    @Test func `a lower limit at opening removes the entries inserted first`() async throws {
        let cache = try folder.open()
        for key in 0..<10 { await cache.insert(bytes(key), forKey: key, cost: 64) }
        await cache.close()
        let reopened = try folder.open(entryLimit: 4)
        #expect(try folder.names().count == 4)
        #expect(await found(reopened, 0..<10) == [6, 7, 8, 9])
        #expect(await reopened.statistics().evictions == 6)
        await reopened.close()
    }
}
