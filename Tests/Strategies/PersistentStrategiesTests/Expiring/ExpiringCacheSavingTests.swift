import Conformance
import Foundation
import TestTiers
import Testing

@testable import CacheStrategies
@testable import CacheStrategiesTests
@testable import PersistentStrategies

@Suite(.timeLimit(.minutes(1)))
struct ExpiringCacheSavingTests {
    private let folder: DiskTestFolder
    private let file: URL

    init() throws {
        folder = try DiskTestFolder()
        file = folder.file("entries.json")
    }

    private typealias Cache = ExpiringCache<Int, Word>

    /// In a new process the steady clock restarts, and the date continues.
    private let before = ManualClock(at: .seconds(5000))
    private let after = ManualClock(at: .seconds(3))

    private func cache(_ time: ManualClock, entryLimit: Int? = nil, timeToLive: Duration = .seconds(100)) -> Cache {
        Cache(configuration: configuration(time, entryLimit: entryLimit, timeToLive: timeToLive))
    }

    private func configuration(
        _ time: ManualClock, entryLimit: Int? = nil, timeToLive: Duration = .seconds(100)
    ) -> StrategyConfiguration {
        StrategyConfiguration(entryLimit: entryLimit, timeToLive: timeToLive, clock: time.cacheClock)
    }

    @Test func `saved entries are restored with the lifetime they had left`() throws {
        let saved = cache(before)
        saved[1] = Word("a")
        before.advance(by: .seconds(40))
        saved[2] = Word("b")
        try saved.save(to: file)

        let restored = cache(after)
        after.setDate(ahead: .seconds(40 + 10))
        try restored.restore(from: file)
        #expect(restored.keys == [1, 2])
        after.advance(by: .seconds(49))
        #expect(restored[1] == Word("a"))
        after.advance(by: .seconds(1))
        #expect(restored.keys == [2])
        after.advance(by: .seconds(40))
        #expect(restored.keys == [])
    }

    @Test func `expired entries are neither saved nor restored`() throws {
        let saved = cache(before)
        saved[1] = Word("a")
        before.advance(by: .seconds(60))
        saved[2] = Word("b")
        before.advance(by: .seconds(40))
        try saved.save(to: file)
        #expect(!String(decoding: try Data(contentsOf: file), as: UTF8.self).contains("\"a\""))

        let restored = cache(after)
        after.setDate(ahead: .seconds(100 + 60))
        try restored.restore(from: file)
        #expect(restored.keys == [])
    }

    @Test func `a date set back extends no lifetime`() throws {
        let saved = cache(before)
        saved[1] = Word("a")
        before.advance(by: .seconds(40))
        try saved.save(to: file)
        let restored = cache(after)
        after.setDate(ahead: .seconds(-1_000_000))
        try restored.restore(from: file)
        after.advance(by: .seconds(60))
        #expect(restored[1] == nil)
    }

    @Test func `clock, lifetime and limits are those of the cache that restores`() throws {
        let saved = cache(before)
        for key in 0..<10 {
            saved[key] = Word("a")
            before.advance(by: .seconds(1))
        }
        try saved.save(to: file)
        let restored = cache(after, entryLimit: 3, timeToLive: .seconds(5))
        try restored.restore(from: file)
        #expect(restored.keys == [7, 8, 9])
        after.advance(by: .seconds(5))
        #expect(restored.keys == [])
        for key in 0..<5 { restored[key] = Word("b") }
        #expect(restored.keys == [2, 3, 4])
        try restored.checkInvariants()
    }

    @Test func `a restore keeps the entries that are already in the cache`() throws {
        let saved = cache(before)
        saved[1] = Word("old")
        saved[2] = Word("b")
        try saved.save(to: file)
        let restored = cache(after)
        restored[1] = Word("new")
        try restored.restore(from: file)
        #expect(restored[1] == Word("new"))
        #expect(restored[2] == Word("b"))
        try restored.checkInvariants()
    }

