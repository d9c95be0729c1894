import CacheStrategies
import Foundation
import PersistentStrategies
import Platform
import ReliabilityChecks
import Testing

/// What a cache promises when system calls on its folder fail. That each call may fail is checked by `DiskFaultCheck`.
@Suite(.timeLimit(.minutes(1)))
struct DiskFaultTests {
    private let folder: DiskTestFolder

    init() throws { folder = try DiskTestFolder() }

    /// Memory holds a quarter of the limit, so that every read reads the file.
    private static let costLimit = 200

    @Test func `a temporary shortage of descriptors loses no entry`() async throws {
        let layer = try FaultyFileLayer(directory: folder.directory)
        let cache = try DiskCache<Int, Data>(configuration: folder.configuration(costLimit: Self.costLimit)) { _ in
            layer
        }
        await cache.insert(bytes(1), forKey: 1, cost: 64)
        try await cache.flush()
        layer.arm(call: 1, code: SystemErrors.tooManyOpen, isPersistent: false)
        #expect(await cache.value(forKey: 1) == bytes(1))
        #expect(layer.disarm() == 1)
        await cache.close()
    }

    @Test func `a process without descriptors reads and writes entries`() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try DiskTestFolder()
            let cache = try DiskCache<Int, Data>(configuration: folder.configuration(costLimit: Self.costLimit))
            for key in 1...9 {
                await cache.insert(bytes(key), forKey: key, cost: 20)
                try await cache.flush()
            }
            // This process has the descriptors that the tests before it have open, so that there is no fixed limit.
            let blocker = try POSIXFileLayer(directory: folder.directory)
            let next = try blocker.open("index")
            try blocker.close(next)
            #expect(FileDescriptorLimit.lower(to: UInt64(clamping: next.number) + 200))
            var taken: [FileDescriptor] = []
            while let file = try? blocker.open("index") { taken.append(file) }
            #expect(taken.count > 100)
            // Two callers: each reading thread needs a descriptor.
            await withTaskGroup { group in
                for caller in 0..<2 {
                    group.addTask {
                        for key in 1...8 where key % 2 == caller {
                            #expect(await cache.value(forKey: key) == bytes(key))
                        }
                    }
                }
            }
            await cache.insert(bytes(10), forKey: 10, cost: 20)
            try await cache.flush()
            for file in taken { try blocker.close(file) }
            await cache.close()
        }
    }

    @Test func `a closed cache does not try again to remove a file`() async throws {
        let layer = try FaultyFileLayer(directory: folder.directory)
        let closed = try DiskCache<Int, Data>(configuration: folder.configuration()) { _ in layer }
        await closed.insert(bytes(1), forKey: 1, cost: 64)
        try await closed.flush()
        layer.arm(call: 1, code: SystemErrors.accessDenied, isPersistent: true)
        await closed.removeValue(forKey: 1)
        await closed.close()
        layer.disarm()
        // The folder belongs to another instance now.
        let cache = try folder.open()
        await cache.insert(bytes(2), forKey: 1, cost: 64)
        try await cache.flush()
        await closed.close()
        #expect(try folder.names().count == 1)
        await cache.close()
    }

    @Test(arguments: [SystemErrors.tooManyOpen, SystemErrors.ioFailure, SystemErrors.accessDenied], 1...3)
    func `an entry whose file can't be read is a miss until the folder is opened again`(
        code: Int32, call: Int
    ) async throws {
        let (cache, layer) = try await hiding(code, call: call, folder)
        #expect(await cache.value(forKey: 1) == nil)
        #expect(layer.disarm() > 0)
        #expect(await cache.value(forKey: 1) == nil)
        #expect(cache.checkInvariants().isEmpty)
        await cache.close()
        let reopened = try folder.open(costLimit: Self.costLimit)
        #expect(await reopened.value(forKey: 1) == bytes(1))
        await reopened.close()
    }

    /// A cache with an entry for key 1, whose file is written.
    private func holding(
        _ folder: DiskTestFolder, costLimit: Int = costLimit
    ) async throws -> (DiskCache<Int, Data>, FaultyFileLayer) {
        let layer = try FaultyFileLayer(directory: folder.directory)
        let cache = try DiskCache<Int, Data>(configuration: folder.configuration(costLimit: costLimit)) { _ in layer }
        await cache.insert(bytes(1), forKey: 1, cost: 64)
        try await cache.flush()
        return (cache, layer)
    }

    /// A cache in which a call of the next lookup of key 1, and all later calls, fail.
    private func hiding(
        _ code: Int32, call: Int, _ folder: DiskTestFolder
    ) async throws -> (DiskCache<Int, Data>, FaultyFileLayer) {
        let (cache, layer) = try await holding(folder)
        layer.arm(call: call, code: code, isPersistent: true)
        return (cache, layer)
    }

    @Test func `an insert replaces an entry whose file couldn't be read, and a removal removes it`() async throws {
        let (cache, layer) = try await hiding(SystemErrors.ioFailure, call: 1, folder)
        #expect(await cache.value(forKey: 1) == nil)
        layer.disarm()
        await cache.insert(bytes(2), forKey: 1, cost: 64)
        try await cache.flush()
        #expect(await cache.value(forKey: 1) == bytes(2))
        layer.arm(call: 1, code: SystemErrors.ioFailure, isPersistent: true)
        #expect(await cache.value(forKey: 1) == nil)
        layer.disarm()
        await cache.removeValue(forKey: 1)
        try await cache.flush()
        #expect(try folder.names().isEmpty)
        await cache.close()
    }

    // The lookup that succeeds found the entry before the other one was a miss, and ends after it.
    @Test func `a lookup in flight does not bring back an entry that was a miss meanwhile`() async throws {
        let (cache, layer) = try await holding(folder, costLimit: 400)
        await cache.respond(to: .critical)
        let held = layer.hold("read")
        async let found = cache.value(forKey: 1)
        await held.reached()
        layer.arm(call: 1, code: SystemErrors.ioFailure, isPersistent: false)
        #expect(await cache.value(forKey: 1) == nil)
        held.release()
        #expect(await found == bytes(1))
        #expect(layer.disarm() == 1)
        #expect(await cache.value(forKey: 1) == nil)
        #expect(cache.checkInvariants().isEmpty)
        await cache.close()
    }

    @Test func `a lookup whose file can't be read finds the value that another one has read`() async throws {
        let (cache, layer) = try await holding(folder, costLimit: 400)
        await cache.respond(to: .critical)
        let held = layer.hold("read")
        async let found = cache.value(forKey: 1)
        await held.reached()
        #expect(await cache.value(forKey: 1) == bytes(1))
        layer.arm(call: 1, code: SystemErrors.ioFailure, isPersistent: true)
        held.release()
        #expect(await found == bytes(1))
        #expect(layer.disarm() > 0)
        #expect(await cache.value(forKey: 1) == bytes(1))
        await cache.close()
    }

    @Test func `a flush reports a full disk, and the entry is lost`() async throws {
        let layer = try FaultyFileLayer(directory: folder.directory)
        let cache = try DiskCache<Int, Data>(configuration: folder.configuration()) { _ in layer }
        await cache.insert(bytes(1), forKey: 1, cost: 64)
        try await cache.flush()
        // The first call adds a record to the index, the second creates the file.
        layer.arm(call: 3, code: SystemErrors.noSpace, isPersistent: false)
        await cache.insert(bytes(2), forKey: 2, cost: 64)
        await #expect(throws: DiskCacheError.failed(count: 1, first: "write: No space left on device")) {
            try await cache.flush()
        }
        try await cache.flush()
        #expect(await cache.value(forKey: 2) == nil)
        #expect(await cache.value(forKey: 1) == bytes(1))
        #expect(try folder.names().count == 1)
        await cache.close()
    }

    @Test func `short reads and writes still give whole entries`() async throws {
        let layer = try FaultyFileLayer(directory: folder.directory)
        layer.shortenTransfers()
        let cache = try DiskCache<Int, Data>(configuration: folder.configuration(costLimit: 100)) { _ in layer }
        await cache.insert(bytes(1, count: 1000), forKey: 1, cost: 64)
        try await cache.flush()
        #expect(await cache.value(forKey: 1) == bytes(1, count: 1000))
        await cache.close()
    }

    @Test func `a shortage of descriptors while opening loses no entry`() async throws {
        _ = try await folder.filled(["a": bytes(1), "b": bytes(2)])
        for call in 3...6 {
            let layer = try FaultyFileLayer(directory: folder.directory)
            layer.arm(call: call, code: SystemErrors.tooManyOpen, isPersistent: true)
            _ = try? DiskCache<String, Data>(configuration: folder.configuration()) { _ in layer }
        }
        #expect(try folder.names().count == 2)
    }
}
