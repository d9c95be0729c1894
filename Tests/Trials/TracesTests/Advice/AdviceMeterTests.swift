import CacheStrategies
import EvictionPolicies
import Foundation
import Testing
import TrialModel

@testable import Traces

/// Advice from the report of a meter.
@Suite(.timeLimit(.minutes(5)))
struct AdviceMeterTests {
    /// What a meter reports of these keys.
    private func report(_ keys: [Int], capacity: MeterCapacity) -> MeterReport {
        let meter = CacheMeter<Int>(capacity: capacity, costShare: 1)
        for (index, key) in keys.enumerated() {
            meter.noteLookup(key, cost: 100)
            if index % 100 == 99 { meter.digest() }
        }
        return meter.report()
    }

    /// Keys of a skewed popularity, the same every time.
    private var skewed: [Int] {
        var random = RandomSource(seed: 3)
        return (0..<20_000).map { _ in
            let fraction = random.nextFraction()
            return Int(fraction * fraction * fraction * 2_000)
        }
    }

    private func request(_ change: (inout AdviceRequest) -> Void) -> AdviceRequest {
        var request = AdviceRequest()
        change(&request)
        return request
    }

    @Test func `a meter and the trace of the same requests give the same hit ratio at a size`() throws {
        let folder = try TraceFolder()
        let path = try folder.write(skewed.map { "\($0)\n" }.joined(), to: "a.lirs")
        let request = request { $0.budget = .entries(300) }
        let expected = try TraceAdvice(path: path, request: request)
        let found = try TraceAdvice(report(skewed, capacity: .entries(300)), request: request)
        #expect(found.refusal == nil)
        #expect(found.candidates.map(\.policy.name) == ["fifo", "lru", "s3-fifo", "arc", "lirs"])
        for candidate in found.candidates {
            let exact = try #require(expected.candidates.first { $0.policy == candidate.policy })
            // The slices differ a little, since a meter's periods are not all of one length.
            #expect(abs(candidate.hitRatio.value - exact.hitRatio.value) < 0.01, "\(candidate.policy.name)")
        }
        #expect(found.curve.count == 8)
        #expect(found.character.patterns == nil && found.distanceToOptimum == nil)
        #expect("\(found.method)" == "a meter of the cache, over 100.0 % of the keys")
    }

    @Test func `without a budget a size among those that were tried is advised`() throws {
        // A loop over 150 keys: LRU hits nothing below that size, and everything from it on.
        let loop = (0..<20_000).map { $0 % 150 }
        let found = try TraceAdvice(report(loop, capacity: .entries(100)), request: AdviceRequest())
        let size = try #require(found.size.capacity.entries)
        #expect(size == 167)
        #expect(found.hitRatio.value == 1)
    }

    @Test func `the largest size that was tried is advised as at least that much`() throws {
        // Keys of even popularity: every entry more hits as often as the last.
        var random = RandomSource(seed: 5)
        let even = (0..<20_000).map { _ in Int(clamping: random.next(below: 1_000)) }
        let found = try TraceAdvice(report(even, capacity: .entries(100)), request: AdviceRequest())
        #expect(found.size.capacity == .entries(278) && found.size.isOpenAbove)
    }

    @Test func `a size that was not tried is refused with those that were`() throws {
        let report = report(skewed, capacity: .entries(300))
        let error = #expect(throws: AdviceError.self) {
            try TraceAdvice(report, request: request { $0.budget = .entries(400) })
        }
        #expect(
            error?.description
                == "The meter did not try this size; it tried 23, 39, 65, 108, 180, 300, 500, 833 entries. "
                + "Name one of them, or leave the size out.")
        #expect(throws: AdviceError.self) {
            try TraceAdvice(report, request: request { $0.budget = .bytes(300) })
        }
    }

    @Test func `a meter that has hardly run gives no advice`() {
        let error = #expect(throws: AdviceError.self) {
            try TraceAdvice(report(Array(0..<500), capacity: .entries(100)), request: AdviceRequest())
        }
        #expect(
            error?.description.hasPrefix(
                "The meter has not run for long enough: of the periods of its counts, 1 begin in")
                == true)
    }

    @Test(arguments: [[2], [2, 4], [8], [1, 1, 6]])
    func `periods of any lengths give the same advice, and a warm-up that is true`(lengths: [Int]) throws {
        let exact = report(skewed, capacity: .entries(300))
        var merged = exact
        merged.periods = []
        for (index, period) in exact.periods.enumerated() {
            let place = index % lengths.reduce(0, +)
            let isFirst = place == 0 || lengths.indices.contains { place == lengths[...$0].reduce(0, +) }
            guard !isFirst, var last = merged.periods.popLast() else {
                merged.periods.append(period)
                continue
            }
            (last.lookups, last.keys) = (last.lookups + period.lookups, period.keys)
            last.misses = zip(last.misses, period.misses).map { zip($0, $1).map(+) }
            merged.periods.append(last)
        }
        let request = request { $0.budget = .entries(300) }
        guard merged.periods.count >= 8 else {
            #expect(throws: AdviceError.self) { try TraceAdvice(merged, request: request) }
            return
        }
        let (found, expected) = try (TraceAdvice(merged, request: request), TraceAdvice(exact, request: request))
        #expect(found.policy == expected.policy && found.refusal == nil)
        #expect(abs(found.hitRatio.value - expected.hitRatio.value) < 0.01)
        var seen: Set<Int> = []
        let full = try #require(skewed.firstIndex { seen.insert($0).inserted && seen.count == 300 })
        #expect(found.exercise.warmUp >= Double(full) / Double(skewed.count))
        #expect(found.exercise.warmUp < 0.3)
    }

    @Test func `a refusal of a meter says what to do with a meter`() throws {
        let report = report((0..<4_000).map { $0 % 2 == 0 ? $0 : $0 % 40 }, capacity: .entries(5_000))
        let refusal = try TraceAdvice(report, request: request { $0.budget = .entries(5_000) }).refusal
        #expect(refusal?.reason == .tooShort)
        let text = try #require(refusal?.description)
        #expect(text.hasPrefix("The meter has not run for long enough: all of its keys fill "))
        #expect(text.contains(" Let it run at least "))
        #expect(text.hasSuffix(" as long, and write its report again."))
    }

    @Test func `a worth of another unit than the capacity is refused with what to give`() throws {
        for (capacity, worth, unit) in [
            (MeterCapacity.entries(300), AdviceWorth.perMebibyte(1), "1000 entries, such as 0.1ms/1000 entries."),
            (.bytes(30_000), .perThousandEntries(1), "MiB, such as 1ms/MiB."),
        ] {
            let error = #expect(throws: AdviceError.self) {
                try TraceAdvice(report(skewed, capacity: capacity), request: request { $0.worth = worth })
            }
            #expect(error?.description.hasSuffix("the worth of memory is not; give a time for each \(unit)") == true)
        }
    }

    @Test func `a meter of hardly any sampled request gives no advice`() {
        let error = #expect(throws: AdviceError.self) {
            try TraceAdvice(report(Array(0..<2_400), capacity: .entries(1_000_000)), request: AdviceRequest())
        }
        #expect(error?.description.hasPrefix("The meter has seen too few requests of sampled keys") == true)
    }

    @Test func `sizes in bytes are advised in bytes`() throws {
        let found = try TraceAdvice(
            report(skewed, capacity: .bytes(30_000)), request: request { $0.budget = .bytes(30_000) })
        #expect(found.size.capacity.weightBytes == 30_000)
        #expect(found.candidates.count == 5)
    }
}
