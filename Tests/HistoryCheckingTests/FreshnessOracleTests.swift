import Foundation
import Testing
import TrialModel

@testable import HistoryChecking

/// The fast check against one that tries every order, on random histories of at most eight operations on one key.
@Suite(.timeLimit(.minutes(20)))
struct FreshnessOracleTests {
    static let isLong = ProcessInfo.processInfo.environment["CACHE_TRIALS_LONG"] == "1"
    static let historyCount: UInt64 = isLong ? 1_000_000 : 20_000

    @Test func `the check and all orders agree on random histories`() {
        let seed: UInt64 = 20_261
        print("seed \(seed), \(Self.historyCount) histories")
        let check = HistoryCheck(promises: CheckedPromises())
        var counts = [Bool: [Bool: Int]]()
        var disagreements: [String] = []
        for number in 0..<Self.historyCount {
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

/// Random histories of a few operations on one key: some that a cache could give, and some that were changed after.
enum SmallHistories {
    static func history(seed: UInt64, number: UInt64) -> History {
        var random = RandomSource(seed: seed, stream: number)
        var behaviour = SimulatedCache.Behaviour(
            coalesces: random.next(below: 2) == 0, keepsNewerWrites: random.next(below: 3) == 0)
        behaviour.failureShare = random.next(below: 4) == 0 ? 0.2 : 0
        behaviour.cancellationShare = random.next(below: 4) == 0 ? 0.4 : 0
        behaviour.unknownWriteShare = random.next(below: 4) == 0 ? 0.3 : 0
        behaviour.mix = [5, random.next(below: 4), 1 + random.next(below: 3), random.next(below: 3), random.next(below: 2)]
        behaviour.evictionShare = 0.04
        let callers = 1 + Int(random.next(below: 4))
        var cache = SimulatedCache(seed: seed ^ (number &* 0x9E37), callers: callers, behaviour)
        var history = cache.run(operations: 2 + Int(random.next(below: 7)), keys: 1)
        for _ in 0..<random.next(below: 6) { change(&history, &random) }
        return history
    }

    /// Changes one thing that keeps the log possible: a version, an outcome, or a time within what its caller allows.
    private static func change(_ history: inout History, _ random: inout RandomSource) {
        let caller = Int(random.next(below: UInt64(history.callers.count)))
        guard !history.callers[caller].isEmpty else { return }
        let place = Int(random.next(below: UInt64(history.callers[caller].count)))
        var record = history.callers[caller][place]
        let versions =
            history.callers.joined().filter { $0.kind == .write }.map(\.version) + history.requests.map(\.version)
        let isLookup = record.kind == .read || (record.kind == .load && record.outcome == .hit)
        switch random.next(below: 3) {
        case 0 where isLookup && !versions.isEmpty:
            record.outcome = .hit
            record.version = versions[Int(random.next(below: UInt64(versions.count)))]
        case 1 where record.kind == .read:
            record.outcome = .miss
            record.version = 0
        case 2:
            let earliest = place > 0 ? history.callers[caller][place - 1].answer : 0
            let isLast = place + 1 == history.callers[caller].count
            let latest = isLast ? record.answer + 5 : history.callers[caller][place + 1].call
            let moments = [0, 1].map { _ in earliest + random.next(below: latest - earliest + 1) }.sorted()
            record.call = moments[0]
            record.answer = moments[1]
        default: break
        }
        history.callers[caller][place] = record
    }
}
