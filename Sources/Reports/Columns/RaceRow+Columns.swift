package import TrialModel

extension RaceRow: ResultRow {
    /// A row with nothing in it, to be filled from cells.
    package static var blank: RaceRow { RaceRow(scenario: "", strategy: "", verdict: .undecided) }

    /// The columns of `races.csv`.
    package static var columns: [Column<RaceRow>] {
        [
            Column("scenario", "The scenario's name.", \.scenario),
            Column("strategy", "The strategy's name.", \.strategy),
            Column(
                "verdict", "`clean`, `racy`, `crashed` (or hung), or `undecided`: the callers hardly met.", \.verdict),
            Column("races", "Distinct data races, by the places of their two accesses.", \.races),
            Column("runs", "How often the trial ran, each time in a new process.", \.runs),
            Column("runs_flagged", "Runs with a race; divided by `runs`, the detection rate.", \.runsFlagged),
            Column(
                "contended_operations",
                "Operations under way together with one of another caller, in the run with fewest.",
                \.contendedOperations),
            Column("first_location", "The first place in the code under test, as `file:line`.", \.firstLocation),
            Column("report_file", "The sanitizer's reports, relative to the result folder.", \.reportFile),
            Column("wrong_answers", "Answers that belonged to another key, or were damaged.", \.wrongAnswers),
            Column("runs_crashed", "Runs whose process died or hung, with a race or without.", \.runsCrashed),
            Column("reason", "Why the verdict is `crashed` or `undecided`, or what else went wrong.", \.reason),
        ]
    }
}

extension ControlRow: ResultRow {
    /// A row with nothing in it, to be filled from cells.
    package static var blank: ControlRow { ControlRow(control: "", kind: .clean, isCaught: false) }

    /// The columns of `controls.csv`.
    package static var columns: [Column<ControlRow>] {
        [
            Column("control", "The name of a small program of which it is known whether it has a race.", \.control),
            Column("kind", "What is known of it: `racy` or `clean`.", \.kind),
            Column(
                "caught", type: .text, "`yes` when the sanitizer said what is known, else `no`.",
                cell: { $0.isCaught ? "yes" : "no" },
                read: { text, row in
                    guard text == "yes" || text == "no" else { return false }
                    row.isCaught = text == "yes"
                    return true
                }),
            Column("races", "Distinct data races, by the places of their two accesses.", \.races),
            Column("runs", "How often the program ran, each time in a new process.", \.runs),
            Column("runs_flagged", "Runs with a race; divided by `runs`, the detection rate.", \.runsFlagged),
            Column("first_location", "The first place in the program, as `file:line`.", \.firstLocation),
            Column("report_file", "The sanitizer's reports, relative to the result folder.", \.reportFile),
            Column("reason", "Why the control failed; empty otherwise.", \.reason),
        ]
    }
}
