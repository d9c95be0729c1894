import Measurement
import TrialModel

extension EndedPhase {
    /// The lateness that the harness itself caused in an open loop; `nil` in a closed loop.
    var lateness: LatencyHistogram? {
        clientMetrics.lazy.compactMap(\.lateness).reduce(nil) { sum, next in
            guard var sum else { return next }
            sum.add(next)
            return sum
        }
    }

    /// Why the generator of an open loop, and not the cache, limited the rate of operations; `nil` if it did not.
    func generatorTrouble(isWarmUp: Bool) -> String? {
        // With fewer operations a percentile says nothing.
        if let lateness, lateness.count >= 1000, let late = lateness.summary()?.p99, late > Phase.latenessLimit {
            return "one operation in a hundred was sent \(late / 1_000_000) ms late or more, though a client was "
                + "waiting for it: the machine was too busy"
        }
        guard let dropped = droppedOperations, dropped > 0, !isWarmUp else { return nil }
        // Before the clients fell behind, they waited for neither.
        let behind = clientMetrics.reduce(0.0) { $0 + Double($1.backlog.nanoseconds) }
        let cache = clientMetrics.reduce(0.0) { $0 + Double($1.backlog.cacheNanoseconds) }
        guard cache < behind / 2 else { return nil }
        return
            "\(dropped) operations were not sent in time, though clients that had fallen behind waited for the cache "
            + "only \(Int(cache / behind * 100)) % of the time: the rate is too high for the harness"
    }
}
