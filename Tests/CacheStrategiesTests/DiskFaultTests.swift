import CacheStrategies
import Foundation
import ReliabilityChecks
import Testing

/// The n-th system call on the folder fails, for every n until the operation makes fewer calls. SQLite tests its I/O
/// errors in this way.
@Suite(.timeLimit(.minutes(1)))
struct DiskFaultTests {
    struct Fault: CustomTestStringConvertible, Sendable {
        let name: String
        let code: Int32
        let isPersistent: Bool
        var testDescription: String { "\(name) \(isPersistent ? "from then on" : "once")" }
    }

    static let faults: [Fault] = [
        ("EIO", SystemErrors.ioFailure), ("ENOSPC", SystemErrors.noSpace), ("EMFILE", SystemErrors.tooManyOpen),
        ("EACCES", SystemErrors.accessDenied), ("EINTR", SystemErrors.interrupted),
    ].flatMap { name, code in [false, true].map { Fault(name: name, code: code, isPersistent: $0) } }

    enum Operation: CaseIterable { case insert, replace, read, remove, removeAll, evict }

    /// Memory holds a quarter of the limit, so that every read reads the file.
    private static let costLimit = 200

    /// Performs the operation on key 1.
    private func perform(_ operation: Operation, _ cache: DiskCache<Int, Data>) async {
        switch operation {
        case .insert: await cache.insert(bytes(9), forKey: 2, cost: 64)
        case .replace: await cache.insert(bytes(2), forKey: 1, cost: 64)
        case .read: _ = await cache.value(forKey: 1)
        case .remove: await cache.removeValue(forKey: 1)
        case .removeAll: await cache.removeAll()
        case .evict: await cache.insert(bytes(9), forKey: 2, cost: 180)
        }
    }

    /// The value of key 1 that must not be found after the operation has returned.
    private func stale(_ operation: Operation) -> Data? {
        switch operation {
        case .insert, .read: nil
        case .replace, .remove, .removeAll, .evict: bytes(1)
        }
    }

    @Test(arguments: faults, Operation.allCases)
    func `an entry is whole or absent whichever call fails`(fault: Fault, operation: Operation) async throws {
        var call = 0
        var hasFired = true
        while hasFired {
            call += 1
            let folder = try DiskTestFolder()
            defer { folder.remove() }
            let layer = try FaultyFileLayer(directory: folder.directory)
            let cache = try DiskCache<Int, Data>(configuration: folder.configuration(costLimit: Self.costLimit)) { _ in
                layer
            }
            await cache.insert(bytes(1), forKey: 1, cost: 64)
            try await cache.flush()
            layer.arm(call: call, code: fault.code, isPersistent: fault.isPersistent)
            await perform(operation, cache)
            try? await cache.flush()
            hasFired = layer.disarm() > 0
            // A removal may have been retried, and may have failed, between the flush and the end of the fault.
            try? await cache.flush()
            try await check(cache, operation, "call \(call)")
            await cache.close()
            #expect(layer.openCount == 0, "call \(call)")
            let reopened = try folder.open(costLimit: Self.costLimit)
            try await check(reopened, operation, "call \(call), reopened")
            #expect(try folder.names().allSatisfy { $0.count == 64 }, "call \(call)")
            await reopened.close()
        }
        #expect(call > 1)
    }

    private func check(_ cache: DiskCache<Int, Data>, _ operation: Operation, _ note: String) async throws {
        let value = await cache.value(forKey: 1)
        #expect(value == nil || value == bytes(1) || value == bytes(2), "\(note)")
        #expect(value == nil || value != stale(operation), "\(note)")
        let other = await cache.value(forKey: 2)
        #expect(other == nil || other == bytes(9), "\(note)")
        await cache.insert(bytes(3), forKey: 3, cost: 10)
        try await cache.flush()
        #expect(await cache.value(forKey: 3) == bytes(3), "the next operation works, \(note)")
        await cache.removeValue(forKey: 3)
        try await cache.flush()
    }

    @Test func `a temporary shortage of descriptors loses no entry`() async throws {
        let folder = try DiskTestFolder()
        defer { folder.remove() }
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

    @Test func `a closed cache does not try again to remove a file`() async throws {
        let folder = try DiskTestFolder()
        defer { folder.remove() }
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
        let folder = try DiskTestFolder()
        defer { folder.remove() }
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
        let folder = try DiskTestFolder()
        defer { folder.remove() }
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
        let folder = try DiskTestFolder()
        defer { folder.remove() }
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
        let folder = try DiskTestFolder()
        defer { folder.remove() }
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
        let folder = try DiskTestFolder()
        defer { folder.remove() }
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
        let folder = try DiskTestFolder()
        defer { folder.remove() }
        let layer = try FaultyFileLayer(directory: folder.directory)
        layer.shortenTransfers()
        let cache = try DiskCache<Int, Data>(configuration: folder.configuration(costLimit: 100)) { _ in layer }
        await cache.insert(bytes(1, count: 1000), forKey: 1, cost: 64)
        try await cache.flush()
        #expect(await cache.value(forKey: 1) == bytes(1, count: 1000))
        await cache.close()
    }

    @Test(arguments: faults)
    func `opening fails clearly or finds whole entries whichever call fails`(fault: Fault) async throws {
        let folder = try DiskTestFolder()
        defer { folder.remove() }
        var call = 0
        var hasFired = true
        while hasFired {
            call += 1
            _ = try await folder.filled(["a": bytes(1), "b": bytes(2)])
            let layer = try FaultyFileLayer(directory: folder.directory)
            layer.arm(call: call, code: fault.code, isPersistent: fault.isPersistent)
            do {
                let cache = try DiskCache<String, Data>(configuration: folder.configuration()) { _ in layer }
                hasFired = layer.disarm() > 0
                let values = [await cache.value(forKey: "a"), await cache.value(forKey: "b")]
                #expect(values[0] == nil || values[0] == bytes(1))
                #expect(values[1] == nil || values[1] == bytes(2))
                await cache.close()
            } catch {
                guard case .unusable = error else {
                    Issue.record("call \(call): \(error)")
                    return
                }
                hasFired = layer.disarm() > 0
            }
            #expect(layer.openCount == 0)
        }
        #expect(call > 1)
    }

    @Test func `a shortage of descriptors while opening loses no entry`() async throws {
        let folder = try DiskTestFolder()
        defer { folder.remove() }
        _ = try await folder.filled(["a": bytes(1), "b": bytes(2)])
        for call in 3...6 {
            let layer = try FaultyFileLayer(directory: folder.directory)
            layer.arm(call: call, code: SystemErrors.tooManyOpen, isPersistent: true)
            _ = try? DiskCache<String, Data>(configuration: folder.configuration()) { _ in layer }
        }
        #expect(try folder.names().count == 2)
    }
}
