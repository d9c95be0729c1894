extension Metric {
    /// What comparisons have rows of in phases that measure prefetching.
    package static let ofPrefetching: [Metric] = [
        // The share of prefetched values that a lookup found or waited for.
        Metric("prefetch_useful", higherIsBetter: true, .time, .share, amount: 0.01) { result, _ in
            result.prefetch?.usefulShare
        }
    ]
}
