import CacheStrategies
import Foundation
import PersistentStrategies
import Testing

/// Loads that a change of their key overtakes, and values that call the cache when they are released: a case for each
/// place in which a cache registers its loads or takes a lock.
@Suite(.timeLimit(.minutes(1)))
struct OvertakenLoadTests {
    enum Change: CaseIterable {
        case insert, remove, removeAll, removeAndLoad, load
    }

    struct Subject: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sharesLoads: Bool
        let check: @Sendable (Change) async throws -> Void

        init<Cache: CacheStrategy<Int, Number>>(_ type: Cache.Type) {
            testDescription = Cache.declaration.name
            sharesLoads = Cache.declaration.promises.coalescesLoads
            check = { try await OvertakenLoadTests.check(type, $0) }
        }

        /// A cache whose blocking load is overtaken as well.
        init<Cache: SynchronousCacheStrategy<Int, Number>>(blocking type: Cache.Type) {
            testDescription = Cache.declaration.name
            sharesLoads = Cache.declaration.promises.coalescesLoads
            check = { change in
                try await OvertakenLoadTests.check(type, change)
                try OvertakenLoadTests.checkBlocking(type, change)
            }
        }
    }

    private static let subjects = [
        Subject(blocking: LRUCache.self), Subject(blocking: SIEVECache.self),
        Subject(blocking: ConcurrentSIEVECache.self), Subject(blocking: DualCache.self),
        Subject(blocking: ExpiringCache.self), Subject(ActorCache.self), Subject(DiskCache.self),
    ]

    /// Those that share loads know no load of a key beside another one.
    private static let cases = subjects.flatMap { subject in
        Change.allCases.filter { $0 != .load || !subject.sharesLoads }.map { (subject, $0) }
    }

    @Test(arguments: cases)
    func `a load overtaken by a change of its key inserts nothing`(subject: Subject, change: Change) async throws {
        try await subject.check(change)
    }

    private static func check<Cache: CacheStrategy<Int, Number>>(_ type: Cache.Type, _ change: Change) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "overtaken-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let cache = try Cache(configuration: StrategyConfiguration(entryLimit: 3, directory: folder))
        let loaded = try await cache.load(1) {
            switch change {
            case .insert: await cache.insert(Number(2), forKey: 1, cost: 1)
            case .remove: await cache.removeValue(forKey: 1)
            case .removeAll: await cache.removeAll()
            case .removeAndLoad:
                await cache.removeValue(forKey: 1)
                let again = try await cache.load(1) { Data("2".utf8) }
                #expect(again.outcome == .loaded)
            case .load:
                let again = try await cache.load(1) { Data("2".utf8) }
                #expect(again.outcome == .loaded)
            }
            return Data("1".utf8)
        }
        #expect(loaded.value == Number(1))
        #expect(await cache.value(forKey: 1) == left(after: change))
        #expect(await (cache.statistics().loadsInFlight ?? 0) == 0)
        await cache.close()
    }

    /// Not async, so that the synchronous overloads are called.
    private static func checkBlocking<Cache: SynchronousCacheStrategy<Int, Number>>(
        _ type: Cache.Type, _ change: Change
    ) throws {
        let cache = try Cache(configuration: StrategyConfiguration(entryLimit: 3))
        let loaded = try cache.loadBlocking(1) {
            switch change {
            case .insert: cache.insert(Number(2), forKey: 1, cost: 1)
            case .remove: cache.removeValue(forKey: 1)
            case .removeAll: cache.removeAll()
            case .removeAndLoad:
                cache.removeValue(forKey: 1)
                let again = try cache.loadBlocking(1) { Data("2".utf8) }
                #expect(again.outcome == .loaded)
            case .load:
                let again = try cache.loadBlocking(1) { Data("2".utf8) }
                #expect(again.outcome == .loaded)
            }
            return Data("1".utf8)
        }
        #expect(loaded.value == Number(1))
        #expect(cache.value(forKey: 1) == left(after: change))
        #expect((cache.statistics().loadsInFlight ?? 0) == 0)
    }

    private static func left(after change: Change) -> Number? {
        switch change {
        case .insert, .removeAndLoad, .load: Number(2)
        case .remove, .removeAll: nil
        }
    }

    /// A value that calls the cache that held it when it is released.
    private final class Calling: CacheableValue {
        let call: @Sendable () -> Void

        init(_ call: @escaping @Sendable () -> Void) { self.call = call }

        init(encoded: Data) { call = {} }

        deinit { call() }

        func encoded() -> Data { Data() }

        var cost: Int { 1 }
    }

    @Test func `values are released outside of the lock`() throws {
        try expectRelease(LRUCache<Int, Calling>.self)
        try expectRelease(FIFOCache<Int, Calling>.self)
        try expectRelease(ConcurrentSIEVECache<Int, Calling>.self)
        try expectRelease(ExpiringCache<Int, Calling>.self)
    }

    private func expectRelease<Cache: SynchronousCacheStrategy<Int, Calling> & AnyObject>(_ type: Cache.Type) throws {
        let cache = try Cache(configuration: StrategyConfiguration(entryLimit: 2))
        let call: @Sendable () -> Void = { [weak cache] in cache?.removeValue(forKey: 1) }
        for key in 0..<6 { cache.insert(Calling(call), forKey: key % 4, cost: 1) }
        cache.insert(Calling(call), forKey: 1, cost: 1)
        cache.removeValue(forKey: 1)
        cache.removeAll()
        #expect(cache.statistics().entryCount == 0)
    }
}
