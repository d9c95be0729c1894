package import TrialModel

/// The functions with the most instructions, a table for each scenario, phase and strategy of the first repetition.
package enum FunctionTable {
    /// The tables of the phases with such functions; the most instructions first.
    package static func tables(_ results: [PhaseResult]) -> [Table] {
        results.filter { !$0.functions.isEmpty && $0.trial.key.trial.repetition == 1 }.map { result in
            let key = result.trial.key
            return Table(
                title: "\(key.trial.strategy) in \(key.trial.scenario), \(key.phase)",
                columns: [
                    TableColumn("instructions", name: "instructions_per_operation", .right),
                    TableColumn("share", .right),
                    TableColumn("function"),
                ],
                rows: result.functions.map { row in
                    [
                        TableCell(
                            DecimalText.fixed(row.instructionsPerOperation, places: 1),
                            value: .number(row.instructionsPerOperation, places: 3)),
                        .ratio(row.share), .text(row.function),
                    ]
                })
        }
    }
}
