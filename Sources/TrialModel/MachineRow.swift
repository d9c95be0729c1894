/// A row of `machines.csv`: where a trial ran whose rows were merged with those of other machines.
package struct MachineRow: Codable, Hashable, Sendable {
    package var trial: TrialIdentity
    /// Which part of the plan it was, from 1.
    package var shard: UInt64
    /// Which of several generators of the same load, from 1; `nil` where there was one.
    package var generator: UInt64?
    /// The machine's name.
    package var machine: String
    /// What machines have in common whose times may be compared.
    package var kind: String

    package init(trial: TrialIdentity, shard: UInt64, generator: UInt64? = nil, machine: String, kind: String) {
        self.trial = trial
        self.shard = shard
        self.generator = generator
        self.machine = machine
        self.kind = kind
    }
}
