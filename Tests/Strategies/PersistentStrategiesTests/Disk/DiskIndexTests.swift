import CacheStrategies
import Foundation
import Platform
import ReliabilityChecks
import TestTiers
import Testing

@testable import PersistentStrategies

/// The index of a folder speeds up opening, and never causes a loss.
@Suite(.timeLimit(.minutes(2)))
struct DiskIndexTests {
    private let folder: DiskTestFolder

    init() throws { folder = try DiskTestFolder() }

    private func open(
        _ folder: DiskTestFolder, _ layer: FaultyFileLayer, entryLimit: Int? = nil, indexRecordsMin: Int = 8_192
    ) throws -> DiskCache<Int, Data> {
        try DiskCache<Int, Data>(
            configuration: folder.configuration(entryLimit: entryLimit), indexRecordsMin: indexRecordsMin
        ) { _ in layer }
    }

    private func fill(_ folder: DiskTestFolder, _ keys: Range<Int>) async throws {
        let cache = try folder.open()
        for key in keys {
            // The last record states how many operations are in flight: one, however slow the threads are.
            if key == keys.last { try await cache.flush() }
            await cache.insert(bytes(key), forKey: key, cost: 64)
        }
        await cache.close()
    }

    private func found(_ cache: DiskCache<Int, Data>, _ keys: Range<Int>) async -> [Int] {
        var found: [Int] = []
        for key in keys where await cache.value(forKey: key) == bytes(key) { found.append(key) }
        return found
    }

    /// The number of calls that opening makes on a folder that `prepare` has changed.
    private func callsOfOpening(
        _ count: Int, prepare: (DiskTestFolder) throws -> Void = { _ in }
    ) async throws -> Int {
        let folder = try DiskTestFolder()
        defer { folder.remove() }
        try await fill(folder, 0..<count)
        try prepare(folder)
        let layer = try FaultyFileLayer(directory: folder.directory)
        layer.arm(call: .max, code: SystemErrors.ioFailure, isPersistent: false)
        let cache = try open(folder, layer)
        let calls = layer.callCount
        #expect(await found(cache, 0..<count).count == count)
        await cache.close()
        return calls
    }

    /// Waits for the operations that are pending, as a flush does, but doesn't try failed removals again.
    private func settle(_ cache: DiskCache<Int, Data>) async {
        await withCheckedContinuation { continuation in
            let mustWait = cache.store.locked { state, _ in state.pending.whenDone { continuation.resume() } }
            if !mustWait { continuation.resume() }
        }
    }

    @Test func `an entry whose file can't be removed stays removed when the index is rewritten`() async throws {
        let layer = try FaultyFileLayer(directory: folder.directory)
        let cache = try open(folder, layer, indexRecordsMin: 8)
        await cache.insert(bytes(1), forKey: 1, cost: 64)
        await settle(cache)
        // The first call adds a record to the index, the second removes the file.
        layer.arm(call: 2, code: SystemErrors.accessDenied, isPersistent: false)
        await cache.removeValue(forKey: 1)
        await settle(cache)
        #expect(layer.disarm() == 1)
        let size = { try Data(contentsOf: folder.file("index")).count }
        let before = try size()
        for version in 0..<12 {
            await cache.insert(bytes(version), forKey: 2, cost: 64)
            await settle(cache)
        }
        #expect(try size() < before + 12 * 64)
        let killed = try folder.copied()
        defer { killed.remove() }
        let reopened = try killed.open()
        #expect(await found(reopened, 1..<3) == [])
        #expect(await reopened.value(forKey: 1) == nil)
        #expect(await reopened.value(forKey: 2) == bytes(11))
        await reopened.close()
        await cache.close()
        #expect(try killed.names().count == 1)
    }

    @Test func `opening after a close makes a few calls, for any number of entries`() async throws {
        #expect(try await callsOfOpening(10) <= 8)
        #expect(try await callsOfOpening(300) <= 8)
    }

    @Test func `opening after a kill lists the names, and reads few files`() async throws {
        #expect(try await callsOfOpening(300) { try $0.cutIndex(records: 1) } <= 40)
    }

    @Test func `opening without an index reads every file, and writes an index`() async throws {
        let calls = try await callsOfOpening(300) { try FileManager.default.removeItem(at: $0.file("index")) }
        #expect(calls > 300)
    }

