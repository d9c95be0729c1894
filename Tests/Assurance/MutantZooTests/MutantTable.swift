import Foundation
import Mutants

/// `Results/reference/data/mutants.csv`: the mutants and the sound strategies, and how often the checks caught them.
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
        .deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Results/reference/data/mutants.csv")

    // Columns without commas come first, so that a reader can split them.
    private static let header = "name,kind,family,runs,caught,alarms,what is wrong,expected detector,also detected by"

    var csv: String {
        var lines = [Self.header]
        lines += mutants.map { mutant, tally in
            let texts = [mutant.summary, "\(mutant.expected)", tally.others.sorted().joined(separator: "; ")]
            let quoted = texts.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: ",")
            return known[mutant.name]
                ?? "\(mutant.name),mutant,\(mutant.family.rawValue),\(tally.runs),\(tally.caught),,\(quoted)"
        }
        lines += strategies.map { strategy, tally in
            known[strategy.name] ?? "\(strategy.name),sound,\(strategy.origin),\(tally.runs),,\(tally.alarmed),,,"
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The committed rows, in order: the first six columns, and the whole line.
    static func rows() throws -> [(fields: [String], line: String)] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst().map { line in
            (line.split(separator: ",", maxSplits: 6, omittingEmptySubsequences: false).map(String.init), String(line))
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
