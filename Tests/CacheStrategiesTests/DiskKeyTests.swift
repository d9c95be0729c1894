import CacheStrategies
import Foundation
import Testing

/// No key reaches outside the folder, and different keys have different entries.
@Suite(.timeLimit(.minutes(1)))
struct DiskKeyTests {
    private static let hostileKeys = [
        "", ".", "..", "/", "../out", "/nowhere/passwd", "a/b", "a\u{0}b", "a%00b", "lock", "temporary-1", "\n", "a\nb",
        " ",
        "CON", "A", "a", "~", "-rf", "*", "\u{202E}txt.exe", "\u{1F600}", "café", String(repeating: "x", count: 255),
        String(repeating: "x", count: 256), String(repeating: "é", count: 2048),
        String(repeating: "0", count: 64), String(repeating: "../cache/", count: 400),
    ]

    @Test func `hostile keys have entries of their own inside the folder`() async throws {
        let folder = try DiskTestFolder()
        defer { folder.remove() }
        let cache = try folder.open(String.self)
        for (number, key) in Self.hostileKeys.enumerated() {
            await cache.insert(bytes(number), forKey: key, cost: 64)
        }
        await cache.close()
        let reopened = try folder.open(String.self)
        for (number, key) in Self.hostileKeys.enumerated() {
            #expect(await reopened.value(forKey: key) == bytes(number), "key \(key.debugDescription)")
        }
        #expect(try folder.names().count == Self.hostileKeys.count)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.parent.path) == ["cache"])
        await reopened.close()
    }

    @Test func `keys that are equal in Swift share one entry, composed or not`() async throws {
        let folder = try DiskTestFolder()
        defer { folder.remove() }
        let cache = try folder.open(String.self)
        await cache.insert(bytes(1), forKey: "caf\u{E9}", cost: 64)
        await cache.close()
        let reopened = try folder.open(String.self)
        #expect(await reopened.value(forKey: "cafe\u{301}") == bytes(1))
        await reopened.insert(bytes(2), forKey: "cafe\u{301}", cost: 64)
        #expect(await reopened.value(forKey: "caf\u{E9}") == bytes(2))
        #expect(await reopened.statistics().entryCount == 1)
        await reopened.close()
        #expect(try folder.names().count == 1)
    }

    @Test func `a file is named by the SHA-256 of its key's bytes`() async throws {
        let folder = try DiskTestFolder()
        defer { folder.remove() }
        // The digests of FIPS 180-2, appendix B.1, and of the empty message.
        let names = try await folder.filled(["abc": bytes(1), "": bytes(2)])
        #expect(names["abc"] == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(names[""] == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test func `a key too long for a file is dropped, and a flush reports it`() async throws {
        let folder = try DiskTestFolder()
        defer { folder.remove() }
        let cache = try folder.open(String.self)
        let key = String(repeating: "x", count: (1 << 20) + 1)
        await cache.insert(bytes(1), forKey: key, cost: 64)
        await #expect(throws: DiskCacheError.failed(count: 1, first: "\(DiskCacheError.entryTooLarge)")) {
            try await cache.flush()
        }
        #expect(await cache.value(forKey: key) == nil)
        await cache.close()
    }
}
