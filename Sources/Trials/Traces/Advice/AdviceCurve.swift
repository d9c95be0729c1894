package import EvictionPolicies
import Foundation
import TrialModel

/// A size of a cache, and the sizes that the trace can't tell from it.
package struct AdviceSize: Sendable, Hashable {
    package var capacity: PolicyCapacity
    /// The ends of the interval: 95 % of resampled traces choose a size within it.
    package var low: PolicyCapacity
    package var high: PolicyCapacity
    /// Whether a larger cache may be worth it than the trace can judge; ``high`` is then the next size after those.
    package var isOpenAbove: Bool
    /// Whether the request gave the size.
    package var isGiven: Bool

    /// A size that was given.
    init(_ given: PolicyCapacity) {
        (capacity, low, high, isOpenAbove, isGiven) = (given, given, given, false, true)
    }

    init(_ capacity: PolicyCapacity, from low: PolicyCapacity, to high: PolicyCapacity, isOpenAbove: Bool) {
        (self.capacity, self.low, self.high, self.isOpenAbove, isGiven) = (capacity, low, high, isOpenAbove, false)
    }
}

/// The result of one policy and of LRU at one size.
package struct AdvicePoint: Sendable, Hashable {
    package var capacity: PolicyCapacity
    /// The hit ratios, from 0 to 1.
    package var hitRatio: AdviceEstimate
    package var lruHitRatio: AdviceEstimate
}

/// The choice of a size: what is saved, less what memory has to earn.
struct AdviceSizing: Sendable {
    let replay: AdviceReplay
    let request: AdviceRequest

    static let sizeCount = 20
    /// What twice the memory has to gain, where its worth is not given.
    private static let gainPerDoubling = 0.01
    private static let resampleCount = 200
    /// The first slices warm the caches of all sizes.
    static let slices = AdviceTrace.sliceCount / 2..<AdviceTrace.sliceCount

    /// Whether sizes are in bytes.
    var inBytes: Bool { request.budget?.isBytes ?? request.worth?.isBytes ?? replay.trace.sizesDiffer }

    /// The size that is given; `nil` if it is to be chosen.
    ///
    /// - Throws: ``AdviceError`` for a size that a meter did not try.
    func given() throws -> PolicyCapacity? {
        guard let wanted, let recorded = replay.recorded else { return wanted }
        let tried = recorded.filter { $0.policy == .lru }.map(\.capacity)
        let nearest = tried.filter { $0.isWeight == wanted.isWeight }.min {
            abs($0.units - wanted.units) < abs($1.units - wanted.units)
        }
        guard let nearest, abs(nearest.units / wanted.units - 1) <= Self.sizeTolerance else {
            throw AdviceError(
                description: "The meter did not try this size; it tried "
                    + tried.map { "\(Int($0.units))" }.joined(separator: ", ")
                    + " \(tried.first?.isWeight == true ? "bytes" : "entries"). Name one of them, or leave the size out."
            )
        }
        return nearest
    }

    /// A given size is that of a meter if they differ by this share at most.
    private static let sizeTolerance = 0.01

    private var wanted: PolicyCapacity? {
        switch request.budget {
        case .entries(let entries): .entries(entries)
        case .bytes(let bytes): .weight(bytes)
        case .share(let share): PolicyCapacity(units: replay.total(inBytes: false) * share, inBytes: false)
        case nil: nil
        }
    }

    /// Sizes up to all keys, each larger than the last by the same factor.
    var capacities: [PolicyCapacity] {
        if let recorded = replay.recorded {
            let sizes = recorded.filter { $0.policy == .lru }.map(\.capacity)
            return sizes.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
        }
        let all = replay.total(inBytes: inBytes)
        let least = Double(SpatialSample.entriesMin) * all / max(1, replay.total(inBytes: false))
        let smallest = max(all / 1_000, replay.trace.isSample ? least / replay.trace.rate : least / 64)
        guard smallest < all else { return [PolicyCapacity(units: all, inBytes: inBytes)] }
        let sizes = (0..<Self.sizeCount).map { step in
            let share = Double(step) / Double(Self.sizeCount - 1)
            return PolicyCapacity(units: smallest * pow(all / smallest, share), inBytes: inBytes)
        }
        return sizes.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    /// What a cache is worth: in nanoseconds for each request, or as a share of the requests.
    private func value(_ ratio: Double, _ capacity: PolicyCapacity) -> Double {
        guard let worth = request.worth else { return ratio - Self.gainPerDoubling * log2(max(1, capacity.units)) }
        return replay.meanCost * ratio - worth.perUnit * capacity.units
    }

    /// The best size of a curve, and how far resampled traces move it. O(resamples · sizes · cells).
    ///
    /// Sizes that the trace does not fill in its first half, or not turn over in its second, are not advised.
    ///
    /// - Parameter runs: at least one, from the smallest size to the largest.
    func size(_ runs: [AdviceReplay.Run]) -> AdviceSize {
        let judged = Array(
            runs.prefix {
                replay.warmSlice($0.capacity) <= Self.slices.lowerBound && replay.isTurnedOver($0, in: Self.slices)
            })
        let usable = judged.isEmpty ? Array(runs.prefix(1)) : judged
        let chosen = best(usable.map { replay.ratio($0, .cost, in: Self.slices).value }, usable)
        var random = RandomSource(seed: request.seed, stream: 0xAD)
        var drawn = (0..<Self.resampleCount).map { _ in
            let (cells, requested) = replay.drawnCells(Self.slices, &random)
            let ratios = usable.map { run in
                requested > 0 ? 1 - zip(run.costs, cells).reduce(0) { $0 + $1.0 * $1.1 } / requested : 0
            }
            return best(ratios, usable)
        }
        drawn.sort()
        // A step further on either side, because the best size of all lies between those that were tried.
        let low = max(0, min(chosen, drawn[Self.resampleCount / 40]) - 1)
        let high = max(chosen, drawn[Self.resampleCount - 1 - Self.resampleCount / 40]) + 1
        return AdviceSize(
            usable[chosen].capacity, from: usable[low].capacity, to: runs[min(high, runs.count - 1)].capacity,
            isOpenAbove: high >= usable.count && (usable.count < runs.count || !holdsAll(runs)))
    }

    /// Whether the largest size holds all keys; those of a meter may end before.
    private func holdsAll(_ runs: [AdviceReplay.Run]) -> Bool {
        replay.recorded == nil || (runs.last?.capacity.units ?? 0) >= replay.total(inBytes: inBytes)
    }

    private func best(_ ratios: [Double], _ runs: [AdviceReplay.Run]) -> Int {
        let values = zip(ratios, runs).map { value($0, $1.capacity) }
        return values.indices.max { values[$0] < values[$1] } ?? 0
    }
}
