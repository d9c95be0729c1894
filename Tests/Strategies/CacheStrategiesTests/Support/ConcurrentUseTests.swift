import CacheStrategies
import EvictionPolicies
import Foundation
import PersistentStrategies
import Testing

/// Several threads on one cache. A single run finds little; under Thread Sanitizer it finds more.
@Suite(.timeLimit(.minutes(1)))
struct ConcurrentUseTests {
    private static let configuration = StrategyConfiguration(entryLimit: 20, costLimit: 200)

    /// Every value contains its key, so that a value of another key is detected.
    private func misplaced<Cache: SynchronousCacheStrategy>(
        in cache: Cache, thread: Int
    ) -> Int where Cache.Key == Int, Cache.Value == Word {
        var wrong = 0
        for step in 0..<1500 {
            let key = (step * 7 + thread * 3) % 40
            let text = "\(key)-\(thread)"
            switch step % 10 {
            case 0..<3: cache.insert(Word(text), forKey: key, cost: 5 + step % 5)
            case 3: cache.removeValue(forKey: key)
            case 4 where step % 400 == 4: cache.removeAll()
            case 4..<7:
                let loaded = try? cache.loadBlocking(key) { Data(text.utf8) }
                if loaded?.value.text.hasPrefix("\(key)-") != true { wrong += 1 }
            default:
                if let value = cache.value(forKey: key), !value.text.hasPrefix("\(key)-") { wrong += 1 }
            }
        }
        return wrong
    }

    private func use<Cache: SynchronousCacheStrategy>(
        _ cache: Cache
    ) async where Cache.Key == Int, Cache.Value == Word {
        await withTaskGroup(of: Int.self) { group in
            for thread in 0..<4 {
                group.addTask { await onThread { misplaced(in: cache, thread: thread) } }
            }
            for await wrong in group { #expect(wrong == 0) }
        }
        let statistics = await onThread { cache.statistics() }
        #expect((statistics.entryCount ?? .max) <= 20)
        #expect((statistics.totalCost ?? .max) <= 200)
        #expect((statistics.loadsInFlight ?? 0) == 0)
        let found = await onThread { (0..<40).filter { cache.value(forKey: $0) != nil }.count }
        #expect(found <= 20)
    }

    private struct Subject: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let use: @Sendable (ConcurrentUseTests) async throws -> Void

        init<Cache: SynchronousCacheStrategy<Int, Word>>(
            _ name: String = Cache.declaration.name, _ open: @escaping @Sendable (StrategyConfiguration) -> Cache,
            faults: @escaping @Sendable (Cache) throws -> [String] = { _ in [] }
        ) {
            testDescription = name
            use = { tests in
                let cache = open(ConcurrentUseTests.configuration)
                await tests.use(cache)
                let found = try faults(cache)
                #expect(found == [])
            }
        }
    }

    /// One of each way to take a lock.
    private static let subjects = [
        Subject { BarrierNSCache(configuration: $0) }, Subject { DualCache(configuration: $0) },
        Subject {
            ExpiringCache(configuration: $0)
        } faults: {
            try $0.checkInvariants()
            return []
        },
        Subject {
            LRUCache(configuration: $0)
        } faults: {
            $0.checkInvariants()
        },
        Subject {
            ARCCache(configuration: $0)
        } faults: {
            $0.checkInvariants()
        },
        Subject {
            ShardedS3FIFOCache(configuration: $0, shardCount: 4)
        } faults: {
            $0.checkInvariants()
        },
        Subject {
            LRUBehind<ReadWriteLock, _, _>(configuration: $0)
        } faults: {
            $0.checkInvariants()
        },
        Subject("one shard without a lock for readers") {
            ConcurrentSIEVECache(configuration: $0, shardCount: 1)
        } faults: {
            $0.checkInvariants()
        },
        Subject("four such shards") {
            ConcurrentSIEVECache(configuration: $0, shardCount: 4)
        } faults: {
            $0.checkInvariants()
        },
    ]

    @Test(arguments: subjects) private func `concurrent callers mix up nothing`(subject: Subject) async throws {
        try await subject.use(self)
    }

    @Test func `a recorded strategy mixes up nothing`() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).csv").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let recorder = try TraceRecorder<Int>(path: path)
        let wrapped = SIEVECache<Int, Word>(configuration: Self.configuration)
        await use(Recorded(wrapped, by: recorder))
        recorder.close()
        #expect(recorder.state == .closed)
    }
}
