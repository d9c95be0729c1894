import CacheStrategies
import TestTiers
import Testing
import TrialModel

@testable import HistoryChecking

/// A sound cache is never reported; one with a fault is.
@Suite(.timeLimit(.minutes(5)))
struct SoundCacheTests {
    private static let kinds: [SimulatedCache.Behaviour] = [false, true].flatMap { coalesces in
        [false, true].map { keepsNewerWrites in
            var behaviour = SimulatedCache.Behaviour(coalesces: coalesces, keepsNewerWrites: keepsNewerWrites)
            behaviour.failureShare = 0.1
            behaviour.cancellationShare = 0.2
            behaviour.unknownWriteShare = 0.05
            behaviour.mix = [4, 5, 2, 1, 1]
            return behaviour
        }
    }

    private static func promises(
        of behaviour: SimulatedCache.Behaviour, _ consistency: Promises.Consistency
    ) -> Promises {
        Promises(
            coalescesLoads: behaviour.coalesces, consistency: consistency,
            keepsNewerWrites: behaviour.keepsNewerWrites)
    }

    @Test(arguments: Promises.Consistency.allCases)
    func `a sound cache is never reported`(consistency: Promises.Consistency) async {
        var accusations: [String] = []
        var verdicts: [Promise: [ConsistencyVerdict: Int]] = [:]
        for seed in 0..<UInt64(TestTier.isNightly ? 12_000 : 400) {
            // Other tests share the threads.
            if seed % 20 == 0 { await Task.yield() }
            let behaviour = Self.kinds[Int(seed % 4)]
            var cache = SimulatedCache(seed: seed, callers: 2 + Int(seed / 4 % 5), behaviour)
            let history = cache.run(operations: 60, keys: 1 + seed / 20 % 3)
            for finding in HistoryCheck(promises: Self.promises(of: behaviour, consistency)).findings(history) {
                verdicts[finding.promise, default: [:]][finding.verdict, default: 0] += 1
                if finding.verdict == .inconsistent, accusations.count < 3 {
                    let example = finding.example.map { CounterexampleDrawing($0).lines } ?? []
                    accusations.append("seed \(seed): \(finding.promise)\n" + example.joined(separator: "\n"))
                }
            }
        }
        #expect(accusations == [])
        // Each promise that can be judged here was judged, and often.
        let judged = Promises(coalescesLoads: true, consistency: consistency, keepsNewerWrites: true).judgedByHistory
        #expect(judged.filter { verdicts[$0]?[.consistent] ?? 0 < 100 } == [])
    }

    @Test(arguments: [
        (SimulatedCache.Fault.staleHit, Promise.freshness), (.lostRemoval, .noResurrection),
        (.comesBack, .noResurrection), (.overwritesNewer, .newerWritesWin), (.secondLoad, .singleFlight),
        (.keptError, .errors), (.sharedCancellation, .cancellation), (.otherKey, .ownValues),
    ])
    func `a fault is caught under the promise it breaks`(fault: SimulatedCache.Fault, promise: Promise) async {
        var caught = 0
        var wrong = 0
        for seed in 0..<UInt64(20) {
            await Task.yield()
            var behaviour = SimulatedCache.Behaviour(coalesces: true, keepsNewerWrites: true)
            behaviour.fault = fault
            behaviour.failureShare = 0.05
            behaviour.cancellationShare = 0.2
            behaviour.mix = [4, 6, 2, 1, 0]
            behaviour.evictionShare = 0.03
            var cache = SimulatedCache(seed: seed, callers: 4, behaviour)
            let history = cache.run(operations: 2_000, keys: 2)
            let findings = HistoryCheck(promises: Self.promises(of: behaviour, .linearizable)).findings(history)
            if findings.contains(where: { $0.promise == promise && $0.verdict == .inconsistent }) { caught += 1 }
            wrong += cache.faultCount > 0 ? 1 : 0
        }
        #expect(wrong >= 18)
        // Not every fault is visible: a wrong value may be replaced before it is read.
        #expect(caught >= 16, "\(fault) was caught in \(caught) of 20 histories")
    }
}
