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
}
