/// What a strategy showed under Thread Sanitizer.
package enum RaceVerdict: String, Codable, Hashable, Sendable, CaseIterable {
    /// No race in any run, and the callers did meet.
    case clean
    /// A race in at least one run.
    case racy
    /// The process died or hung, without a race reported before.
    case crashed
    /// The callers hardly met, so that nothing is known.
    case undecided
}

/// A row of `races.csv`: a strategy under a scenario, all runs together.
package struct RaceRow: Codable, Hashable, Sendable {
    package var scenario: String
    package var strategy: String
    package var verdict: RaceVerdict
    /// Distinct races, by the places of their two accesses.
    package var races: UInt64
    package var runs: UInt64
    /// Runs with at least one race: the detection rate is this divided by ``runs``.
    package var runsFlagged: UInt64
    /// Runs whose process died or hung, with or without a race reported before.
    package var runsCrashed: UInt64
    /// Operations under way together with one of another caller, in the run that had fewest; `nil` when no run ended.
    package var contendedOperations: UInt64?
    /// The first place in the code under test, as `file:line`; empty without a race.
    package var firstLocation: String
    /// The reports, relative to the result folder; empty when there are none.
    package var reportFile: String
    /// Why the verdict is `crashed` or `undecided`, and what else went wrong; one line.
    package var reason: String
    /// Answers that belonged to another key or were damaged.
    package var wrongAnswers: UInt64

    package init(
        scenario: String, strategy: String, verdict: RaceVerdict, races: UInt64 = 0, runs: UInt64 = 0,
        runsFlagged: UInt64 = 0, runsCrashed: UInt64 = 0, contendedOperations: UInt64? = nil,
        firstLocation: String = "", reportFile: String = "", reason: String = "", wrongAnswers: UInt64 = 0
    ) {
        self.scenario = scenario
        self.strategy = strategy
        self.verdict = verdict
        self.races = races
        self.runs = runs
        self.runsFlagged = runsFlagged
        self.runsCrashed = runsCrashed
        self.contendedOperations = contendedOperations
        self.firstLocation = firstLocation
        self.reportFile = reportFile
        self.reason = reason
        self.wrongAnswers = wrongAnswers
    }
}

/// A row of `controls.csv`: a program of which it is known whether it has a race.
package struct ControlRow: Codable, Hashable, Sendable {
    package var control: String
    /// Whether it is known to be `racy` or `clean`.
    package var kind: ControlKind
    /// Whether the sanitizer said what is known.
    package var isCaught: Bool
    package var races: UInt64
    package var runs: UInt64
    package var runsFlagged: UInt64
    package var firstLocation: String
    package var reportFile: String
    /// Why the control failed; one line.
    package var reason: String

    package init(
        control: String, kind: ControlKind, isCaught: Bool, races: UInt64 = 0, runs: UInt64 = 0,
        runsFlagged: UInt64 = 0, firstLocation: String = "", reportFile: String = "", reason: String = ""
    ) {
        self.control = control
        self.kind = kind
        self.isCaught = isCaught
        self.races = races
        self.runs = runs
        self.runsFlagged = runsFlagged
        self.firstLocation = firstLocation
        self.reportFile = reportFile
        self.reason = reason
    }
}

/// What is known of a control.
package enum ControlKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// It has a data race, and must be flagged.
    case racy
    /// It has none, and must not be.
    case clean
}

/// A data race as people read it.
package struct RaceFinding: Hashable, Sendable {
    /// One of the two accesses that nothing puts in an order.
    package struct Access: Hashable, Sendable {
        /// Such as `Modifying access of Swift variable`.
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
    /// How often it was reported, in all runs.
    package var count: Int
    /// The sanitizer's first report of it.
    package var report: String

    package init(accesses: [Access], count: Int, report: String) {
        self.accesses = accesses
        self.count = count
        self.report = report
    }
}

/// A row and the races behind it.
package struct RaceFindings: Hashable, Sendable {
    package var row: RaceRow
    package var races: [RaceFinding]

    package init(row: RaceRow, races: [RaceFinding]) {
        self.row = row
        self.races = races
    }
}
