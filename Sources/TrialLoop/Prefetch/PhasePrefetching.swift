import Origins
import TimedStrategies
import TrialModel

/// What prefetches for the clients of a phase, and what was seen of it.
struct PhasePrefetching: Sendable {
    let settings: Prefetching
    let calls: PrefetchCalls
    /// Whether the strategy has a prefetch of its own.
    let isOwn: Bool
    /// `nil` where nothing but the strategy may put callers in an order.
    let log: PrefetchLog?

    /// How long fetches that were called off may take to end.
    private static let patience = Duration.seconds(2)

    init(_ settings: Prefetching, of strategy: OpenStrategy, from origin: any PayloadSource, isBare: Bool) {
        self.settings = settings
        isOwn = strategy.ownPrefetch != nil
        log = isBare ? nil : PrefetchLog()
        calls = strategy.prefetching(from: log.map { PrefetchSource(source: origin, log: $0) } ?? origin)
    }

    /// The phase has ended: calls off what the clients named last, and waits until no fetch is in flight.
    func finish(_ clientMetrics: inout [ClientMetrics]) async {
        for index in clientMetrics.indices { clientMetrics[index].cancelPrefetches(by: calls) }
        await calls.end()
        let limit = ContinuousClock.now + Self.patience
        // A cache that doesn't call off begins the next fetch when one has ended: none for a while is the end.
        var quietLooks = 0
        while quietLooks < 3, ContinuousClock.now < limit {
            quietLooks = log?.isAnyInFlight == true ? 0 : quietLooks + 1
            try? await Task.sleep(for: .milliseconds(2))
        }
    }
}
