/// A row of `functions.csv`: a function that took many instructions.
package struct FunctionRow: PhaseRow {
    package var key: RowKey
    /// The name in the source; the mangled name when it cannot be demangled.
    package var function: String
    package var instructionsPerOperation: Double
    /// The share of all counted instructions of the phase.
    package var share: Double

    package init(key: RowKey, function: String, instructionsPerOperation: Double, share: Double) {
        self.key = key
        self.function = function
        self.instructionsPerOperation = instructionsPerOperation
        self.share = share
    }

    package static let blank = FunctionRow(key: .blank, function: "", instructionsPerOperation: 0, share: 0)

    package static let columns: [Column<FunctionRow>] =
        keyColumns + [
            Column("function", "The function's name; its callees are not included in the figures.", \.function),
            .decimal(
                "instructions_per_operation", unit: "", places: 3,
                "Its instructions per operation of the phase, within the counted spans.",
                \.instructionsPerOperation),
            .decimal("share", unit: "", places: 6, "The share of all counted instructions of the phase.", \.share),
        ] + sweptColumns
}
