import CacheStrategies
import Foundation
import PersistentStrategies
import ReliabilityChecks
import Synchronization
import Testing
import TrialModel

/// Many tasks on one cache. Each key has one writer with increasing versions, so a stale or resurrected value is
/// detected.
@Suite(.timeLimit(.minutes(1)))
struct DiskConcurrencyTests {
    private let folder: DiskTestFolder

    init() throws { folder = try DiskTestFolder() }

    private static let keyCount = 24
    private static let taskCount = 8

    /// The newest version of each key whose insert or removal has returned.
    private final class Completed: Sendable {
        private let versions = (0..<keyCount).map { _ in SharedNumber() }
        subscript(key: Int) -> Int { versions[key].value.load(ordering: .sequentiallyConsistent) }
        func complete(_ version: Int, of key: Int) {
            versions[key].value.store(version, ordering: .sequentiallyConsistent)
        }
    }

    private final class SharedNumber: Sendable {
        let value = Atomic<Int>(0)
    }

    private static func payload(key: Int, version: Int) -> Data {
        [UInt64](repeating: UInt64(key) << 32 | UInt64(version), count: 1 + version % 60).withUnsafeBytes { Data($0) }
    }

    private static func version(of data: Data, key: Int) -> Int? {
        let version = data.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        return data == payload(key: key, version: version) ? version : nil
    }

    /// A quarter of the entries are in memory and a third of the keys don't fit, so that every path is taken.
    @Test(arguments: [21, 22] as [UInt64])
    func `no reader sees a value that is stale, torn, resurrected or another key's`(seed: UInt64) async throws {
        let cache = try folder.open(entryLimit: 16)
        let completed = Completed()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<Self.taskCount {
                group.addTask { await Self.work(cache, completed, seed: seed, task: task) }
            }
        }
        try await cache.flush()
        var found = 0
        for key in 0..<Self.keyCount {
            guard let value = await cache.value(forKey: key) else { continue }
            #expect(Self.version(of: value, key: key) == completed[key], "seed \(seed), key \(key)")
            found += 1
        }
        #expect(await cache.statistics().entryCount == found)
        #expect(try folder.names().count == found)
        #expect(found <= 16)
        #expect(cache.checkInvariants() == [])
        #expect(try folder.byteCount() == cache.fileByteCount)
        await cache.close()
    }

    private static func work(
        _ cache: DiskCache<Int, Data>, _ completed: Completed, seed: UInt64, task: Int
    ) async {
        var random = RandomSource(seed: seed, stream: UInt64(task))
        var newestSeen = [Int](repeating: 0, count: keyCount)
        var goneUpTo = [Int](repeating: 0, count: keyCount)
        for _ in 0..<600 {
            let key = Int(random.next(below: UInt64(keyCount)))
            if key % taskCount == task, random.next(below: 2) == 0 {
                // This task is the key's only writer.
                let version = completed[key] + 1
                if random.next(below: 4) == 0 {
                    await cache.removeValue(forKey: key)
                } else {
                    await cache.insert(payload(key: key, version: version), forKey: key, cost: 1)
                }
                completed.complete(version, of: key)
                continue
            }
            let before = completed[key]
            guard let value = await cache.value(forKey: key) else {
                goneUpTo[key] = max(goneUpTo[key], before)
                continue
            }
            guard let version = version(of: value, key: key) else {
                Issue.record("seed \(seed): key \(key) holds a value that was never written")
                return
            }
            #expect(version >= before, "seed \(seed): key \(key) is stale: \(version), known \(before)")
            #expect(version >= newestSeen[key], "seed \(seed): key \(key) goes back to \(version)")
            #expect(version > goneUpTo[key], "seed \(seed): key \(key) came back as \(version)")
            newestSeen[key] = version
        }
    }

    @Test func `a slow read of an old value does not replace a newer one`() async throws {
        let first = try folder.open()
        await first.insert(bytes(1), forKey: 1, cost: 64)
        await first.close()
        let layer = try FaultyFileLayer(directory: folder.directory)
        let cache = try DiskCache<Int, Data>(configuration: folder.configuration()) { _ in layer }
        let held = layer.hold("read")
        async let old = cache.value(forKey: 1)
        await held.reached()
        await cache.insert(bytes(2), forKey: 1, cost: 64)
        held.release()
        #expect(await old == bytes(1))
        #expect(await cache.value(forKey: 1) == bytes(2))
        await cache.close()
    }

    @Test func `a slow write of an old value does not replace a newer one`() async throws {
        let layer = try FaultyFileLayer(directory: folder.directory)
        let cache = try DiskCache<Int, Data>(configuration: folder.configuration()) { _ in layer }
        let held = layer.hold("rename")
        await cache.insert(bytes(1), forKey: 1, cost: 64)
        await held.reached()
        await cache.insert(bytes(2), forKey: 1, cost: 64)
        // The other threads write these meanwhile. They are read after the newer value's write had its chance.
        for key in 2..<40 { await cache.insert(bytes(key), forKey: key, cost: 64) }
        while try folder.names().count(where: { $0.count == 64 }) < 38 { await Task.yield() }
        held.release()
        await cache.close()
        let reopened = try folder.open()
        #expect(await reopened.value(forKey: 1) == bytes(2))
        await reopened.close()
    }

    @Test func `a removal during a slow write leaves no file`() async throws {
        let layer = try FaultyFileLayer(directory: folder.directory)
        let cache = try DiskCache<Int, Data>(configuration: folder.configuration()) { _ in layer }
        let held = layer.hold("rename")
        await cache.insert(bytes(1), forKey: 1, cost: 64)
        await held.reached()
        await cache.removeValue(forKey: 1)
        #expect(await cache.value(forKey: 1) == nil)
        held.release()
        try await cache.flush()
        #expect(try folder.names().isEmpty)
        await cache.close()
    }

    @Test func `inserts wait while the write queue is full`() async throws {
        let layer = try FaultyFileLayer(directory: folder.directory)
        let cache = try DiskCache<Int, Data>(configuration: folder.configuration()) { _ in layer }
        let held = layer.hold("create")
        let large = 16 << 20
        await cache.insert(bytes(1), forKey: 1, cost: large)
        await held.reached()
        let returned = SharedNumber()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await cache.insert(bytes(2), forKey: 1, cost: large + 1)
                returned.value.store(1, ordering: .sequentiallyConsistent)
            }
            while await cache.statistics().totalCost != large + 1 { await Task.yield() }
            #expect(returned.value.load(ordering: .sequentiallyConsistent) == 0)
            held.release()
        }
        #expect(returned.value.load(ordering: .sequentiallyConsistent) == 1)
        await cache.close()
    }

    @Test func `concurrent writes of one key leave the last one's value`() async throws {
        let cache = try folder.open()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for step in 0..<50 { await cache.insert(bytes(task * 50 + step), forKey: 1, cost: 1) }
                }
            }
        }
        let last = await cache.value(forKey: 1)
        #expect(last != nil)
        await cache.close()
        let reopened = try folder.open()
        #expect(await reopened.value(forKey: 1) == last)
        await reopened.close()
    }

    @Test func `flushes end while others keep writing`() async throws {
        let cache = try folder.open()
        let isDone = SharedNumber()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                var version = 0
                while isDone.value.load(ordering: .relaxed) == 0 {
                    await cache.insert(bytes(version), forKey: version % 3, cost: 1)
                    version += 1
                }
            }
            group.addTask {
                for _ in 0..<20 { await #expect(throws: Never.self) { try await cache.flush() } }
                isDone.value.store(1, ordering: .relaxed)
            }
        }
        await cache.close()
    }
}
