import Measurement
import Origins
import TrialModel

/// The rows of one pool.
struct PoolRows {
    var latency: [LatencyRow]
    var hitRate: HitRateRow
    /// Empty where distributions are not kept.
    var distributions: [EncodedDistribution]
}

extension PhaseSummary {
    /// The rows of each pool that the phase requests, in the order of the pools. They add up to those of all keys.
    ///
    /// Evictions, expirations, the optimum and operations that were not sent belong to no pool.
    func pools() -> [PoolRows] {
        phase.pools.map(\.pool).compactMap { index in
            guard scenario.pools.indices.contains(index) else { return nil }
            func metrics(_ part: (ClientMetrics) -> [PoolMetrics]) -> [PoolMetrics] {
                outcome.clientMetrics.map(part).filter { $0.indices.contains(index) }.map { $0[index] }
            }
            let timed = metrics(\.pools)
            return timed.isEmpty ? nil : rows(ofPool: index, timed, metrics(\.leadInPools))
        }
    }

    private func rows(ofPool index: Int, _ clientMetrics: [PoolMetrics], _ leadIns: [PoolMetrics]) -> PoolRows {
        let pool = Selection.only(scenario.pools[index].name)
        let services = merged(clientMetrics.map(\.recorder))
        var counts = ClientRecorder(measured: false)
        for metrics in clientMetrics + leadIns { counts.count(metrics.recorder) }
        var rows = PoolRows(
            latency: latencyRows(services, pool: pool, basis: .service),
            hitRate: HitRateRow(key: key, pool: pool, capacity: scenario.capacity, counts),
            distributions: startSeconds == nil ? [] : services.encodedDistributions(pool: pool))
        rows.hitRate.bytesLookedUp = (clientMetrics + leadIns).reduce(0) { $0 &+ $1.bytesLookedUp }
        rows.hitRate.bytesHit = (clientMetrics + leadIns).reduce(0) { $0 &+ $1.bytesHit }
        if let requests = originLog.pools, requests.indices.contains(index) {
            rows.hitRate.originLoads = requests[index].requests
            rows.hitRate.duplicateLoads = requests[index].duplicates
        }
        guard phase.arrival.isOpen else { return rows }
        let responses = merged(clientMetrics.map(\.responseRecorder))
        rows.latency += latencyRows(responses, pool: pool, basis: .response)
        if startSeconds != nil {
            rows.distributions += responses.encodedDistributions(pool: pool, basis: .response)
        }
        return rows
    }

    private func latencyRows(_ recorder: ClientRecorder, pool: Selection<String>, basis: LatencyBasis) -> [LatencyRow] {
        recorder.latencyRows(
            key: key, pool: pool, basis: basis, elapsedNanoseconds: outcome.measuredNanoseconds)
    }

    private func merged(_ recorders: [ClientRecorder]) -> ClientRecorder {
        var all = ClientRecorder(measured: !phase.warmUp)
        for recorder in recorders { all.merge(recorder) }
        return all
    }
}

extension HitRateRow {
    /// Makes a row of a recorder's counts; bytes and figures from other sources are left out.
    init(key: RowKey, pool: Selection<String> = .all, capacity: Capacity, _ recorder: ClientRecorder) {
        func count(_ outcome: Outcome) -> UInt64 {
            [OperationKind.read, .load, .burst].reduce(0) { $0 + recorder.count($1, outcome) }
        }
        let hits = count(.hit)
        let others = count(.miss) + count(.joined) + count(.failed) + count(.cancelled)
        self.init(
            key: key, pool: pool, capacity: capacity, lookups: hits + others, hits: hits, misses: others)
        (writes, removals) = (recorder.count(.write, .done), recorder.count(.remove, .done))
        (joinedLoads, failedLoads) = (count(.joined), count(.failed))
    }
}
