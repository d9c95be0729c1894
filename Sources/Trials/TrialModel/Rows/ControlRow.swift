/// The known property of a control.
package enum ControlKind: String, Sendable, CaseIterable, CellValue {
    /// The control has a data race, which the sanitizer must report.
    case racy
    /// The control has no data race, and the sanitizer must not report one.
    case clean
}

/// A row of `controls.csv`: a program that is known to have, or not to have, a data race.
package struct ControlRow: ResultRow {
    package static let file = "controls.csv"

    package var control = ""
    package var kind = ControlKind.clean
    package var isCaught = false
    package var races: UInt64 = 0
    package var runs: UInt64 = 0
    package var runsFlagged: UInt64 = 0
    package var firstLocation = ""
    package var reportFile = ""
    package var reason = ""

    package init() {}

    package static let columns: [Column<ControlRow>] = [
        Column("control", "The name of a small program that is known to have, or not to have, a data race.", \.control),
        Column("kind", "The known truth about it: `racy` or `clean`.", \.kind),
        Column("caught", "`yes` when the sanitizer's result agrees with `kind`, else `no`.", \.isCaught),
        Column("races", "Distinct data races, by the places of their two accesses.", \.races),
        Column("runs", "How often the program ran, each time in a new process.", \.runs),
        Column("runs_flagged", "Runs with a race; divided by `runs`, the detection rate.", \.runsFlagged),
        Column("first_location", "The first place in the program, as `file:line`.", \.firstLocation),
        Column("report_file", "The sanitizer's reports, relative to the result folder.", \.reportFile),
        Column("reason", "Why the control failed; empty otherwise.", \.reason),
    ]
}
