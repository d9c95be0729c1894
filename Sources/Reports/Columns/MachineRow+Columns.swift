package import TrialModel

extension MachineRow: ResultRow {
    /// A row with nothing in it, to be filled from cells.
    package static var blank: MachineRow {
        MachineRow(trial: TrialIdentity(scenario: "", strategy: "", repetition: 1), shard: 1, machine: "", kind: "")
    }

    /// The columns of `machines.csv`.
    package static var columns: [Column<MachineRow>] {
        [
            Column("scenario", "The scenario's name, or that of a trace that was replayed.", \.trial.scenario),
            Column("strategy", "The strategy's name, or that of an eviction policy.", \.trial.strategy),
            Column(
                "repetition", type: .integer, "Which run of the same trial, from 1.",
                cell: { String($0.trial.repetition) },
                read: { text, row in
                    guard let number = Int(cellText: text), number >= 1 else { return false }
                    row.trial.repetition = number
                    return true
                }),
            Column("generator", "Which of several generators of the same load, from 1; empty for one.", \.generator),
            Column("shard", "Which part of the plan the trial was in, from 1.", \.shard),
            Column("machine", "The name of the machine that the trial ran on.", \.machine),
            Column(
                "machine_kind", "Processor, cores, memory and system: times are compared within one kind.", \.kind),
        ]
    }
}
