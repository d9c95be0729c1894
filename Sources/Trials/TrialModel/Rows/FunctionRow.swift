/// A row of `functions.csv`: a function that took many instructions.
package struct FunctionRow: MeasurementRow {
    package static let file = "functions.csv"
    package static let keyColumnCount = 5
    package static var place: Place { \.functions }
    package static func isExpected(of _: Scenario?) -> Bool { false }

    package var key = RowKey()
    /// The name in the source; the mangled name when it cannot be demangled.
    package var function = ""
    package var instructionsPerOperation = 0.0
    /// The share of all counted instructions of the phase.
    package var share = 0.0

    package init() {}

    package static let columns: [Column<FunctionRow>] =
        keyColumns + [
            Column("function", "The function's name; its callees are not included in the values.", \.function),
            .decimal(
                "instructions_per_operation", unit: "", places: 3,
                "Its instructions per operation of the phase, within the counted spans.",
                \.instructionsPerOperation),
            .decimal("share", unit: "", places: 6, "The share of all counted instructions of the phase.", \.share),
        ] + sweptColumns
}