    @Test(arguments: [0, 1, 40])
    func `entries missing from the index are found by their files`(records: Int) async throws {
        try await fill(folder, 0..<40)
        // Written again, so that a truncated index has outdated records.
        let cache = try folder.open()
        for key in 0..<40 { await cache.insert(bytes(key + 100), forKey: key, cost: 64) }
        await cache.close()
        try folder.cutIndex(records: 1 + records)
        let reopened = try folder.open()
        for key in 0..<40 { #expect(await reopened.value(forKey: key) == bytes(key + 100), "key \(key)") }
        #expect(reopened.checkInvariants() == [])
        #expect(try folder.byteCount() == reopened.fileByteCount)
        await reopened.close()
    }

    /// CRC-32 bit by bit.
    private func checksum(_ bytes: Data, continuing start: UInt32 = 0) -> UInt32 {
        ~bytes.reduce(~start) { rest, byte in
            (0..<8).reduce(rest ^ UInt32(byte)) { rest, _ in rest >> 1 ^ (rest & 1) &* 0xEDB8_8320 }
        }
    }

    @Test func `the checksums of the index are a chain of CRC-32`() async throws {
        #expect(checksum(Data("123456789".utf8)) == 0xCBF4_3926)
        try await fill(folder, 0..<20)
        let index = try Data(contentsOf: folder.file("index"))
        var chain: UInt32 = 0
        for (start, end) in [(0, 12)] + stride(from: 16, to: index.count, by: 64).map({ ($0, $0 + 60) }) {
            chain = checksum(index[start..<end], continuing: chain)
            let stored = index[end..<end + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
            #expect(stored == chain, "the bytes from \(start) on")
        }
    }

    @Test func `a missing file is a miss, and its entry is removed at its first use`() async throws {
        try await fill(folder, 0..<3)
        for name in try folder.names() { try FileManager.default.removeItem(at: folder.file(name)) }
        let cache = try folder.open()
        #expect(await cache.statistics().entryCount == 3)
        #expect(await found(cache, 0..<3) == [])
        #expect(await cache.statistics().entryCount == 0)
        #expect(cache.fileByteCount == 0)
        await cache.close()
    }

    @Test(arguments: [false, true])
    func `after reopening, the order of insertion is the order of use`(isIndexed: Bool) async throws {
        let cache = try folder.open()
        for key in [5, 3, 9, 1, 7, 3] { await cache.insert(bytes(key), forKey: key, cost: 64) }
        await cache.close()
        if !isIndexed { try FileManager.default.removeItem(at: folder.file("index")) }
        let reopened = try folder.open(entryLimit: 2)
        #expect(await found(reopened, 0..<10) == [3, 7])
        await reopened.close()
        // Evicted entries stay evicted, also when the limit is higher again.
        let again = try folder.open()
        #expect(await found(again, 0..<10) == [3, 7])
        await again.close()
    }

    @Test func `a removed entry's file is deleted when the folder is opened after a kill`() async throws {
        try await fill(folder, 0..<3)
        let layer = try FaultyFileLayer(directory: folder.directory)
        let cache = try open(folder, layer)
        // The record is written, but the file is never deleted.
        layer.arm(call: 3, code: SystemErrors.ioFailure, isPersistent: true)
        await cache.removeValue(forKey: 1)
        try? await cache.flush()
        await cache.close()
        #expect(try folder.names().count == 3)
        let reopened = try folder.open()
        #expect(try folder.names().count == 2)
        #expect(await found(reopened, 0..<3) == [0, 2])
        await reopened.close()
    }

    @Test func `an index that can't be written is deleted, and rebuilt at the close`() async throws {
        let layer = try FaultyFileLayer(directory: folder.directory)
        let cache = try open(folder, layer)
        await cache.insert(bytes(1), forKey: 1, cost: 64)
        try await cache.flush()
        // A removal's first call writes its record.
        layer.arm(call: 1, code: SystemErrors.noSpace, isPersistent: false)
        await cache.removeValue(forKey: 1)
        try await cache.flush()
        #expect(layer.disarm() == 1)
        #expect(!FileManager.default.fileExists(atPath: folder.file("index").path))
        await cache.insert(bytes(2), forKey: 2, cost: 64)
        await cache.close()
        #expect(FileManager.default.fileExists(atPath: folder.file("index").path))
        #expect(layer.openCount == 0)
        let reopened = try folder.open()
        #expect(await found(reopened, 0..<4) == [2])
        await reopened.close()
    }

    @Test func `a file with the index's sequence number, but another size, counts with its own size`() async throws {
        let (folder, other) = (try DiskTestFolder(), try DiskTestFolder())
        defer {
            folder.remove()
            other.remove()
        }
        try await fill(folder, 0..<1)
        let longer = try other.open()
        await longer.insert(bytes(0, count: 200), forKey: 0, cost: 200)
        await longer.close()
        let name = try #require(try folder.names().first)
        try Data(contentsOf: other.file(name)).write(to: folder.file(name))
        let cache = try folder.open()
        #expect(await cache.value(forKey: 0) == bytes(0, count: 200))
        #expect(cache.fileByteCount == (try folder.byteCount()))
        #expect(await cache.statistics().totalCost == 200)
        await cache.close()
    }

    @Test func `without the names on the device, a close leaves no mark`() async throws {
        let layer = try FaultyFileLayer(directory: folder.directory)
        let cache = try open(folder, layer)
        await cache.insert(bytes(1), forKey: 1, cost: 64)
        try await cache.flush()
        layer.arm(call: 1, code: SystemErrors.ioFailure, isPersistent: false)
        await cache.close()
        #expect(layer.disarm() == 1)
        // A preamble of 16 bytes, and the record of the insert.
        #expect(try Data(contentsOf: folder.file("index")).count == 16 + 64)
        let reopened = try folder.open()
        #expect(await found(reopened, 0..<4) == [1])
        await reopened.close()
    }

    @Test func `the index doesn't grow with the operations`() async throws {
        let cache = try open(folder, try FaultyFileLayer(directory: folder.directory), indexRecordsMin: 32)
        for round in 0..<60 {
            for key in 0..<10 { await cache.insert(bytes(key + round % 2), forKey: key, cost: 64) }
            for key in 5..<10 { await cache.removeValue(forKey: key) }
            try await cache.flush()
        }
        await cache.close()
        #expect(try Data(contentsOf: folder.file("index")).count < 200 * 64)
        let reopened = try folder.open()
        #expect(await found(reopened, 1..<11).isEmpty)
        for key in 0..<5 { #expect(await reopened.value(forKey: key) == bytes(key + 1)) }
        #expect(reopened.checkInvariants() == [])
        await reopened.close()
    }

    // The index was written once for each file.
    @Test func `emptying the cache takes a few calls for each file`() async throws {
        let layer = try FaultyFileLayer(directory: folder.directory)
        let cache = try open(folder, layer, indexRecordsMin: 8)
        for key in 0..<200 { await cache.insert(bytes(key), forKey: key, cost: 64) }
        try await cache.flush()
        layer.arm(call: .max, code: SystemErrors.ioFailure, isPersistent: false)
        await cache.removeAll()
        try await cache.flush()
        // A record and the removal of the file.
        #expect((400..<600).contains(layer.callCount), "\(layer.callCount)")
        #expect(try Data(contentsOf: folder.file("index")).count < 500 * 64)
        await cache.close()
        #expect(layer.openCount == 0)
    }

    @Test(arguments: [SystemErrors.ioFailure, SystemErrors.noSpace])
    func `a new index that can't be written leaves the old one`(code: Int32) async throws {
        // With each error other calls.
        let first = code == SystemErrors.noSpace ? 3 : 1
        for call in TestTier.isNightly ? Array(1...60) : Array(stride(from: first, through: 60, by: 5)) {
            let folder = try DiskTestFolder()
            defer { folder.remove() }
            let layer = try FaultyFileLayer(directory: folder.directory)
            let cache = try open(folder, layer, indexRecordsMin: 20)
            for _ in 0..<3 {
                for key in 0..<5 { await cache.insert(bytes(key), forKey: key, cost: 64) }
                try await cache.flush()
            }
            layer.arm(call: call, code: code, isPersistent: false)
            for key in 0..<8 { await cache.insert(bytes(key), forKey: key, cost: 64) }
            try? await cache.flush()
            layer.disarm()
            let before = await found(cache, 0..<8)
            await cache.close()
            #expect(layer.openCount == 0, "call \(call)")
            let reopened = try folder.open()
            #expect(await found(reopened, 0..<8) == before, "call \(call)")
            #expect(try folder.names().count == before.count, "call \(call)")
            #expect(reopened.checkInvariants() == [], "call \(call)")
            await reopened.close()
        }
    }
}
