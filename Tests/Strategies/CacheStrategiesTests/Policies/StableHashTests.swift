import Foundation
import Testing

@testable import CacheStrategies

@Suite(.timeLimit(.minutes(1)))
struct StableHashTests {
    @Test func `hashes are the same in every process`() {
        #expect(StableHash.of(1) == 2_932_102_658_604_937_033)
        #expect(StableHash.of("article/2024/number-7") == 8_444_234_465_368_116_766)
        #expect(StableHash.of("") == 7_423_383_483_382_639_721)
    }

    @Test func `equal strings have equal hashes in any composition`() {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        #expect(composed == decomposed)
        #expect(StableHash.of(composed) == StableHash.of(decomposed))
    }

    @Test func `a URL is hashed with its base`() throws {
        let base = try #require(URL(string: "https://example.com/a/"))
        let relative = try #require(URL(string: "b", relativeTo: base))
        let same = try #require(URL(string: "b", relativeTo: base))
        let other = try #require(URL(string: "b"))
        #expect(StableHash.of(relative) == StableHash.of(same))
        #expect(StableHash.of(relative) != StableHash.of(other))
    }

    @Test func `neighbouring keys differ in many bits`() {
        var least = 64
        for number in 0..<10_000 {
            let difference = StableHash.of(number) ^ StableHash.of(number + 1)
            least = min(least, difference.nonzeroBitCount)
        }
        #expect(least > 8)
        #expect(Set((0..<100_000).map { UInt32(truncatingIfNeeded: StableHash.of("k\($0)")) }).count > 99_990)
    }

    @Test func `tags and shards of integers are spread`() {
        let hasher = KeyHasher()
        let hashes = (0..<100_000).map { hasher.hash(of: $0) }
        let tags = hashes.map { UInt32(truncatingIfNeeded: $0) }
        #expect(Set(tags).count > 99_990 && Set(tags.map { $0 & 0x3FF }).count == 1024)
        #expect(Set(hashes.map { $0 >> 40 & 0x3FF }).count == 1024)
    }

    @Test func `texts that were constructed to share a hash have different tags`() {
        // The hash has no secret: a first word of any value has a second one with which the hash is the same.
        let goal = StableHash.text("aaaaaaaaa")
        var found: [UInt64: [String]] = [:]
        let start = UInt64(16) ^ 0xA076_1D64_78BD_642F
        for number in 0..<40_000 {
            let first = "\(10_000_000 + number)"
            let word = first.utf8.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let second = StableHash.fold(start ^ word, 0xE703_7ED1_A0B4_28DB) ^ goal
            if second & 0x8080_8080_8080_8080 != 0 { continue }
            let bytes = (0..<8).map { UInt8(truncatingIfNeeded: second >> (8 * $0)) }
            let text = first + String(decoding: bytes, as: UTF8.self)
            found[StableHash.of(text), default: []].append(text)
        }
        let texts = found.first?.value ?? []
        #expect(found.count == 1 && texts.count > 50)
        let hasher = KeyHasher()
        #expect(Set(texts.map { hasher.tag(of: $0) }).count == texts.count)
    }
}
