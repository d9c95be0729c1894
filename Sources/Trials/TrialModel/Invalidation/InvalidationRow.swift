/// A row of `invalidation.csv`: how a cache behaved when events removed a share of its keys while clients used it.
package struct InvalidationRow: MeasurementRow {
    package static let file = "invalidation.csv"
    package static var place: Place { \.invalidation.list }
    package static func isExpected(of scenario: Scenario?) -> Bool {
        scenario?.phases.contains { $0.invalidation != nil } ?? false
    }

    package var key = RowKey()
    package var events: UInt64 = 0
    package var keysRemoved: UInt64 = 0
    package var eventNanoseconds: UInt64?
    package var hitRatioBefore: Double?
    package var hitRatioAfter: Double?
    package var recoveryNanoseconds: UInt64?
    package var eventsRecovered: UInt64 = 0
    package var loadsInFlight: UInt64?
    // `nil` when there were too many events to record.
    package var staleAnswers: UInt64?
    package var staleKeys: UInt64?

    package init() {}

    package static let columns: [Column<InvalidationRow>] =
        keyColumns + [
            Column("events", "Events in the phase.", \.events),
            Column("keys_removed", "Keys removed by all events; 0 where events clear the cache.", \.keysRemoved),
            Column(
                "event_ns", unit: "ns",
                "How long an event took, from its first removal to the end of its last; the median.",
                \.eventNanoseconds),
            .ratio(
                "hit_ratio_before", "The hit ratio of the last 256 lookups before an event; the median of the events.",
                \.hitRatioBefore),
            .ratio(
                "hit_ratio_after", "The hit ratio of the first 256 lookups after an event; the median of the events.",
                \.hitRatioAfter),
            Column(
                "recovery_ns", unit: "ns",
                "The time from the end of an event until the hit ratio of 256 lookups was back at 90 %; the median of the events, "
                    + "empty where it never was after most of them.",
                \.recoveryNanoseconds),
            Column("events_recovered", "Events after which it was back before the next one.", \.eventsRecovered),
            Column("loads_in_flight", "Loads of removed keys that were in flight at an event.", \.loadsInFlight),
            Column(
                "stale_answers",
                "Answers requested after an event, with a value of a removed key that was requested before the event.",
                \.staleAnswers),
            Column("stale_keys", "How many removed keys had such answers, counted for each event.", \.staleKeys),
        ] + sweptColumns
}

extension Metric {
    /// What comparisons have rows of in phases with invalidation.
    package static let ofInvalidation: [Metric] = [
        // For each lookup, because a faster strategy repeats a stale answer more often.
        Metric(
            "stale_answers", title: "stale answers per million lookups", "Old values that came back after an event",
            unit: "1/million lookups", .code, .decimal(places: 1), share: 0.1, amount: 0.1
        ) { result, _ in
            guard let stale = result.invalidation?.staleAnswers, let lookups = result.hitRate?.lookups, lookups > 0
            else { return nil }
            return Double(stale) * 1e6 / Double(lookups)
        },
        Metric(
            "recovery", "The time until the hit ratio is back after an event",
            of: \InvalidationRow.recoveryNanoseconds, .time, share: 0.1, amount: 1_000_000),
    ]
}
