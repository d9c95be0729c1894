package import TrialModel

extension ConsistencyRow: ResultRow {
    /// A row with nothing in it, to be filled from cells.
    package static var blank: ConsistencyRow {
        ConsistencyRow(
            trial: TrialIdentity(scenario: "", strategy: "", repetition: 1), promise: .ownValues, verdict: .unknown)
    }

    /// The columns of `consistency.csv`.
    package static var columns: [Column<ConsistencyRow>] {
        [
            Column("scenario", "The scenario's name.", \.trial.scenario),
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
                "violations",
                "How many of them did; for `admission`, the entries that were refused, promised or not.", \.violations),
            Column(
                "example", "The smallest example of a violation, or what the verdict rests on; may be empty.",
                \.example),
        ]
    }
}
