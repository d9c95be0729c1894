/// A row of `machines.csv`: the machine of a trial whose rows were merged with those of other machines.
package struct MachineRow: ResultRow {
    package static let file = "machines.csv"
    package static let keyColumnCount = 3

    package var trial = TrialIdentity()
    package var shard: UInt64 = 1
    package var machine = ""
    package var kind = ""

    package init() {}

    package static let columns: [Column<MachineRow>] =
        [
            Column("scenario", "The scenario's name, or the name of a replayed trace.", \.trial.scenario.name),
            Column("strategy", "The strategy's name, or the name of an eviction policy.", \.trial.strategy),
            .repetition("Which run of the same trial, from 1.", \.trial.repetition),
            Column("shard", "The part of the plan that contained the trial, from 1.", \.shard),
            Column("machine", "The name of the machine that the trial ran on.", \.machine),
            Column(
                "machine_kind", "Processor, cores, memory and system; times are comparable within one kind.", \.kind),
        ] + Column.swept(\.trial.scenario)
}
