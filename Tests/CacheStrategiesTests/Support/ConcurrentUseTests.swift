import CacheStrategies
import EvictionPolicies
import Foundation
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

    @Test func `the barrier queue mixes up nothing`() async throws {
        await use(BarrierNSCache<Int, Word>(configuration: Self.configuration))
    }

    @Test func `the two levels mix up nothing`() async {
        await use(DualCache<Int, Word>(configuration: Self.configuration))
    }

    @Test func `the expiring cache mixes up nothing`() async throws {
        let cache = ExpiringCache<Int, Word>(configuration: Self.configuration)
        await use(cache)
        try cache.checkInvariants()
    }

    @Test func `eviction policies mix up nothing`() async {
        await use(LiveFIFO.self)
        await use(LiveCLOCK.self)
        await use(LiveSIEVE.self)
        await use(LiveS3FIFO.self)
        await use(LiveTwoQueue.self)
        await use(LiveARC.self)
        await use(LFUPolicy.self)
        await use(LiveWTinyLFU.self)
        await use(LiveLIRS.self)
    }

    private func use<Policy: LivePolicy & ~Copyable>(_ type: Policy.Type) async {
        let cache = PolicyCache<Int, Word, Policy>(configuration: Self.configuration)
        await use(cache)
        #expect(cache.checkInvariants() == [])
    }

    @Test func `shards mix up nothing`() async {
        let lru = ShardedLRUCache<Int, Word>(configuration: Self.configuration, shardCount: 4)
        await use(lru)
        #expect(lru.checkInvariants() == [])
        let fifo = ShardedS3FIFOCache<Int, Word>(configuration: Self.configuration, shardCount: 4)
        await use(fifo)
        #expect(fifo.checkInvariants() == [])
    }

    @Test func `the read-write lock mixes up nothing`() async {
        await use(LRUBehind<ReadWriteLock, Int, Word>(configuration: Self.configuration))
    }

    @Test func `readers without a lock mix up nothing`() async {
        for shardCount in [1, 4] {
            let cache = ConcurrentSIEVECache<Int, Word>(configuration: Self.configuration, shardCount: shardCount)
            await use(cache)
            #expect(cache.checkInvariants() == [])
        }
    }

    @Test func `a recorded strategy mixes up nothing`() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).csv").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let recorder = try TraceRecorder<Int>(path: path)
        let wrapped = SIEVECache<Int, Word>(configuration: Self.configuration)
        await use(RecordingStrategy(wrapping: wrapped, recorder: recorder))
        recorder.close()
        #expect(recorder.state == .closed)
    }

    @Test func `the actor mixes up nothing`() async throws {
        let cache = ActorCache<Int, Word>(configuration: Self.configuration)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for step in 0..<500 {
                        let key = (step * 7 + task * 3) % 40
                        switch step % 10 {
                        case 0: await cache.insert(Word("\(key)-i"), forKey: key, cost: 5)
                        case 1: await cache.removeValue(forKey: key)
                        case 2:
                            let doomed = Task { try await cache.load(key) { Data("\(key)-c".utf8) } }
                            doomed.cancel()
                            _ = try? await doomed.value
                        default:
                            let loaded = try? await cache.load(key) { Data("\(key)-l".utf8) }
                            #expect(loaded?.value.text.hasPrefix("\(key)-") == true)
                        }
                    }
                }
            }
        }
        await cache.close()
        try await cache.checkInvariants()
        let statistics = await cache.statistics()
        #expect(statistics.loadsInFlight == 0)
        #expect((statistics.entryCount ?? .max) <= 20 && (statistics.totalCost ?? .max) <= 200)
    }
}
