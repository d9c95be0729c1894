import EvictionPolicies
import Testing

@testable import CacheStrategies

/// What keeps the admission of a live W-TinyLFU from being frozen.
@Suite(.timeLimit(.minutes(1)))
struct LiveAdmissionTests {
    private let cache = WTinyLFUCache<Int, Number>(configuration: StrategyConfiguration(entryLimit: 10))

    /// Requests keys in turn, as often as stated, and returns how often they were found.
    private func request(_ keys: [Int], times: Int) -> Int {
        var hits = 0
        for _ in 0..<times {
            for key in keys {
                if cache.value(forKey: key) != nil {
                    hits += 1
                } else {
                    cache.insert(Number(key), forKey: key, cost: 1)
                }
            }
        }
        return hits
    }

    // Frequencies stop at 15, and are halved only while some of them grow. The window is too small for the loop.
    @Test func `keys that are requested often are admitted although all frequencies have reached their maximum`() {
        _ = request(Array(0..<10), times: 100)
        let hits = request(Array(1000..<1011), times: 2000)
        #expect(hits > 1000)
    }

    @Test func `keys that were constructed to share a fingerprint keep no others out`() {
        // The two halves of each differ in the bits of 7 alone.
        _ = request((1...1000).map { $0 << 32 | ($0 ^ 7) }, times: 1)
        let hits = request(Array(1_000_000..<1_000_008), times: 20)
        #expect(hits > 80)
    }
}
