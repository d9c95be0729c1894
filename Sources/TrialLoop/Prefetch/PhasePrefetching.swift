import Origins
import TimedStrategies
import TrialModel

/// The prefetches of a phase's clients, and the log of their fetches.
struct PhasePrefetching: Sendable {
    let settings: Prefetching
    let calls: PrefetchCalls
    /// Whether the strategy implements prefetching itself.
    let isOwn: Bool
    /// `nil` under race detection, where only the strategy may create happens-before edges between callers.
    let log: PrefetchLog?

    /// How long cancelled fetches may take to end.
    private static let patience = Duration.seconds(2)

    init(_ settings: Prefetching, of strategy: OpenStrategy, from origin: any PayloadSource, isBare: Bool) {
        self.settings = settings
        isOwn = strategy.ownPrefetch != nil
        log = isBare ? nil : PrefetchLog()
        calls = strategy.prefetching(from: log.map { PrefetchSource(source: origin, log: $0) } ?? origin)
    }

    /// The phase has ended: cancels the prefetches that the clients named last, and waits until no fetch is in flight.
    func finish(_ clientMetrics: inout [ClientMetrics]) async {
        for index in clientMetrics.indices { clientMetrics[index].cancelPrefetches(by: calls) }
        await calls.end()
        let limit = ContinuousClock.now + Self.patience
        // A cache that doesn't cancel begins its next fetch when one has ended: a while without a fetch means that it
        // is done.
        var quietLooks = 0
        while quietLooks < 3, ContinuousClock.now < limit {
            quietLooks = log?.isAnyInFlight == true ? 0 : quietLooks + 1
            try? await Task.sleep(for: .milliseconds(2))
        }
    }
}
