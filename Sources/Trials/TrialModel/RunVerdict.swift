/// The exit codes of every command. When several apply, the one with the highest ``severity`` is reported.
package enum TrialExitCode: Int32, Codable, Hashable, Sendable, CaseIterable {
    /// Done, every gate passed.
    case passed = 0
    /// Done, and a performance gate failed.
    case gateFailed = 1
    /// Could not be done: environment or harness trouble.
    case harnessTrouble = 2
    /// Done, and a strategy gave a wrong answer, broke a promise, hung or crashed.
    case strategyFailed = 3
    /// Done, and a strategy has a data race that is not expected of it.
    case dataRace = 4
    /// Wrong usage.
    case usage = 64
    /// An input file is bad.
    case badInput = 65
    /// Interrupted by SIGINT; finished results are kept.
    case interrupted = 130
    /// Terminated by SIGTERM; finished results are kept.
    case terminated = 143

    /// Higher is worse. From worst to best: interrupts, then 2, 3, 4, 1, 0.
    package var severity: Int {
        switch self {
        case .passed: 0
        case .gateFailed: 1
        case .dataRace: 2
        case .strategyFailed: 3
        case .harnessTrouble: 4
        case .usage, .badInput: 5
        case .interrupted, .terminated: 6
        }
    }
}

/// A yes-or-no check on a run, with its reason.
package struct VerdictGate: Codable, Hashable, Sendable {
    /// The name of the check, such as `answers` or `trials-completed`.
    package var name: String
    /// Whether the check passed.
    package var passed: Bool
    /// The finding, in one line that a person can act on.
    package var reason: String
    /// The exit code that the gate sets when it fails.
    package var exitCode: TrialExitCode

    package init(name: String, passed: Bool, reason: String, exitCode: TrialExitCode) {
        self.name = name
        self.passed = passed
        self.reason = reason
        self.exitCode = exitCode
    }
}

extension VerdictGate {
    /// The gate about findings, which passes without any, and otherwise shows the first.
    ///
    /// - Parameter file: where the others are.
    package init(_ name: String, _ exitCode: TrialExitCode, good: String, findings: [String], in file: String) {
        let more = findings.count > 1 ? " (and \(findings.count - 1) more in \(file))" : ""
        self.init(
            name: name, passed: findings.isEmpty, reason: findings.first.map { $0 + more } ?? good, exitCode: exitCode)
    }

    /// The gate about rows.
    ///
    /// - Parameter bad: what is bad about a row; `nil` for nothing.
    package init<Row: JudgedRow>(
        _ name: String, _ exitCode: TrialExitCode, _ rows: [Row], good: String, bad: (Row) -> String?
    ) {
        let findings = rows.compactMap { row in bad(row).map { "\(row.subject): \($0)" } }
        self.init(name, exitCode, good: good, findings: findings, in: Row.file)
    }
}

/// A row that a gate judges.
package protocol JudgedRow: ResultRow {
    /// What the row is about, as text.
    var subject: String { get }
}

extension TrialRow: JudgedRow {
    package var subject: String { "\(key)" }
}

extension RaceRow: JudgedRow {
    package var subject: String { "\(strategy) in \(scenario)" }
}

extension ExplorationRow: JudgedRow {
    package var subject: String { "\(strategy) in \(scenario)" }
}

/// The content of `verdict.json`: whether every gate passed, and each gate with its reason.
package struct RunVerdict: Codable, Hashable, Sendable {
    package var passed: Bool
    package var exitCode: Int32
    package var gates: [VerdictGate]

    package init(gates: [VerdictGate], interruption: TrialExitCode? = nil) {
        let failures = gates.filter { !$0.passed }.map(\.exitCode) + [interruption].compactMap { $0 }
        let worst = failures.max { $0.severity < $1.severity } ?? .passed
        self.passed = worst == .passed
        self.exitCode = worst.rawValue
        self.gates = gates
    }
}
