package import TrialModel

/// The kinds of machines that the trials of one or several folders ran on, and the kind whose times are compared.
///
/// A merged folder records the machine of each trial. Times from different kinds of machines are not samples of one
/// figure, so only one kind is compared at a time.
package struct MachineSelection: Sendable {
    /// Every kind, with how many of the trials ran on it, the most frequent first.
    package let kinds: [(kind: String, trials: Int)]
    private let kindOfTrial: [TrialIdentity: String]
    /// The kind that is compared; `nil` where only one is known.
    package let chosen: String?

    /// - Parameters:
    ///   - rows: the rows of `machines.csv`; empty for the folder of a single run.
    ///   - wanted: a part of the name of the kind to compare, or `nil` for the kind with the most trials.
    /// - Throws: ``MachineSelectionError`` when `wanted` matches no kind, or more than one.
    package init(_ rows: [MachineRow], wanted: String? = nil) throws(MachineSelectionError) {
        kindOfTrial = Dictionary(rows.map { ($0.trial, $0.kind) }) { first, _ in first }
        let counts = Dictionary(kindOfTrial.values.map { ($0, 1) }, uniquingKeysWith: +)
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        self.kinds = sorted.map { (kind: $0.key, trials: $0.value) }
        guard let wanted else {
            chosen = sorted.count > 1 ? sorted.first?.key : nil
            return
        }
        let found =
            sorted.map(\.key).filter { $0 == wanted }.first.map { [$0] }
            ?? sorted.map(\.key).filter { $0.contains(wanted) }
        guard found.count == 1 else {
            throw MachineSelectionError(wanted: wanted, matches: found.count, kinds: sorted.map(\.key))
        }
        chosen = sorted.count > 1 ? found.first : nil
    }

    /// The phases of trials on the kind that is compared; all phases where there is one kind.
    package func selected(_ results: [PhaseResult]) -> [PhaseResult] {
        guard let chosen else { return results }
        return results.filter { kindOfTrial[$0.trial.key.trial] == chosen }
    }

    /// One line about what is compared and what is left out; `nil` where there is one kind.
    package var note: String? {
        guard let chosen else { return nil }
        let others = kinds.filter { $0.kind != chosen }.map { "\($0.trials) on \($0.kind)" }
        let count = kinds.first { $0.kind == chosen }?.trials ?? 0
        return "times are compared within one kind of machine: \(count) trials on \(chosen); left out: "
            + "\(others.joined(separator: "; ")); compare --machine chooses another kind"
    }
}

/// A name that matches no kind of machine, or several.
package struct MachineSelectionError: Error, CustomStringConvertible {
    let wanted: String
    let matches: Int
    let kinds: [String]

    package var description: String {
        let what = matches == 0 ? "no kind of machine is" : "\(matches) kinds of machines are"
        let known =
            kinds.isEmpty
            ? "the folder was not merged from several machines" : "there are: \(kinds.joined(separator: "; "))"
        return "\(what) called '\(wanted)'; \(known)"
    }
}
