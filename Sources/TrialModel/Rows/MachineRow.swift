/// A row of `machines.csv`: the machine of a trial whose rows were merged with those of other machines.
package struct MachineRow: ResultRow {
    package var trial: TrialIdentity
    package var shard: UInt64
    package var machine: String
    package var kind: String

    package init(trial: TrialIdentity, shard: UInt64, machine: String, kind: String) {
        self.trial = trial
        self.shard = shard
        self.machine = machine
        self.kind = kind
    }

    package static let blank = MachineRow(trial: .blank, shard: 1, machine: "", kind: "")

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
