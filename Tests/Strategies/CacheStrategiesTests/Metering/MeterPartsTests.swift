import Foundation
import Synchronization
import Testing
import TrialModel

@testable import CacheStrategies

@Suite(.timeLimit(.minutes(1)))
struct MeterPartsTests {
    private func counts(_ lookups: Double, from start: UInt64, to end: UInt64) -> MeterCounts {
        var counts = MeterCounts(miniatureCount: 1)
        counts.lookups = lookups
        counts.misses[0] = lookups / 2
        (counts.startNanoseconds, counts.endNanoseconds) = (start, end)
        return counts
    }

    @Test func `the history keeps at most 32 periods and loses no lookup`() {
        var history = MeterHistory()
        for index in 0..<5_000 {
            history.add(counts(300, from: UInt64(index), to: UInt64(index)))
            #expect(history.periods.count <= 32)
        }
        #expect(history.total?.lookups == 1_500_000)
        #expect(history.total?.misses[0] == 750_000)
        let lengths = history.periods.map(\.lookups)
        // The last one is still growing.
        #expect(lengths.dropLast().allSatisfy { $0 >= lengths[0] / 2 })
    }

    @Test func `counts that are longer than the first periods give periods of one length`() {
        var history = MeterHistory()
        for index in 0..<200 {
            history.add(counts(32_000, from: UInt64(index), to: UInt64(index)))
            let lengths = history.periods.map(\.lookups).dropLast()
            #expect(lengths.allSatisfy { $0 == lengths.first }, "\(index)")
        }
    }

    @Test func `requests of many hours that are digested at once are counted at their own times`() {
        let (cells, minute) = (MeterCells(), UInt64(60_000_000_000))
        // Eight threads, a lookup every ten minutes each, for twenty hours.
        for thread in 0..<8 {
            let cell = cells.shared.makeCell(thread)
            for index in 0..<UInt64(120) {
                _ = cell.pointee.add(
                    hash: StableHash.word(index % 20), nanoseconds: index * 10 * minute, cost: 1, kind: .lookup)
                cell.pointee.lookups.wrappingAdd(1, ordering: .relaxed)
            }
        }
        var state = MeterState(capacity: .entries(10))
        state.digest(cells)
        state.addToHistory()
        let now = 119 * 10 * minute
        let hour = state.history.lastHour(at: now)
        // A seventh lookup of each thread is exactly an hour old.
        #expect((48...64).contains(hour?.lookups ?? 0) && hour?.sampled.reduce(0, +) == hour?.lookups)
        #expect(state.history.total?.lookups == 960)
        #expect(state.history.lastHour(at: now + 61 * minute) == nil)
    }

    @Test func `the last hour and the last day forget what is older`() {
        var history = MeterHistory()
        let minute: UInt64 = 60_000_000_000
        // One lookup a minute for two days.
        for index in 0..<UInt64(2 * 1_440) { history.add(counts(1, from: index * minute, to: index * minute)) }
        let now = (2 * 1_440 - 1) * minute
        let (hour, day) = (history.lastHour(at: now)?.lookups ?? 0, history.lastDay(at: now)?.lookups ?? 0)
        #expect((60...76).contains(hour))
        #expect((1_440...1_501).contains(day))
        #expect(history.lastHour(at: now + 120 * minute) == nil)
        #expect(history.total?.lookups == 2_880)
    }

    @Test func `different keys are counted exactly up to 1,023, and by 10 % afterwards`() {
        var count = KeyCount()
        for round in 0..<3 {
            for key in 0..<1_000 { count.add(StableHash.word(UInt64(key))) }
            #expect(count.estimate(lastHash: .max, share: 1) == 1_000, "round \(round)")
        }
        for key in 0..<50_000 { count.add(StableHash.word(UInt64(key))) }
        #expect(abs(count.estimate(lastHash: .max, share: 1) / 50_000 - 1) < 0.1)
    }

    @Test func `a sample of keys gives the same count as all keys`() {
        var (all, sample) = (KeyCount(), KeyCount())
        let last = MeterState.lastHash(0.1)
        for key in 0..<100_000 {
            let hash = StableHash.word(UInt64(key))
            all.add(hash)
            if hash <= last { sample.add(hash) }
        }
        #expect(sample.estimate(lastHash: last, share: 0.1) == all.estimate(lastHash: .max, share: 1))
    }

    @Test func `an estimate corrects by the lookups that the sample lacks`() {
        // Misses are a tenth of the lookups in every group, and the sample has 5 % too few lookups.
        var counts = MeterCounts(miniatureCount: 1)
        for group in 0..<MeterCounts.groupCount {
            counts.sampled[group] = 95 + Double(group) - 7.5
            counts.misses[group] = counts.sampled[group] / 10
        }
        counts.lookups = 1_600
        let found = MeterEstimator(counts: counts, keyShare: 0.1, concentration: 0).ratio(counts.misses)
        #expect(abs(found.value - 0.1) < 1e-12)
        // Without differences between groups, 152 sampled requests still can't show a 1 of 100.
        #expect(abs(found.error - 3 / 152) < 1e-9)
    }

    @Test func `a miniature that is shrunk keeps the order of eviction`() {
        let cache = Miniature<LiveLRU>(entryLimit: 8, costLimit: nil)
        var misses = [UInt32](repeating: 0, count: MeterCounts.groupCount)
        func request(_ hashes: [UInt64]) -> UInt32 {
            let before = misses.reduce(0, +)
            cache.replay(
                hashes.map { MiniatureRequest(hash: $0, cost: 1, kind: .lookup) }, misses: &misses, at: 0)
            return misses.reduce(0, +) - before
        }
        #expect(request([1, 2, 3, 4, 5, 6, 7, 8, 1]) == 8)
        // Up to hash 6 there are 2 3 4 5 6 1, from the oldest on, and four fit.
        cache.shrink(entryLimit: 4, costLimit: nil, lastHash: 6)
        #expect(cache.count == 4)
        #expect(request([4, 5, 6, 1]) == 0)
        #expect(request([2, 3]) == 2)
    }

    @Test func `a fill is no use where the key is held, and fills where it is missing`() {
        let cache = Miniature<LiveFIFO>(entryLimit: 2, costLimit: nil)
        var misses = [UInt32](repeating: 0, count: MeterCounts.groupCount)
        let kinds: [(UInt64, MiniatureRequest.Kind)] = [(1, .miss), (1, .miss), (1, .fill), (1, .fill), (1, .lookup)]
        cache.replay(
            kinds.map { MiniatureRequest(hash: $0.0, cost: 1, kind: $0.1) }, misses: &misses, at: 0)
        #expect(misses.reduce(0, +) == 2 && cache.count == 1)
    }

    @Test func `probes tell how much of the traffic the popular keys have`() {
        var (even, uneven) = (MeterProbes(), MeterProbes())
        for index in 0..<UInt64(20_000) {
            even.add(index)
            // One key has half of the lookups.
            uneven.add(index % 2 == 0 ? .max : index)
        }
        #expect(even.concentration == 0)
        #expect(abs(uneven.concentration - 0.25) < 0.03)
        #expect(MeterProbes().concentration == 0)
    }
}
