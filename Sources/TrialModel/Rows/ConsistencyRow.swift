/// Whether a strategy kept a promise.
package enum ConsistencyVerdict: String, Codable, Hashable, Sendable, CaseIterable, CellValue {
    /// Nothing was seen that the promise forbids.
    case consistent
    /// Something was.
    case inconsistent
    /// It can't be told from what was recorded.
    case unknown
}

/// What a strategy may promise, and what is checked of it. The raw values stand in `consistency.csv`.
package enum Promise: String, Codable, Hashable, Sendable, CaseIterable, CellValue {
    /// A value belongs to the key that was asked for, was written or fetched for it, and is whole.
    case ownValues = "own-values"
    /// A read sees the newest value: some order of the operations, each between its call and its answer, explains all.
    case freshness
    /// A load does not bring back what was fetched before a newer write or a removal.
    case newerWritesWin = "newer-writes-win"
    /// A load gives its caller nothing that is older than the caller's own last change.
    case ownPast = "own-past"
    /// What was missing or removed is not found again.
    case noResurrection = "no-resurrection"
    /// A caller that changes the value it got changes nobody else's.
    case isolatedValues = "isolated-values"
    /// Lookups, hits, misses, loads and failures add up, and the strategy's own figures agree.
    case counts
    /// The limits hold.
    case limits
    /// A full cache takes new entries.
    case admission
    /// What fits stays until somebody removes it or its lifetime is over.
    case retention
    /// Costs of any size are counted right: none, the limit itself, more than fits a number.
    case costs
    /// Callers that miss together share one fetch: the origin never sees two for one key at once.
    case singleFlight = "single-flight"
    /// Every caller gets an answer.
    case noLostCaller = "no-lost-caller"
    /// A load that has ended leaves nothing behind.
    case noLeakedLoad = "no-leaked-load"
    /// What has gone from the cache, or with it, takes no memory any more.
    case noLeaks = "no-leaks"
    /// An error reaches those who waited for it, and nobody later.
    case errors
    /// Who is cancelled disturbs nobody else.
    case cancellation
    /// An entry lives as long as it should, by the clock it was given.
    case lifetimes
    /// What the strategy keeps in files is found again.
    case durability
}

/// A row of `consistency.csv`: what was found out about one promise of a strategy.
package struct ConsistencyRow: ResultRow {
    package var trial: TrialIdentity
    package var promise: Promise
    package var verdict: ConsistencyVerdict
    package var operationsChecked: UInt64
    package var violations: UInt64
    /// One line.
    package var example: String

    package init(
        trial: TrialIdentity, promise: Promise, verdict: ConsistencyVerdict, operationsChecked: UInt64 = 0,
        violations: UInt64 = 0, example: String = ""
    ) {
        self.trial = trial
        self.promise = promise
        self.verdict = verdict
        self.operationsChecked = operationsChecked
        self.violations = violations
        self.example = example
    }

    package static let blank = ConsistencyRow(trial: .blank, promise: .ownValues, verdict: .unknown)

    package static let columns: [Column<ConsistencyRow>] =
        [
            Column("scenario", "The scenario's name.", \.trial.scenario.name),
            Column("strategy", "The strategy's name.", \.trial.strategy),
            Column("repetition", "Which repetition of the trial, from 1.", \.trial.repetition),
            Column("promise", "What was promised: one of the words in `Results/README.md`.", \.promise),
            Column(
                "verdict", "`consistent`, `inconsistent`, or `unknown` where it can't be told; `example` says why.",
                \.verdict),
            Column(
                "operations_checked",
                "Operations, requests or facts that could have shown the promise broken; for `admission`, new entries "
                    + "offered to a full cache.", \.operationsChecked),
            Column(
                "violations", "How many of them did; for `admission`, the entries that were refused, promised or not.",
                \.violations),
            Column(
                "example", "The smallest example of a violation, or what the verdict rests on; may be empty.", \.example
            ),
        ] + Column.swept(\.trial.scenario)
}
