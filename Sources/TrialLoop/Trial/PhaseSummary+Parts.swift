import Measurement
import TrialModel

// What stands beside the rows of all operations: hits by place, and loads by stage.

extension PhaseSummary {
    /// What all clients booked for each place in which hits were found, in the order of the places.
    private var tiers: [(tier: Tier, part: TierMetrics.Part)] {
        var all = TierMetrics(measured: !phase.warmUp)
        for metrics in outcome.clientMetrics.compactMap(\.tiers) { all.merge(metrics) }
        return Tier.allCases.compactMap { tier in all.parts[tier].map { (tier, $0) } }
    }

    /// Adds the rows of each place. Hits of all places add up to those of all keys; lookups are those of the phase.
    func addTiers(to result: inout PhaseResult) {
        guard let all = result.hitRate else { return }
        for (tier, part) in tiers {
            var row = all
            row.tier = .only(tier)
            row.hits = [OperationKind.read, .load, .burst].reduce(0) { $0 + part.recorder.count($1, .hit) }
            row.misses = all.lookups - min(row.hits, all.lookups)
            row.bytesHit = part.bytes
            row.optimalHitRatio = nil
            (row.evictions, row.expirations, row.originLoads, row.duplicateLoads) = (nil, nil, nil, nil)
            (row.droppedOperations, row.duplicateReads) = (nil, nil)
            result.tierHitRates.append(row)
            result.latency += part.recorder.latencyRows(
                key: key, tier: tier, elapsedNanoseconds: outcome.measuredNanoseconds)
        }
    }

    /// The distribution behind each row of hits of one place.
    var tierDistributions: [EncodedDistribution] {
        tiers.flatMap { $0.part.recorder.encodedDistributions(tier: $0.tier) }
    }

    /// Adds where the time of loads went.
    func addStages(to result: inout PhaseResult) {
        var all = StageMetrics()
        for metrics in outcome.clientMetrics.compactMap(\.stages) { all.merge(metrics) }
        result.stages = all.rows(key: key)
    }
}
