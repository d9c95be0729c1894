import TrialModel

extension ScenarioRanking {
    /// What events that removed keys did to each strategy; `nil` where no phase has such events.
    package var invalidationTable: Table? {
        let rows = completed { $0.invalidation != nil }
        return rows.isEmpty
            ? nil
            : Table(
                title: "\(scenario), invalidation",
                caption:
                    "Stale answers: requested after an event had removed the key, with a value requested before it; the "
                    + "fewer, the better. Most: in any repetition. Back after: time until the hit ratio reached 90 % of the ratio before.",
                of: rows, Self.invalidationColumns)
    }

    private static var invalidationColumns: [TableColumn<Repetitions>] {
        [
            TableColumn("phase") { .text($0.results.first?.trial.key.phase) },
            TableColumn("strategy") { .text($0.strategy) },
            .median("events", \InvalidationRow.events),
            .median("an event takes", \InvalidationRow.eventNanoseconds),
            .median("in flight", \InvalidationRow.loadsInFlight, isSpare: true),
            .median("stale answers", \InvalidationRow.staleAnswers),
            // What happens in few repetitions has a median of 0.
            TableColumn("most", name: "stale_answers_max", .right) {
                .count($0.results.compactMap(\.invalidation?.staleAnswers).max())
            },
            .median("of keys", \InvalidationRow.staleKeys, isSpare: true),
            .median("hits before", \InvalidationRow.hitRatioBefore, isSpare: true),
            .median("hits after", \InvalidationRow.hitRatioAfter),
            .median("back after", \InvalidationRow.recoveryNanoseconds),
        ]
    }
}
