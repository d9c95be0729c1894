import CacheStrategies
import Testing
import TimedStrategies
import TrialModel

@testable import TrialLoop

/// The summary of the clients' records under memory pressure.
@Suite(.timeLimit(.minutes(1)))
struct PressureSummaryTests {
    private static let key = RowKey(trial: TrialIdentity(scenario: "s", strategy: "x", repetition: 1), phase: "p")

    /// Lookups one after the other, a microsecond each, from a given time on.
    private static func metrics(from start: UInt64, _ hits: [Bool]) -> PressureMetrics {
        var metrics = PressureMetrics()
        for (index, isHit) in hits.enumerated() {
            let time = start + UInt64(index) * 1_000
            metrics.record(
                EndedOperation(.load, isHit ? .hit : .miss, TimeSpan(time, time + 900), key: UInt32(index)))
        }
        return metrics
    }

    private static func row(
        _ clientMetrics: [PressureMetrics], delivered: UInt64 = 100_000, before: Double? = 0.8,
        sharesLoads: Bool = false,
        _ change: (inout PressureDelivery.Outcome) -> Void = { _ in }, atEnd: CacheStatistics = CacheStatistics()
    ) -> PressureRow {
        var outcome = PressureDelivery.Outcome(level: .critical, responds: true, delivered: delivered)
        outcome.returned = delivered + 5
        change(&outcome)
        return PressureSummary(
            outcome: outcome, metrics: clientMetrics.reduce(into: PressureMetrics()) { $0.merge($1) }, atEnd: atEnd,
            hitRatioBefore: before,
            sharesLoads: sharesLoads
        ).row(key: key)
    }

    @Test func `recovery is when 256 lookups in a row have 90 % of the hit ratio before`() throws {
        // 100 lookups before, then 1,000 misses, then hits.
        let hits = Array(repeating: true, count: 100) + Array(repeating: false, count: 1_000)
        let metrics = Self.metrics(from: 0, hits + Array(repeating: true, count: 1_000))
        let row = Self.row([metrics])
        let operations = try #require(row.operationsToRecovery)
        // 72 % of 256 lookups are 185 hits; blocks are of 16.
        #expect((1_184...1_216).contains(operations), "\(operations)")
        #expect(row.hitRatioAfter == 0 && row.hitRatioBefore == 0.8 && row.responseNanoseconds == 5)
    }

    @Test func `without a loss the recovery takes no operation, and a recovery that never comes has no number`() {
        let kept = Self.row([Self.metrics(from: 100_000, Array(repeating: true, count: 2_000))])
        #expect(kept.operationsToRecovery == 0 && kept.hitRatioAfter == 1)
        let lost = Self.row([Self.metrics(from: 100_000, Array(repeating: false, count: 2_000))])
        #expect(lost.operationsToRecovery == nil && lost.hitRatioAfter == 0)
        let unknown = Self.row([Self.metrics(from: 100_000, Array(repeating: true, count: 2_000))], before: nil)
        #expect(unknown.operationsToRecovery == nil)
    }

    @Test func `operations of all clients count, in the order of time`() throws {
        let lost = Array(repeating: false, count: 500) + Array(repeating: true, count: 1_000)
        let one = try #require(Self.row([Self.metrics(from: 100_000, lost)]).operationsToRecovery)
        let clientMetrics = [Self.metrics(from: 100_000, lost), Self.metrics(from: 100_000, lost)]
        let both = try #require(Self.row(clientMetrics).operationsToRecovery)
        // Twice the misses, and one window of hits.
        #expect(both > one + 400 && both < one + 600, "\(one), \(both)")
    }

    @Test func `a long phase is recorded in few blocks, the first ones fine`() {
        var metrics = PressureMetrics()
        for index in 0..<1_000_000 as Range<UInt64> {
            metrics.record(EndedOperation(.read, .hit, TimeSpan(index, index + 1), key: 0))
        }
        #expect(metrics.blocks.count < 3_000 && metrics.blocks[0].lookups == 16)
        #expect(metrics.allBlocks.reduce(0) { $0 + $1.lookups } == 1_000_000 && metrics.loads.isEmpty)
    }

    @Test func `loads in flight survive, fail, or are restarted`() {
        var metrics = PressureMetrics()
        metrics.record(EndedOperation(.load, .miss, TimeSpan(10, 90), key: 1))
        metrics.record(EndedOperation(.load, .miss, TimeSpan(50, 200), key: 1))
        metrics.record(EndedOperation(.load, .joined, TimeSpan(60, 190), key: 2))
        metrics.record(EndedOperation(.burst, .failed, TimeSpan(70, 150), key: 3))
        metrics.record(EndedOperation(.load, .miss, TimeSpan(120, 300), key: 1))
        metrics.record(EndedOperation(.load, .miss, TimeSpan(210, 300), key: 2))
        let unshared = Self.row([metrics], delivered: 100)
        #expect(unshared.loadsInFlight == 3 && unshared.loadsSurvived == 2 && unshared.loadsFailed == 1)
        #expect(unshared.loadsRestarted == nil)
        let shared = Self.row([metrics], delivered: 100, sharesLoads: true)
        #expect(shared.loadsInFlight == 3 && shared.loadsSurvived == 1 && shared.loadsFailed == 1)
        #expect(shared.loadsRestarted == 1)
    }

    @Test func `released memory is the largest drop, and at the end the rest that did not come back`() {
        let row = Self.row(
            [],
            {
                $0.before = CacheStatistics(entryCount: 100, totalCost: 1_000)
                $0.after = CacheStatistics(entryCount: 0, totalCost: 0)
                $0.later = CacheStatistics(entryCount: 60, totalCost: 600)
            }, atEnd: CacheStatistics(entryCount: 110, totalCost: 900))
        #expect(row.entriesBefore == 100 && row.entriesGivenBack == 100 && row.entriesGivenBackAtEnd == 0)
        #expect(row.bytesBefore == 1_000 && row.bytesGivenBack == 1_000 && row.bytesGivenBackAtEnd == 100)
        #expect(row.shareGivenBack == 1)
    }

    @Test func `of a cache with files only the memory counts`() {
        func statistics(_ memory: Int) -> CacheStatistics {
            var statistics = CacheStatistics(entryCount: 100, totalCost: 1_000)
            (statistics.memoryEntryCount, statistics.memoryCost) = (memory, memory * 10)
            return statistics
        }
        let row = Self.row([], { ($0.before, $0.after, $0.later) = (statistics(40), statistics(0), statistics(9)) })
        #expect(row.entriesBefore == 40 && row.entriesGivenBack == 40 && row.bytesGivenBack == 400)
    }

    @Test func `a strategy that receives no memory pressure has no figures of its own`() {
        let row = Self.row([], { $0.responds = false })
        #expect(!row.responds && row.responseNanoseconds == nil && row.bytesGivenBack == nil)
    }
}
