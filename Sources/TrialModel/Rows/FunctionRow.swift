/// A row of `functions.csv`: a function that took many instructions.
package struct FunctionRow: PhaseRow {
    package var key: RowKey
    /// As the program's source names it; mangled where nobody could tell.
    package var function: String
    package var instructionsPerOperation: Double
    /// Of all that was counted in the phase.
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
            Column("function", "The function's name, without what it calls.", \.function),
            .decimal(
                "instructions_per_operation", unit: "", places: 3,
                "Its instructions for each operation of the phase, in the spans that are counted.",
                \.instructionsPerOperation),
            .decimal("share", unit: "", places: 6, "Of all that was counted in the phase.", \.share),
        ] + sweptColumns
}
