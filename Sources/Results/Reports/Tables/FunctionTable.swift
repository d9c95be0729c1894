package import TrialModel

/// The functions with the most instructions, a table for each scenario, phase and strategy of the first repetition.
package enum FunctionTable {
    /// The tables of the phases with such functions; the most instructions first.
    package static func tables(_ results: [PhaseResult]) -> [Table] {
        results.filter { !$0.functions.isEmpty && $0.trial.key.repetition == 1 }.map { result in
            let key = result.trial.key
            return Table(
                title: "\(key.ofStrategy)", of: result.functions,
                [
                    TableColumn("instructions", name: "instructions_per_operation", .right) {
                        .decimal($0.instructionsPerOperation, places: 1, ofValue: 3)
                    },
                    TableColumn("share", .right) { .ratio($0.share) }, TableColumn("function") { .text($0.function) },
                ])
        }
    }
}
