#if Metrics
    import Metrics

    extension MeterReport {
        /// Sets gauges of swift-metrics, which an app's backend exports: `cache_meter_hit_ratio` and
        /// `cache_meter_hit_ratio_error` for each policy and size since the start, `cache_meter_keys` and
        /// `cache_meter_seen_share`. Call it as often as the backend is asked.
        public func recordMetrics() {
            Gauge(label: "cache_meter_keys").record(keys)
            Gauge(label: "cache_meter_seen_share").record(seenShare)
            for point in sinceStart?.points ?? [] {
                let dimensions = [("policy", point.policy), ("capacity", "\(point.capacity.units)")]
                Gauge(label: "cache_meter_hit_ratio", dimensions: dimensions).record(point.hitRatio.value)
                Gauge(label: "cache_meter_hit_ratio_error", dimensions: dimensions).record(point.hitRatio.error)
            }
        }
    }
#endif
