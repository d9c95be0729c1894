import CacheTestSupport
import Foundation

/// `Results/reference/mutants.md`: the mutants, and how often the checks caught them.
struct MutantTable {
    /// The results of one mutant or sound strategy.
    struct Tally {
        var runs = 0
        /// Runs in which the check meant for it raised the alarm.
        var caught = 0
        /// Runs with any alarm.
        var alarmed = 0
        /// Other checks that raised one.
        var others: Set<String> = []
    }

    var mutants: [(mutant: Mutant, tally: Tally)] = []
    var strategies: [(strategy: SoundStrategy, tally: Tally)] = []
    /// One run of each with every seed.
    static let seeds: ClosedRange<UInt64> = 1...3
    /// Rows that are kept unchanged, by name.
    var known: [String: String] = [:]

    static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Results/reference/mutants.md")

    private static let mutantTitle =
        "| mutant | family | what is wrong | check meant for it | caught | runs | others that saw it |"
    private static let strategyTitle = "| strategy | from | runs | runs with an alarm |"

    var markdown: String {
        var lines = [
            "# Mutants", "",
            "Strategies, records and programs with one planted bug each. Every strategy goes through all checks: a history of",
            "concurrent callers, the contract, and a plain LRU where it claims to be one. A mutant counts as caught when the",
            "check meant for it raises the alarm; the sound strategies went through the same checks in the same number of runs.",
            "Data races are judged by `scripts/races`; their figures are those of [races](races/controls.md).", "",
            Self.mutantTitle, "| --- | --- | --- | --- | ---: | ---: | --- |",
        ]
        lines += mutants.map { mutant, tally in
            if let row = known[mutant.name] { return row }
            let others = tally.others.sorted().joined(separator: "; ")
            return "| `\(mutant.name)` | \(mutant.family.rawValue) | \(mutant.summary) | \(mutant.expected) "
                + "| \(tally.caught) | \(tally.runs) | \(others) |"
        }
        lines += ["", "## Sound strategies", "", Self.strategyTitle, "| --- | --- | ---: | ---: |"]
        lines += strategies.map { strategy, tally in
            if let row = known[strategy.name] { return row }
            return "| `\(strategy.name)` | \(strategy.origin) | \(tally.runs) | \(tally.alarmed) |"
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The rows of both tables, by the name in their first column.
    static func rows(in markdown: String) -> [String: String] {
        let lines = markdown.split(separator: "\n").map(String.init)
        let named = lines.compactMap { line in line.firstMatch(of: /^\| `([^`]+)` \|/).map { (String($0.1), line) } }
        return Dictionary(named) { first, _ in first }
    }

    /// The names in the first column of both tables, in order.
    static func names(in markdown: String) -> [String] {
        markdown.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^\| `([^`]+)` \|/).map { String($0.1) }
        }
    }
}

extension MutantTable.Tally {
    /// Counts one run.
    mutating func add(_ alarms: [Alarm], expected: MutantCheck?) {
        runs += 1
        if !alarms.isEmpty { alarmed += 1 }
        if alarms.contains(where: { $0.check == expected }) { caught += 1 }
        others.formUnion(alarms.map(\.check).filter { $0 != expected }.map(\.description))
    }
}
