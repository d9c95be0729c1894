import CacheStrategies
import Foundation
import PersistentStrategies
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DiskLoadTests {
    private let folder: DiskTestFolder

    init() throws { folder = try DiskTestFolder() }

    private struct OriginDown: Error {}

    /// A value that can be decoded but not encoded: the cache stores the fetched bytes.
    private struct DecodeOnly: CacheableValue {
        let text: String
        init(encoded: Data) throws {
            guard let text = String(data: encoded, encoding: .utf8), !text.isEmpty else { throw OriginDown() }
            self.text = text
        }
        func encoded() throws -> Data { throw OriginDown() }
        var cost: Int { text.utf8.count }
    }

    @Test func `a loaded value is stored as it was fetched`() async throws {
        let cache = try DiskCache<Int, DecodeOnly>(configuration: folder.configuration())
        _ = try await cache.load(1) { Data("whole".utf8) }
        try await cache.flush()
        await cache.close()
        let reopened = try DiskCache<Int, DecodeOnly>(configuration: folder.configuration())
        #expect(await reopened.value(forKey: 1)?.text == "whole")
        await reopened.close()
    }

    @Test func `a value that can't be encoded is dropped, and a flush reports it`() async throws {
        let cache = try DiskCache<Int, DecodeOnly>(configuration: folder.configuration())
        await cache.insert(try DecodeOnly(encoded: Data("x".utf8)), forKey: 1, cost: 1)
        await #expect(throws: DiskCacheError.failed(count: 1, first: "OriginDown()")) { try await cache.flush() }
        #expect(await cache.value(forKey: 1) == nil)
        #expect(try folder.names().isEmpty)
        await cache.close()
    }

    @Test func `a load counts as in flight during its fetch`() async throws {
        let cache = try folder.open()
        _ = try await cache.load(1) {
            #expect(await cache.statistics().loadsInFlight == 1)
            return bytes(1)
        }
        #expect(await cache.statistics().loadsInFlight == 0)
        await cache.close()
    }
}
