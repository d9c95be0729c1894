/// The verdict on a strategy under Thread Sanitizer, the best one first.
package enum RaceVerdict: String, Sendable, CaseIterable, CellValue, Comparable {
    /// No race in any run, although operations of different callers overlapped.
    case clean
    /// Not run, because the sanitizer can't judge what the strategy synchronises with.
    case none
    /// Operations of different callers hardly overlapped, so there is no evidence.
    case undecided
    /// The process died or hung before any race was reported.
    case crashed
    /// A race in at least one run.
    case racy

    /// Whether a verdict is better than another.
    package static func < (first: RaceVerdict, second: RaceVerdict) -> Bool { first.severity < second.severity }

    private var severity: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A row of `races.csv`: a strategy under a scenario, over all runs.
package struct RaceRow: ResultRow {
    package static let file = "races.csv"

    package var scenario: ScenarioPoint = ""
    package var strategy = ""
    package var verdict = RaceVerdict.undecided
    package var races: UInt64 = 0
    package var runs: UInt64 = 0
    package var runsFlagged: UInt64 = 0
    package var runsCrashed: UInt64 = 0
    /// `nil` when no run ended.
    package var contendedOperations: UInt64?
    /// Empty without a race.
    package var firstLocation = ""
    /// Empty when there are none.
    package var reportFile = ""
    /// One line.
    package var reason = ""
    package var wrongAnswers: UInt64 = 0

    package init() {}

    package static let columns: [Column<RaceRow>] =
        [
            Column("scenario", "The scenario's name.", \.scenario.name),
            Column("strategy", "The strategy's name.", \.strategy),
            Column(
                "verdict",
                "`clean`, `racy`, `crashed` (or hung), `undecided`: too few operations overlapped, or `none`: not run.",
                \.verdict),
            Column("races", "Distinct data races, by the places of their two accesses.", \.races),
            Column("runs", "How often the trial ran, each time in a new process.", \.runs),
            Column("runs_flagged", "Runs with a race; divided by `runs`, the detection rate.", \.runsFlagged),
            Column(
                "contended_operations",
                "Operations in flight at the same time as another caller's operation, in the run with the fewest.",
                \.contendedOperations),
            Column("first_location", "The first place in the code under test, as `file:line`.", \.firstLocation),
            Column("report_file", "The sanitizer's reports, relative to the result folder.", \.reportFile),
            Column(
                "wrong_answers", "Values of another key, damaged values, and errors that the origin did not cause.",
                \.wrongAnswers),
            Column("runs_crashed", "Runs whose process died or hung, with a race or without.", \.runsCrashed),
            Column("reason", "Why the verdict is `crashed`, `undecided` or `none`, or what else went wrong.", \.reason),
        ] + Column.swept(\.scenario)
}

/// A data race in readable form.
package struct RaceFinding: Hashable, Sendable {
    /// One of the two accesses that are not ordered by happens-before.
    package struct Access: Hashable, Sendable {
        /// The kind of access, such as `Modifying access of Swift variable`.
        package var what: String
        /// The place in the code under test, as `file:line`.
        package var location: String
        /// The function at that place.
        package var function: String

        package init(what: String, location: String, function: String) {
            self.what = what
            self.location = location
            self.function = function
        }
    }

    package var accesses: [Access]
    /// How often the race was reported in all runs.
    package var count: Int
    /// The sanitizer's first report of the race.
    package var report: String

    package init(accesses: [Access], count: Int, report: String) {
        self.accesses = accesses
        self.count = count
        self.report = report
    }
}

/// A row and its races.
package typealias RaceFindings = (row: RaceRow, races: [RaceFinding])