    @Test func `a damaged file is an error and changes nothing`() throws {
        let saved = cache(before)
        saved[1] = Word("a")
        try saved.save(to: file)
        let whole = try Data(contentsOf: file)
        let restored = cache(after)
        restored[9] = Word("z")
        for length in 0..<whole.count {
            try whole.prefix(length).write(to: file)
            #expect(throws: (any Error).self) { try restored.restore(from: file) }
        }
        #expect(restored.keys == [9])
        #expect(throws: (any Error).self) { try restored.restore(from: file.appending(path: "missing")) }
    }

    @Test func `a file that is far too long is an error before it is read`() throws {
        let saved = cache(before)
        saved[1] = Word("a")
        try saved.save(to: file)
        let handle = try FileHandle(forWritingTo: file)
        // The file takes no room: its end is a hole.
        try handle.truncate(atOffset: 1 << 40)
        try handle.close()
        let restored = cache(after)
        #expect(throws: DiskCacheError.self) { try restored.restore(from: file) }
        #expect(restored.keys == [])
    }

    @Test func `every flipped bit of a saved file is an error`() throws {
        let saved = cache(before)
        saved[1] = Word("a")
        try saved.save(to: file)
        let whole = try Data(contentsOf: file)
        let restored = cache(after)
        // In most bytes one bit, and not in all the same.
        for bit in stride(from: 0, to: whole.count * 8, by: TestTier.isNightly ? 1 : 7) {
            var damaged = whole
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            try damaged.write(to: file)
            #expect(throws: DiskCacheError.self, "bit \(bit)") { try restored.restore(from: file) }
        }
        try (whole + Data([0])).write(to: file)
        #expect(throws: DiskCacheError.self) { try restored.restore(from: file) }
        #expect(restored.keys == [])
    }

    @Test func `the remains of an interrupted save are removed by the next save and by a restore`() throws {
        let leftover = file.deletingLastPathComponent().appending(path: "entries.json.saving")
        let saved = cache(before)
        saved[1] = Word("a")
        for action in [{ try saved.save(to: file) }, { try saved.restore(from: file) }] {
            try Data("half".utf8).write(to: leftover)
            try action()
            #expect(!FileManager.default.fileExists(atPath: leftover.path(percentEncoded: false)))
        }
    }

    @Test func `a symbolic link in the file's place is not followed`() throws {
        let target = file.deletingLastPathComponent().appending(path: "target")
        let saved = cache(before)
        saved[1] = Word("a")
        try saved.save(to: target)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
        #expect(throws: (any Error).self) { try saved.restore(from: file) }
        let before = try Data(contentsOf: target)
        saved[2] = Word("b")
        try saved.save(to: file)
        #expect(try Data(contentsOf: target) == before)
    }

    @Test(arguments: [
        (Int64.max, 0.0), (.min, 0), (0, 1e300), (1, -1e300), (.max, 1e300), (.max, -1e300),
    ]) func `hostile numbers in a file don't trap`(nanosecondsLeft: Int64, savedAt: Double) throws {
        let entries = [("a", Int.min), ("b", Int.max)].map {
            SavedEntry(key: 1, value: Word($0), cost: $1, nanosecondsLeft: nanosecondsLeft)
        }
        let content = try SavedColumns.encode(
            SavedEntries(savedAt: Date(timeIntervalSinceReferenceDate: savedAt), entries: entries))
        let layer = try POSIXFileLayer(directory: file.deletingLastPathComponent(), creating: false)
        try SavedFile(file, layer: layer).write(content)
        let restored = cache(after)
        try restored.restore(from: file)
        try restored.checkInvariants()
        after.advance(by: .seconds(100))
        #expect(restored.keys == [])
    }

    @Test func `saving over a file leaves no second file`() throws {
        let saved = cache(before)
        for key in 0..<3 {
            saved[key] = Word("a")
            try saved.save(to: file)
        }
        let names = try FileManager.default.contentsOfDirectory(
            atPath: file.deletingLastPathComponent().path(percentEncoded: false))
        #expect(names == ["entries.json"])
    }

    @Test func `a failed save leaves the old file`() throws {
        let saved = cache(before)
        saved[1] = Word("a")
        #expect(throws: (any Error).self) { try saved.save(to: file.appending(path: "below-nothing")) }
        try saved.save(to: file)
        let restored = cache(after)
        try restored.restore(from: file)
        #expect(restored.keys == [1])
    }
}
