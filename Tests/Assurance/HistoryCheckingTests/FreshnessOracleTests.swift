import CacheStrategies
import Foundation
import TestTiers
import Testing
import TrialModel

@testable import HistoryChecking

/// The fast check against an oracle that tries every order, on random histories of at most eight operations on one
/// key.
@Suite(.timeLimit(.minutes(20)))
struct FreshnessOracleTests {
    static let historyCount: UInt64 = TestTier.isNightly ? 1_000_000 : 5_000

    @Test func `the check and the oracle agree on random histories`() async {
        let seed: UInt64 = 20_261
        print("seed \(seed), \(Self.historyCount) histories")
        let check = HistoryCheck(promises: Promises())
        var counts = [Bool: [Bool: Int]]()
        var disagreements: [String] = []
        for number in 0..<Self.historyCount {
            // Other tests share the threads.
            if number % 100 == 0 { await Task.yield() }
            let history = SmallHistories.history(seed: seed, number: number)
            let isExplained = OrderOracle.explains(history)
            let isConsistent = !check.findings(history).contains { finding in
                [.ownValues, .freshness, .noResurrection].contains(finding.promise) && finding.violations > 0
            }
            counts[isExplained, default: [:]][isConsistent, default: 0] += 1
            if isExplained != isConsistent, disagreements.count < 5 {
                disagreements.append("number \(number), an order explains it: \(isExplained)\n\(history)")
            }
        }
        print("explained \(counts[true] ?? [:]), not explained \(counts[false] ?? [:])")
        #expect(disagreements == [])
        #expect(counts[true]?[true] ?? 0 > Self.historyCount / 10)
        #expect(counts[false]?[false] ?? 0 > Self.historyCount / 10)
    }
}
