import Measurement
import TrialModel

// Rows in addition to those of all operations: hits by tier, and loads by stage.

extension PhaseSummary {
    /// The metrics of all clients for each tier in which hits were found, in the order of the tiers.
    private var tiers: [(tier: Tier, part: TierMetrics.Part)] {
        var all = TierMetrics(measured: !phase.warmUp)
        for metrics in outcome.clientMetrics.compactMap(\.tiers) { all.merge(metrics) }
        return Tier.allCases.compactMap { tier in all.parts[tier].map { (tier, $0) } }
    }

    /// Adds the rows of each tier. Hits of all tiers add up to those of all keys; lookups are those of the phase.
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
            result.hitRates.append(row)
            result.latency += part.recorder.latencyRows(
                key: key, tier: tier, elapsedNanoseconds: outcome.measuredNanoseconds)
        }
    }

    /// The distribution behind each row of one tier's hits.
    var tierDistributions: [EncodedDistribution] {
        tiers.flatMap { $0.part.recorder.encodedDistributions(tier: $0.tier) }
    }

    /// Adds the rows of loads by stage.
    func addStages(to result: inout PhaseResult) {
        var all = StageMetrics()
        for metrics in outcome.clientMetrics.compactMap(\.stages) { all.merge(metrics) }
        result.stages = all.rows(key: key)
    }
}
