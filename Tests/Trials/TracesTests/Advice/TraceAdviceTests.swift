import EvictionPolicies
import Foundation
import Testing
import TrialModel

@testable import Traces

/// Advice on small traces whose answer is known.
@Suite(.timeLimit(.minutes(5)))
struct TraceAdviceTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    /// Keys of a Zipf law.
    static func zipf(_ exponent: Double, keys: Int, count: Int, seed: UInt64 = 1) -> [Int] {
        var random = RandomSource(seed: seed, stream: 0)
        let weights = (1...keys).map { pow(Double($0), -exponent) }
        let sums = weights.reduce(into: [0.0]) { $0.append(($0.last ?? 0) + $1) }
        return (0..<count).map { _ in
            let point = random.nextFraction() * (sums.last ?? 0)
            var (low, high) = (0, keys - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle + 1] > point { high = middle } else { low = middle + 1 }
            }
            return low
        }
    }

    func advice(_ keys: [Int], _ change: (inout AdviceRequest) -> Void = { _ in }) throws -> TraceAdvice {
        let path = try folder.write(keys.map { "\($0)\n" }.joined(), to: "\(UUID().uuidString).lirs")
        return try advice(path: path, change)
    }

    func advice(path: String, _ change: (inout AdviceRequest) -> Void = { _ in }) throws -> TraceAdvice {
        var request = AdviceRequest()
        request.wantsCurve = false
        change(&request)
        return try TraceAdvice(path: path, request: request)
    }

    // MARK: The policy

    @Test func `a loop larger than the cache is not for LRU`() throws {
        let advice = try advice((0..<10_000).map { $0 % 1_000 }) { $0.budget = .entries(500) }
        #expect(advice.refusal == nil)
        #expect(advice.policy != .lru && advice.policy != .fifo)
        #expect(advice.gainOverLRU.value > 0.3)
        #expect(advice.candidates.first { $0.policy == .lru }?.hitRatio.value == 0)
    }

    @Test func `where nothing is evicted, the simplest policy is advised`() throws {
        let advice = try advice(Self.zipf(1, keys: 100, count: 20_000)) { $0.budget = .entries(100) }
        #expect(advice.policy == .fifo)
        #expect(advice.hitRatio.value == 1)
        #expect(advice.distanceToOptimum?.value == 0)
    }

    @Test func `a stable Zipf law is for a policy that counts, close to the best and below the optimum`() throws {
        let advice = try advice(Self.zipf(0.9, keys: 1_000, count: 20_000)) { $0.budget = .share(0.05) }
        #expect(advice.refusal == nil)
        #expect(![.fifo, .lru, .clock].contains(advice.policy))
        #expect(advice.gainOverLRU.value > 2 * advice.gainOverLRU.error)
        #expect(try #require(advice.distanceToOptimum).value > 0)
        let best = advice.candidates.map(\.hitRatio.value).max() ?? 1
        #expect(advice.hitRatio.value >= best - AdviceChoice.toleranceMax)
    }

    @Test func `a policy that is better by luck in one slice is not better`() throws {
        let path = try folder.write(Self.zipf(1, keys: 50, count: 3_200).map { "\($0)\n" }.joined(), to: "a.lirs")
        let trace = try AdviceTrace(path: path, options: TraceReadingOptions(), request: .init(), needsSizes: false)
        let replay = AdviceReplay(trace, missCost: nil, jobs: 1)
        var run = replay.runs([(.fifo, .entries(10))])[0]
        let fifo = run
        (run.policy, run.misses[200], run.costs[200]) = (.lru, run.misses[200] - 6, run.costs[200] - 6)
        let choice = AdviceChoice(replay, [fifo, run], smoothed: [fifo, run])
        #expect(choice.behind[0].value > AdviceChoice.toleranceMin && choice.policy == .fifo)
        // As much in every slice is no luck.
        for cell in run.costs.indices where run.costs[cell] > 0 { run.costs[cell] -= 1 }
        #expect(AdviceChoice(replay, [fifo, run], smoothed: [fifo, run]).policy == .lru)
    }

    // MARK: The curve and the size

    @Test func `LRU's curve by stack distances is that of replays`() throws {
        let keys = Self.zipf(0.8, keys: 500, count: 10_000)
        let path = try folder.write(keys.map { "\($0)\n" }.joined(), to: "b.lirs")
        let trace = try AdviceTrace(path: path, options: TraceReadingOptions(), request: .init(), needsSizes: false)
        let replay = AdviceReplay(trace, missCost: nil, jobs: 2)
        let sizes = [1, 7, 60, 200, 499].map { PolicyCapacity.entries($0) }
        let curve = replay.lruRuns(sizes)
        #expect(curve.map(\.misses) == replay.runs(sizes.map { (.lru, $0) }).map(\.misses))
    }

    @Test func `the size for a loop is the loop`() throws {
        let keys = Self.zipf(1, keys: 20_000, count: 10_000, seed: 2).enumerated().map { index, key in
            index % 10 == 0 ? 1_000_000 + key : index % 300
        }
        let advice = try advice(keys)
        #expect(advice.size.low.units <= 300 && 300 <= advice.size.high.units, "\(advice.size)")
        #expect((15...AdviceSizing.sizeCount).contains(advice.curve.count))
        #expect(zip(advice.curve, advice.curve.dropFirst()).allSatisfy { $0.capacity.units < $1.capacity.units })
    }

    @Test func `over scans, the size is that of the popular keys, and not that of LRU`() throws {
        // Three requests in five are for 300 popular keys, the others scan keys that never come again.
        let popular = Self.zipf(0.6, keys: 300, count: 60_000)
        let keys = popular.enumerated().map { index, key in
            index % 5 < 3 ? key : 1_000 + index
        }
        let advice = try advice(keys)
        #expect(advice.refusal == nil, "\(advice.refusal as Any)")
        #expect(advice.size.capacity.units < 700 && advice.gainOverLRU.value > 0.05, "\(advice.size)")
    }

    @Test func `dear memory makes a small cache, cheap memory a large one`() throws {
        let keys = Self.zipf(1, keys: 1_000, count: 10_000)
        let sizes = try [1e4, 1e6, 1e8].map { price in
            try advice(keys) {
                $0.worth = .perThousandEntries(price)
                $0.missCost = MissCost(nanosecondsPerMiss: 1e6, nanosecondsPerByte: 0)
            }.size.capacity.units
        }
        #expect(sizes[0] > 2 * sizes[1] && sizes[1] > 2 * sizes[2], "\(sizes)")
    }

    @Test func `a sample gives the hit ratio within its error`() throws {
        let keys = Self.zipf(0.7, keys: 10_000, count: 40_000)
        let exact = try advice(keys) { $0.budget = .entries(2_000) }
        let sampled = try advice(keys) {
            $0.budget = .entries(2_000)
            $0.replayedRequestsMax = 12_000
        }
        #expect(exact.method == .exactReplay)
        guard case .spatialSample(let rate) = sampled.method else {
            Issue.record("not a sample")
            return
        }
        #expect((0.1...0.5).contains(rate))
        let ratios = zip(exact.candidates, sampled.candidates).map { ($0.hitRatio.value, $1.hitRatio) }
        #expect(ratios.allSatisfy { abs($0 - $1.value) < 4 * $1.error + 0.01 }, "\(ratios)")
        let keysError = abs(exact.character.keys.value - sampled.character.keys.value)
        #expect(keysError < 4 * sampled.character.keys.error)
    }
}
